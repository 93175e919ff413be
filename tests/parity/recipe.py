"""Seeded weights and inputs that two implementations draw without sharing a file: numpy alone, from names and shapes.

Each array comes from a stream seeded by its own name, so no order of drawing matters. ``numpy.random.RandomState`` is
used because numpy promises that its numbers never change.

A random deep network amplifies rounding until two right implementations differ. Hence: the weights of each filter add
up to zero, as a common offset of all channels would otherwise drown everything else; batch-norm statistics fit the
activations: one number for each layer, the second moment of what the layer receives, comes from a calibration pass of
the official implementation and is stored with its outputs; the last normalisation of each residual branch is damped;
and where a long chain of layers has no residual branches, offsets keep most of each ReLU's input positive.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

DAMPED = re.compile(
    r"(conv1|conv2|linear_conv|aggregation_conv|aggregation_excitation_conv|ghost_module_2\.\w+|_pcn\._conv|(layer1|func_list)\.\d\.conv3|bottleneck_\d+\.conv3)"
    r"\.(bn|_bn|_batch_norm)\.(weight|bias)$"
    r"|^detector\..*\.branch2c\.norm\.(weight|bias)$|^detector\..*(res\d[a-z]\.branch2b\.norm|conv2\.batch_norm)\.(weight|bias)$"
)
"""The last normalisations of residual branches. Those named conv1 are the last ones in basic blocks; in others a
calibrated normalisation follows, which makes their scale immaterial."""

LIFTED = re.compile(
    r"^(_?inception|_reduction|dpn\d).*\.(_batch_norm|bn)\.bias$|^detector\..*(norm|bn|_bn_dw|_bn_pw)\d?\.bias$"
    r"|^detector\.backbone\.conv_block_\d\.conv\d\.bias$"
    r"|^stages\.\d\.\d\.(dw|pw)_conv\w*(\.\d)?\.bn\.bias$|^stages\.\d\.blocks\.\d\.layers\.\d(\.conv2)?\.bn\.bias$"
    r"|^face_(en|de)coder_blocks\..*conv_block\.1\.bias$"
)
"""Offsets in the long chains of Inception, DPN, PP-LCNetV2, PP-HGNet, Wav2Lip and whole detectors, of about one
standard deviation more than elsewhere."""

QUIETED = (
    (re.compile(r"(^|\.)conv_offset_mask\.weight$"), 0.02),
    (re.compile(r"^stage\d\.(\d+\.)?se\.up\.weight$"), 0.1),
    (re.compile(r"^detector\.s2anet_head\.(fam|odm)_reg\.weight$"), 0.01),
    (re.compile(r"^detector\..*(delta|wh_head|wh|reg|\.conv_offset|size\.\d)(\.\w+)?\.weight$"), 0.1),
    (re.compile(r"^(stage\d_(encoder|decoder|orsnet)|shallow_feat\d|sam\d\d|concat\d\d)\..*weight$"), 0.4),
)
"""Filters that are smaller than elsewhere, and by what factor: those of a deformable convolution's offsets,
which would otherwise point outside the image, those of RepVGG-D2se's gates, 47 in a row, and those of MPRNet, which
normalises nothing."""


def uniform(name: str, shape: Sequence[int], low: float, high: float) -> np.ndarray:
    """Return float32 numbers in [low, high), drawn from the stream of a name.

    Args:
        name: any text; it seeds the stream.
        shape: shape of the array.
        low: lower bound.
        high: upper bound.
    """
    count = int(np.prod(shape))
    words = np.frombuffer(np.random.RandomState(zlib.crc32(name.encode())).bytes(4 * count), "<u4")
    values = (words >> np.uint32(8)).astype(np.float32)  # 24 bits, which float32 holds exactly
    values *= np.float32(2.0**-24 * (high - low))
    values += np.float32(low)
    return values.reshape(shape)


def parameter(name: str, shape: Sequence[int], second_moments: Mapping[str, float]) -> np.ndarray:
    """Return the value of one parameter or running statistic.

    Args:
        name: its structured name, such as ``blocks.0.conv0.bn._mean``.
        shape: its shape.
        second_moments: layer name (``blocks.0.conv0.bn``) to the mean square of what that layer receives.
    """
    layer, _, leaf = name.rpartition(".")
    if leaf == "relative_position_index":
        return offset_numbers(shape[0]).copy()
    damping = np.float32(0.25 if DAMPED.search(name) else 1.0)
    if name.endswith("._variance"):
        return uniform(name, shape, 0.7, 1.3) * np.float32(second_moments[layer])
    if name.endswith("._mean"):
        return uniform(name, shape, -0.2, 0.2) * np.float32(np.sqrt(second_moments[layer]))
    if name.endswith(("init_proposal_boxes.weight", "init_proposal_bboxes.weight")):
        return uniform(name, shape, 0.3, 0.7)  # centres and sizes of boxes, as parts of the image
    if name.endswith(".bias"):
        return uniform(name, shape, -0.2, 0.2) * damping + np.float32(LIFTED.search(name) is not None)
    if len(shape) == 1:
        return uniform(name, shape, 0.7, 1.3) * damping
    fan_in = np.prod(shape[1:]) if len(shape) == 4 else shape[0]
    bound = float(np.sqrt(9.0 / fan_in)) if len(shape) == 4 else float(np.sqrt(3.0 / fan_in))
    bound *= next((factor for names, factor in QUIETED if names.search(name)), 1.0)
    values = uniform(name, shape, -bound, bound)
    if len(shape) == 4:
        values -= values.mean(axis=(1, 2, 3), keepdims=True, dtype=np.float64).astype(np.float32)
    return values


@functools.cache
def offset_numbers(places: int) -> np.ndarray:
    """Return the numbers of the offsets between two places of a square window: int64, (places, places)."""
    side = round(places**0.5)
    numbers = np.empty((places, places), np.int64)
    for one in range(places):
        for other in range(places):
            down, right = one // side - other // side, one % side - other % side
            numbers[one, other] = (down + side - 1) * (2 * side - 1) + right + side - 1
    return numbers


def input_images(shape: Sequence[int]) -> np.ndarray:
    """Return a batch of inputs, float32 in [-2, 2), about the range of normalised images."""
    return uniform("input", shape, -2.0, 2.0)
