"""Largest and smallest numbers along an axis, float32 on the CPU; what is not a number wins.

The engine takes 13 nanoseconds an element for it.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads

_SIGN = np.int32(31)
_REST = np.int32(0x7FFFFFFF)
_LOWEST = np.int32(-(2**31))
_TOGETHER = 512
"""Columns of one task, whose results stay in the cache."""


def extremes(x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool, smallest: bool, out: np.ndarray) -> None:
    """Write the largest, or smallest, numbers over neighbouring axes.

    Args:
        x: At least one number along them.
        axis: The axes, in order.
        keepdims: Whether the result keeps them with a size of 1; that is its caller's business.
        smallest: Whether the smallest are wanted.
        out: The result.
    """
    before, after = int(np.prod(x.shape[: axis[0]])), int(np.prod(x.shape[axis[-1] + 1 :]))
    parts = x.reshape(before, -1, after)
    if after == 1:
        _of_rows(parts[:, :, 0], smallest, out.reshape(-1))
    else:
        _of_columns(parts, smallest, out.reshape(before, after))


@compiled
def _of_rows(x: np.ndarray, smallest: bool, result: np.ndarray) -> None:
    for r in threads(x.shape[0]):
        result[r] = extreme(x[r], smallest)


@serial
def extreme(x: np.ndarray, smallest: bool) -> np.float32:
    """Return the largest or smallest element; compared as integers of the same order, which is quick."""
    bits = x.view(np.int32)
    turn = np.int32(-1) if smallest else np.int32(0)
    best, strange = _LOWEST, np.int32(0)
    for j in range(bits.size):
        strange |= np.int32((bits[j] & _REST) > np.int32(0x7F800000))
        best = max(best, np.int32(bits[j] ^ ((bits[j] >> _SIGN) & _REST) ^ turn))
    if strange:
        return np.float32(np.nan)
    best = np.int32(best ^ turn)
    return np.int32(best ^ ((best >> _SIGN) & _REST)).view(np.float32)


@compiled
def _of_columns(x: np.ndarray, smallest: bool, result: np.ndarray) -> None:
    before, rows, columns = x.shape
    parts = (columns + _TOGETHER - 1) // _TOGETHER
    for task in threads(before * parts):
        b, first = task // parts, task % parts * _TOGETHER
        target = result[b, first : min(first + _TOGETHER, columns)]
        for j in range(target.size):
            target[j] = x[b, 0, first + j]
        for r in range(1, rows):
            _renew(x[b, r, first : first + target.size], smallest, target)


@serial
def _renew(x: np.ndarray, smallest: bool, best: np.ndarray) -> None:
    if smallest:
        for j in range(best.size):
            best[j] = x[j] if x[j] < best[j] or x[j] != x[j] else best[j]
    else:
        for j in range(best.size):
            best[j] = x[j] if x[j] > best[j] or x[j] != x[j] else best[j]
