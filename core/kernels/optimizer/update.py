"""Optimizer updates of many tensors at once, written straight into engine memory.

On the CPU one call of a compiled rule (``update_rules``) updates all tensors in one pass over memory. The engine's own
fused operators are slower there: with ResNet-18's 11.7 million numbers on two cores, ``multi_sgd_mom_update`` takes
37 ms and ``_multi_adamw_update`` 90 ms, the single-tensor operators 13 and 23 ms, the compiled rules 5 and 6 ms
(``benchmarks/core/optimizer_update.py`` measures it). On another device the engine's multi-tensor operators serve where
they can (``update_engine``), and the numpy reference on copies where they cannot.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

from core.kernels.dispatch.dispatcher import Value, memory_written
from core.kernels.dtypes import bfloat16, float32, float64
from core.kernels.engine import engine
from core.kernels.engine.engine import _LIB, MXNetError
from core.kernels.optimizer import update_engine, update_reference

CHUNK = 16384
"""Elements of one piece of work: three to six arrays of it fit a core's cache, and its start-up cost vanishes."""

SMALL = 65536
"""Elements for which waking another thread pays."""

GRADIENT = 1
"""The column of the gradients, the only one that is not written."""

POWERS = {"adam": 4, "adamax": 4, "lamb": 4}
"""The first column of powers of betas, of one element each, in the rules that have them."""

_CAST = engine.operator_handle("Cast")
_TO_FLOAT16 = engine.Attributes({"dtype": "float16"})


def sum_of_squares(gradients: Sequence[Value]) -> np.ndarray:
    """Return the sum of squares of each gradient, accumulated in float64.

    Args:
        gradients: values of one floating type, float32 or float64.

    Returns:
        Array of shape (number of gradients,), float64.
    """
    if not gradients:
        return np.zeros(0)
    like = _like(gradients[0])
    if not _on_cpu(gradients[0]):
        if _fits_engine(gradients):
            return update_engine.sum_of_squares([value.array for value in gradients]).astype(np.float64)
        return np.array([np.sum(np.square(value.array.asnumpy(), dtype=np.float64)) for value in gradients])
    from core.kernels.optimizer import update_rules  # numba loads with the first use

    chunks = _chunks(_sizes(gradients))
    parts = np.zeros(len(chunks))
    _call(update_rules.sum_of_squares, _addresses([gradients]), chunks, like, parts)
    return _summed(parts, chunks, len(gradients))


def update(
    rule: str, columns: Sequence[Sequence[Value]], terms: np.ndarray, rates: np.ndarray, constants: Sequence[float]
) -> None:
    """Update many weights in place by one rule.

    Args:
        rule: a key of :data:`core.kernels.optimizer.update_reference.RULES`.
        columns: weights, gradients, then the rule's accumulators; each a list with one value for each tensor. All are
            of one floating type, float32 or float64, and those of a tensor of one shape, except the powers of betas,
            which have one element.
        terms: shape (tensors, 5): factor, lower bound, upper bound, L2 and L1 coefficient of each gradient.
        rates: shape (tensors, r): the learning rate, then what the rule asks for.
        constants: the rule's constants, as in :mod:`core.kernels.optimizer.update_reference`.

    Raises:
        KeyError: there is no such rule.
        TypeError: a value is of another type.
        ValueError: a value is of another shape than its weight.
    """
    reference = update_reference.RULES[rule]
    like = _like(columns[0][0])
    _check(columns, POWERS.get(rule, len(columns)))
    memory_written()
    terms, rates, numbers = terms.astype(like.dtype), rates.astype(like.dtype), np.array(constants, like.dtype)
    if not _on_cpu(columns[0][0]):
        arrays = [[value.array for value in column] for column in columns]
        if rule in update_engine.RULES and _fits_engine(columns[0]):
            raw = zip(arrays[GRADIENT], arrays[0], terms)
            gradients = [update_engine.effective(gradient, weight, row) for gradient, weight, row in raw]
            update_engine.RULES[rule](arrays, gradients, rates, numbers)
        else:
            _update_through_copies(reference, arrays, terms, rates, numbers)
        return
    chunks = _chunks(_sizes(columns[0]))
    table = _addresses(columns)
    if rule == "lamb":
        from core.kernels.optimizer import update_lamb  # numba loads with the first use

        parts = np.zeros((len(chunks), 2))
        _call(update_lamb.lamb_moments, table, chunks, like, terms, rates, numbers, parts)
        squares = np.stack([_summed(column, chunks, len(table)) for column in parts.T], axis=1)
        ratios = update_reference.trust_ratios(squares, rates[:, 2]).astype(like.dtype)
        _call(update_lamb.lamb_weights, table, chunks, like, ratios, rates, numbers)
    else:
        from core.kernels.optimizer import update_rules  # numba loads with the first use

        rates = rates if rates.shape[1] > 1 else rates[:, 0]
        _call(getattr(update_rules, rule), table, chunks, like, terms, rates, numbers)


