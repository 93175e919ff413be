"""Optimizer updates of many tensors at once, written straight into engine memory.

On the CPU one call of a compiled rule (``update_rules``) updates all tensors in one pass over memory. The engine's own
fused operators are slower there: with ResNet-18's 11.7 million numbers on two cores, ``multi_sgd_mom_update`` takes
37 ms and ``_multi_adamw_update`` 90 ms, the single-tensor operators 13 and 23 ms, the compiled rules 5 and 6 ms
(``benchmarks/optimizer_update.py`` measures it). On another device the engine's multi-tensor operators serve where they
can (``update_engine``), and the numpy reference on copies where they cannot.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels import engine, update_engine, update_reference
from core.kernels.dtypes import bfloat16
from core.kernels.engine import _LIB, Array, MXNetError

CHUNK = 16384
"""Elements of one piece of work: three to six arrays of it fit a core's cache, and its start-up cost vanishes."""

_CAST = engine.operator_handle("Cast")
_TO_FLOAT16 = engine.Attributes({"dtype": "float16"})

GRADIENT = 1
"""The column of the gradients, the only one that is not written."""


def sum_of_squares(gradients: Sequence[Array]) -> np.ndarray:
    """Return the sum of squares of each array, accumulated in float64.

    Args:
        gradients: engine arrays of one floating type, float32 or float64.

    Returns:
        Array of shape (number of arrays,), float64.
    """
    if not _on_cpu(gradients):
        if _fits_engine(gradients):
            return update_engine.sum_of_squares(gradients).astype(np.float64)
        return np.array([np.sum(np.square(array.asnumpy(), dtype=np.float64)) for array in gradients])
    from core.kernels import update_rules

    chunks, starts = _chunks(tuple([_size(array) for array in gradients]))
    parts = np.zeros(len(chunks))
    table = _addresses([gradients], written=())
    update_rules.sum_of_squares(table, chunks, _like(gradients[0]), parts)
    return _summed(parts, starts)


def update(
    rule: str,
    columns: Sequence[Sequence[Array]],
    terms: np.ndarray,
    rates: np.ndarray,
    constants: Sequence[float],
) -> None:
    """Update many weights in place by one rule.

    Args:
        rule: a key of :data:`core.kernels.update_reference.RULES`.
        columns: weights, gradients, then the rule's accumulators; each a list with one engine array for each tensor.
            All arrays are of one floating type, float32 or float64, and those of a tensor of one shape, except the
            powers of betas, which have one element.
        terms: shape (tensors, 5): factor, lower bound, upper bound, L2 and L1 coefficient of each gradient.
        rates: shape (tensors, r): the learning rate, then what the rule asks for.
        constants: the rule's constants, as in :mod:`core.kernels.update_reference`.

    Raises:
        KeyError: there is no such rule.
        TypeError: an array is of another type.
    """
    reference = update_reference.RULES[rule]
    like = _like(columns[0][0])
    for column in columns:
        for array in column:
            if engine.dtype_of(array).numpy != like.dtype:
                raise TypeError(f"optimizer update: {engine.dtype_of(array).name} among arrays of {like.dtype}")
    terms, rates, numbers = terms.astype(like.dtype), rates.astype(like.dtype), np.array(constants, like.dtype)
    if not _on_cpu(columns[0]):
        if rule in update_engine.RULES and _fits_engine(columns[0]):
            raw = zip(columns[GRADIENT], columns[0], terms)
            gradients = [update_engine.effective(gradient, weight, row) for gradient, weight, row in raw]
            update_engine.RULES[rule](columns, gradients, rates, numbers)
        else:
            _update_through_copies(reference, columns, terms, rates, numbers)
        return
    chunks, starts = _chunks(tuple([_size(array) for array in columns[0]]))
    table = _addresses(columns, written=[index for index in range(len(columns)) if index != GRADIENT])
    if rule == "lamb":
        from core.kernels import update_lamb

        parts = np.zeros((len(chunks), 2))
        update_lamb.lamb_moments(table, chunks, like, terms, rates, numbers, parts)
        ratios = update_reference.trust_ratios(_summed(parts, starts), rates[:, 2]).astype(like.dtype)
        update_lamb.lamb_weights(table, chunks, like, ratios, rates, numbers)
    else:
        from core.kernels import update_rules

        compiled = getattr(update_rules, rule)
        compiled(table, chunks, like, terms, rates if rates.shape[1] > 1 else rates[:, 0], numbers)


