"""Convolutions whose channels fill no whole blocks, computed in parts that do, and weight gradients by themselves.

oneDNN's fast kernels compute blocks of 16 channels, and would fill up the last one by themselves. The engine refuses
kernels whose memory is larger than its arrays, and takes others, which multiply matrices at half the speed or less.
Here the whole blocks are one call, and what is left over, filled up with zeros, is another.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dtypes import DType, float32
from core.kernels.engine import engine, graph
from core.kernels.engine.constants import zeros
from core.kernels.engine.engine import Array, Attributes

BLOCK = 16
FEWEST_PRODUCTS = 2**22
"""Below so many multiplications, further calls cost more than the engine's slower kernel."""

_CONVOLUTION = engine.operator_handle("Convolution")
_DECONVOLUTION = engine.operator_handle("Deconvolution")
_CONCATENATE = engine.operator_handle("Concat")
_CUT = engine.operator_handle("slice_axis")
_SUM = engine.operator_handle("elemwise_add")
_NO_ATTRIBUTES = Attributes({})


def is_split(channels: int, weight: Sequence[int], positions: int, groups: int, dtype: DType) -> bool:
    """Return whether a convolution is to be computed in parts.

    Args:
        channels: Those that may fill no whole blocks; the weight's first axis.
        weight: Its shape.
        positions: How many windows it is multiplied with, in all images together.
        groups: Groups of channels.
        dtype: The type of everything.
    """
    fits = dtype is float32 and groups == 1 and len(weight) == 4 and engine.on_cpu()
    return fits and channels % BLOCK != 0 and weight[1] % BLOCK == 0 and math.prod(weight) * positions > FEWEST_PRODUCTS


def convolve(arrays: Sequence[Array], attributes: Attributes) -> Array:
    """Return the convolution of (x, weight[, bias]), whose weight's first axis is split."""
    x, weight = arrays[:2]
    channels = engine.shape_of(weight)[0]
    whole = channels - channels % BLOCK
    results = []
    for first, last in _parts(channels):
        given = [x, *[_rows(array, first, last) for array in arrays[1:]]]
        options = _changed(attributes, num_filter=engine.shape_of(given[1])[0])
        results.append(engine.invoke(_CONVOLUTION, given, options)[0])
    results[-1] = _cut(results[-1], 1, 0, channels - whole)
    if len(results) == 1:
        return results[0]
    return engine.invoke(_CONCATENATE, results, Attributes({"dim": 1, "num_args": len(results)}))[0]


def spread(gradient: Array, weight: Array, attributes: Attributes) -> Array:
    """Return the gradient of a convolution's input from (gradient, weight), split along the weight's first axis."""
    channels = engine.shape_of(weight)[0]
    results = []
    for first, last in _parts(channels):
        given = [_channels(gradient, first, last), _rows(weight, first, last)]
        results.append(engine.invoke(_DECONVOLUTION, given, attributes)[0])
    return results[0] if len(results) == 1 else engine.invoke(_SUM, results, _NO_ATTRIBUTES)[0]


def spread_to_few(gradient: Array, weight: Array, attributes: Attributes) -> Array:
    """Return the gradient of a convolution's input of less than a block of channels."""
    channels, few, *kernel = engine.shape_of(weight)
    filled = zeros((channels, BLOCK, *kernel), float32)
    _numbers(filled)[:, :few] = _numbers(weight)
    options = _changed(attributes, num_filter=BLOCK)
    return _cut(engine.invoke(_DECONVOLUTION, [gradient, filled], options)[0], 1, 0, few)


def weight_gradient(gradient: Array, x: Array, target: Array, attributes: Attributes, split: bool) -> None:
    """Write the gradient of a convolution's weight from (gradient, x), whose first axis may be split."""
    if not split:
        _write_weight_gradient(gradient, x, target, attributes)
        return
    shape = engine.shape_of(target)
    for first, last in _parts(shape[0]):
        part = _channels(gradient, first, last)
        options = _changed(attributes, num_filter=engine.shape_of(part)[1])
        if last % BLOCK == 0:
            _write_weight_gradient(part, x, engine.rows(target, first, last), options)
        else:
            filled = zeros((BLOCK, *shape[1:]), float32)
            _write_weight_gradient(part, x, filled, options)
            engine.copy_into(engine.rows(target, first, last), engine.rows(filled, 0, last - first))


def _write_weight_gradient(gradient: Array, x: Array, target: Array, attributes: Attributes) -> None:
    """Run the backward kernel for the weight alone: an operator by itself would compute the input's gradient too."""
    symbol = _symbol(tuple(attributes.items.items()))
    with engine.turn:
        executor = symbol.bind(x.context, [x, target], [None, target], ["null", "write"])
        executor.backward([gradient])


@functools.lru_cache(maxsize=256)
def _symbol(attributes: tuple[tuple[str, str], ...]) -> Any:
    inputs = [graph.variable("x"), graph.variable("weight")]
    return graph.apply_operator("convolution", _CONVOLUTION, inputs, Attributes(dict(attributes)))[0]


def _parts(channels: int) -> list[tuple[int, int]]:
    whole = channels - channels % BLOCK
    return [(0, whole), (whole, channels)] if whole else [(0, channels)]


def _rows(array: Array, first: int, last: int) -> Array:
    """Return rows of an array, the last ones filled up with zeros to a whole block."""
    if last % BLOCK == 0:
        return engine.rows(array, first, last)
    filled = zeros((BLOCK, *engine.shape_of(array)[1:]), float32)
    engine.copy_into(engine.rows(filled, 0, last - first), engine.rows(array, first, last))
    return filled


def _channels(images: Array, first: int, last: int) -> Array:
    """Return channels of images, the last ones filled up with zeros to a whole block."""
    if last % BLOCK == 0:
        return _cut(images, 1, first, last)
    count, _, *size = engine.shape_of(images)
    filled = zeros((count, BLOCK, *size), float32)
    _numbers(filled)[:, : last - first] = _numbers(images)[:, first:last]
    return filled


def _numbers(array: Array) -> np.ndarray:
    return engine.view(array, engine.shape_of(array), float32)


def _cut(array: Array, axis: int, first: int, last: int) -> Array:
    return engine.invoke(_CUT, [array], Attributes({"axis": axis, "begin": first, "end": last}))[0]


def _changed(attributes: Attributes, **options: Any) -> Attributes:
    return Attributes({**attributes.items, **options})