def write_half(weights: Sequence[Value], halves: Sequence[Value]) -> None:
    """Round float32 weights into half-precision memory of the same shapes, to nearest even.

    The engine's own conversion to bfloat16 cuts the lower bits off, which would pull every weight towards 0.

    Args:
        weights: float32 values.
        halves: float16 or bfloat16 values, written in place.
    """
    memory_written()
    brain = [pair for pair in zip(weights, halves) if pair[1].meta[1] is bfloat16]
    for weight, half in zip(weights, halves):
        if half.meta[1] is not bfloat16:
            engine.invoke(_CAST, [weight.array], _TO_FLOAT16, [half.array])
    if not brain:
        return
    if not _on_cpu(brain[0][1]):
        for weight, half in brain:
            engine.copy_into(half.array, engine.from_numpy(weight.array.asnumpy(), bfloat16))
        return
    from core.kernels.optimizer import update_rules  # numba loads with the first use

    chunks = _chunks(_sizes([half for _, half in brain]))
    table = _addresses(list(zip(*brain)))
    _call(update_rules.round_to_bfloat16, table, chunks, np.zeros(0, np.uint32), np.zeros(0, np.uint16))


def _check(columns: Sequence[Sequence[Value]], powers: int) -> None:
    """Check shapes and types, since a compiled rule would read and write past the end of a smaller array."""
    dtype = columns[0][0].meta[1]
    for index, column in enumerate(columns):
        for weight, value in zip(columns[0], column):
            if value.meta[1] is not dtype:
                raise TypeError(f"optimizer update: {value.meta[1].name} among arrays of {dtype.name}")
            wanted = weight.meta[0] if index < powers else (1,)
            if value.meta[0] != wanted:
                raise ValueError(f"optimizer update: shape {list(value.meta[0])} where {list(wanted)} is needed")


def _update_through_copies(
    reference: update_reference.Rule,
    columns: Sequence[Sequence[engine.Array]],
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


def _fits_engine(values: Sequence[Value]) -> bool:
    """Return whether the engine's multi-tensor operators take these values: float32, none empty."""
    return all(value.meta[1] is float32 and 0 not in value.meta[0] for value in values)


def _on_cpu(value: Value) -> bool:
    return bool(value.array.context.device_type == "cpu")


def _sizes(values: Sequence[Value]) -> tuple[int, ...]:
    return tuple([math.prod(value.meta[0]) for value in values])


def _like(value: Value) -> np.ndarray:
    """Return the numbers 0 and 1 in a value's type.

    Raises:
        TypeError: there are no compiled rules for this type.
    """
    dtype = value.meta[1]
    if dtype not in (float32, float64):
        raise TypeError(f"optimizer update: arrays must be float32 or float64, not {dtype.name}")
    return np.array([0, 1], dtype.numpy)


@functools.lru_cache(maxsize=64)
def _chunks(sizes: tuple[int, ...]) -> np.ndarray:
    """Return rows (tensor, first element, end) covering all tensors."""
    rows = [
        (tensor, first, min(size, first + CHUNK))
        for tensor, size in enumerate(sizes)
        for first in range(0, size, CHUNK)
    ]
    return np.array(rows, np.int64).reshape(-1, 3)


def _summed(parts: np.ndarray, chunks: np.ndarray, tensors: int) -> np.ndarray:
    """Add up the chunks of each tensor, always in the same order."""
    return np.bincount(chunks[:, 0], weights=parts, minlength=tensors)


def _call(compiled: Callable[..., None], table: np.ndarray, chunks: np.ndarray, *arguments: np.ndarray) -> None:
    """Run a compiled rule on as many threads as there is work for."""
    import numba  # numba loads with the first use

    threads = numba.get_num_threads()
    elements = int((chunks[:, 2] - chunks[:, 1]).sum())
    numba.set_num_threads(min(threads, 1 + elements // SMALL))
    try:
        compiled(table, chunks, *arguments)
    finally:
        numba.set_num_threads(threads)


def _addresses(columns: Sequence[Sequence[Value]]) -> np.ndarray:
    """Return the addresses of all values, shape (tensors, columns), once no pending operation uses them.

    One wait for everything is cheaper than asking the engine about each array: waiting for an array's readers pushes an
    operation for it, 10 microseconds each.
    """
    engine.wait_all()
    table = np.zeros((len(columns[0]), len(columns)), np.int64)
    pointer: Any = ctypes.c_void_p()
    reference = ctypes.byref(pointer)
    for index, column in enumerate(columns):
        for row, value in enumerate(column):
            if _LIB.MXNDArrayGetData(value.array.handle, reference):
                raise MXNetError(engine.last_error())
            table[row, index] = pointer.value or 0
    return table