def write_half(weights: Sequence[Array], halves: Sequence[Array]) -> None:
    """Round float32 weights into half-precision arrays of the same shapes, to nearest even.

    The engine's own conversion to bfloat16 cuts the lower bits off, which would pull every weight towards 0.

    Args:
        weights: float32 arrays.
        halves: float16 or bfloat16 arrays, written in place.
    """
    brain = [pair for pair in zip(weights, halves) if engine.dtype_of(pair[1]) is bfloat16]
    for weight, half in zip(weights, halves):
        if engine.dtype_of(half) is not bfloat16:
            engine.invoke(_CAST, [weight], _TO_FLOAT16, [half])
    if not brain:
        return
    if not _on_cpu(halves):
        for weight, half in brain:
            engine.copy_into(half, engine.from_numpy(weight.asnumpy(), bfloat16))
        return
    from core.kernels import update_rules

    columns = list(zip(*brain))
    chunks, _ = _chunks(tuple([_size(weight) for weight in columns[0]]))
    table = _addresses(columns, written=[1])
    update_rules.round_to_bfloat16(table, chunks, np.zeros(0, np.uint32), np.zeros(0, np.uint16))


def _update_through_copies(
    reference: update_reference.Rule,
    columns: Sequence[Sequence[Array]],
    terms: np.ndarray,
    rates: np.ndarray,
    constants: np.ndarray,
) -> None:
    """Update tensors that live on another device, through copies."""
    for position, arrays in enumerate(zip(*columns)):
        copies = [array.asnumpy() for array in arrays]
        gradient = update_reference.effective(copies[GRADIENT], copies[0], terms[position])
        reference(copies, gradient, rates[position], constants)
        for column, (array, copy) in enumerate(zip(arrays, copies)):
            if column != GRADIENT:
                engine.copy_into(array, engine.from_numpy(copy))


def _fits_engine(arrays: Sequence[Array]) -> bool:
    """Return whether the engine's multi-tensor operators take these arrays: float32, none empty."""
    return bool(arrays) and all(_size(array) and engine.dtype_of(array).name == "float32" for array in arrays)


def _on_cpu(arrays: Sequence[Array]) -> bool:
    return all(array.context.device_type == "cpu" for array in arrays)


def _size(array: Array) -> int:
    return int(np.prod(engine.shape_of(array), dtype=np.int64))


def _like(array: Array) -> np.ndarray:
    """Return the numbers 0 and 1 in an array's type.

    Raises:
        TypeError: there are no compiled rules for this type.
    """
    dtype = engine.dtype_of(array)
    if dtype.name not in ("float32", "float64"):
        raise TypeError(f"optimizer update: arrays must be float32 or float64, not {dtype.name}")
    return np.array([0, 1], dtype.numpy)


@functools.lru_cache(maxsize=64)
def _chunks(sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (tensor, first element, end) covering all tensors, and the row at which each tensor begins."""
    rows = [
        (tensor, first, min(size, first + CHUNK))
        for tensor, size in enumerate(sizes)
        for first in range(0, size, CHUNK)
    ]
    counts = [-(-size // CHUNK) for size in sizes]
    return np.array(rows, np.int64).reshape(-1, 3), np.cumsum([0, *counts])


def _summed(parts: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Add up the chunks of each tensor, always in the same order."""
    return np.array([parts[first:last].sum(axis=0) for first, last in zip(starts, starts[1:])])


def _addresses(columns: Sequence[Sequence[Array]], written: Sequence[int]) -> np.ndarray:
    """Return the addresses of all arrays, shape (tensors, columns), once nobody else writes (or reads) them."""
    table = np.zeros((len(columns[0]), len(columns)), np.int64)
    pointer: Any = ctypes.c_void_p()
    reference = ctypes.byref(pointer)
    for index, column in enumerate(columns):
        wait = _LIB.MXNDArrayWaitToWrite if index in written else _LIB.MXNDArrayWaitToRead
        for row, array in enumerate(column):
            if wait(array.handle) or _LIB.MXNDArrayGetData(array.handle, reference):
                raise MXNetError(engine.last_error())
            table[row, index] = pointer.value or 0
    return table
