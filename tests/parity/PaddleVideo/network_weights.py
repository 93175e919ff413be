"""Seeded weights and inputs of video networks, which two implementations draw by name: only answers are stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.parity.recipe import uniform

DAMPED = re.compile(
    r"(\.c_bn|(res\d|bb_)\w+\.conv2\._batch_norm|\.conv3\._batch_norm|\.branch2c\._batch_norm|\.tcn\.3)\.(weight|bias)$"
)
"""The last normalisations of residual branches; undamped, a deep random network amplifies rounding."""


def weight(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return a parameter or running statistic: scales near 1, shifts near 0, kernels that keep magnitudes."""
    kind = name.rpartition(".")[2]
    damping = np.float32(0.25 if DAMPED.search(name) else 1.0)
    if kind == "_variance" or (kind == "weight" and len(shape) == 1):
        return uniform(name, shape, 0.7, 1.3) * damping
    if len(shape) == 1:
        return uniform(name, shape, -0.2, 0.2) * damping
    if "edge_importance" in name:
        return uniform(name, shape, 0.5, 1.5)
    if "embed" in kind or kind == "cls_token":
        return uniform(name, shape, -0.5, 0.5)
    fan_in = shape[0] if len(shape) == 2 and kind == "weight" else np.prod(shape[1:])
    bound = float(np.sqrt(4.0 / fan_in))
    return uniform(name, shape, -bound, bound)


def fill(network: Any) -> None:
    """Give a network of either implementation the seeded weights; graphs, and second names of tensors, stay."""
    for name, tensor in network.state_dict().items():
        if name.rpartition(".")[2] != "A" and ".cell_" not in name:
            tensor.set_value(weight(name, tuple(tensor.shape)).astype(tensor.numpy().dtype))


def without_dropout(network: Any) -> None:
    """Let dropout layers of either implementation keep everything, in training too."""
    for layer in network.sublayers():
        if "Drop" in type(layer).__name__:
            layer.p = 0.0
            layer.drop_prob = 0.0


def calibrate(network: Any, run: Callable[[], Any]) -> None:
    """Let running statistics of either implementation be those of a batch; else a deep network answers alike to all.

    Args:
        network: the layer; it is left in evaluation mode.
        run: calls it.
    """
    network.train()
    momenta = {}
    for name, layer in network.named_sublayers():
        if hasattr(layer, "_momentum"):
            momenta[name], layer._momentum = layer._momentum, 0.0
    if momenta:
        run()
    for name, layer in network.named_sublayers():
        if name in momenta:
            layer._momentum = momenta[name]
    network.eval()


def of_mode(arrays: Sequence[np.ndarray], mode: str) -> list[np.ndarray]:
    """Return arrays for "evaluation", in float32, or "training", in float64, where no rounding is amplified."""
    return [array.astype(np.float64) if array.dtype.kind == "f" and mode == "training" else array for array in arrays]


def shapes(network: Any) -> dict[str, str]:
    """Return the names of a network's state and their shapes as text."""
    return {name: ",".join(map(str, tensor.shape)) for name, tensor in network.state_dict().items()}


def digest(gradients: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return a length and a projection of each gradient, float64 (P, 2), in the order of their names.

    Args:
        gradients: by name; the projection is on a direction drawn by that name, of length 1 in each element's mean.
    """
    rows = []
    for name in sorted(gradients):
        gradient = gradients[name].astype(np.float64).ravel()
        direction = uniform(f"direction {name}", gradient.shape, -1.7, 1.7).astype(np.float64)
        rows.append([np.linalg.norm(gradient), gradient @ direction])
    return np.array(rows)


def thinned(array: np.ndarray, most: int = 1500) -> np.ndarray:
    """Return what is stored of an array: of a large one, numbers at equal distances."""
    flat = array.ravel()
    return flat[:: -(-flat.size // most)]


def random_clips(name: str, *shape: int) -> np.ndarray:
    """Return normalised frames or features, float32 in [-1, 1)."""
    return uniform(name, shape, -1.0, 1.0)


def whole_numbers(name: str, count: int, end: int) -> np.ndarray:
    """Return int64 numbers from 0 to end - 1."""
    return (uniform(name, (count,), 0.0, 1.0) * end).astype(np.int64)
