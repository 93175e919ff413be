"""Ragged arrays as one: padded to a common shape, or concatenated with offsets; no loop over their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable

import numpy as np

Maker = Callable[[tuple[int, ...], np.dtype], np.ndarray]
_SCATTERED = 4096  # bytes; arrays smaller than this on average are copied all at once, larger ones each by itself


def pad(
    arrays: Sequence[np.ndarray], sizes: dict[int, int], value: float = 0, empty: Maker = np.empty
) -> np.ndarray:
    """Copy arrays into one, each at the beginning of its place, and fill the rest.

    Args:
        arrays: B arrays of one type and number of axes, which differ in the axes of ``sizes`` alone.
        sizes: the size of each ragged axis; what is longer is cut.
        value: what fills the rest.
        empty: makes the array.

    Returns:
        Array of shape (B, \\*S), where S is the arrays' shape with ``sizes`` in it.
    """
    shape = tuple([sizes.get(axis, size) for axis, size in enumerate(arrays[0].shape)])
    out = empty((len(arrays), *shape), arrays[0].dtype)
    if set(sizes) == {0} and sum(array.nbytes for array in arrays) < _SCATTERED * len(arrays):
        size = sizes[0]
        cut = [array[:size] for array in arrays]
        out.fill(value)
        out[within([array.shape for array in cut], sizes)] = np.concatenate(cut)
        return out
    for place, array in zip(out, arrays):
        inner: list[slice] = [slice(None)] * array.ndim
        for axis, size in sizes.items():
            length = min(array.shape[axis], size)
            inner[axis] = slice(length, None)
            place[tuple(inner)] = value
            inner[axis] = slice(length)
        place[tuple(inner)] = array[tuple(inner)]
    return out


def within(shapes: Sequence[tuple[int, ...]], sizes: dict[int, int]) -> np.ndarray:
    """Return which places of padded arrays hold something.

    Args:
        shapes: the shapes of B arrays.
        sizes: the size of each ragged axis, in the order of axes.

    Returns:
        Boolean array of shape (B, \\*sizes).
    """
    mask = np.ones((len(shapes), *[1] * len(sizes)), bool)
    for place, (axis, size) in enumerate(sizes.items()):
        lengths = np.array([shape[axis] for shape in shapes], np.int64)
        along = np.arange(size) < lengths[:, None]
        mask = mask & along.reshape(len(shapes), *[size if other == place else 1 for other in range(len(sizes))])
    return mask


def concatenate(
    arrays: Sequence[np.ndarray], size: int, value: float = 0, empty: Maker = np.empty
) -> tuple[np.ndarray, np.ndarray]:
    """Join arrays along their first axis.

    Args:
        arrays: B arrays of one type that differ in their first axis alone.
        size: how many rows the result has; what is more is cut.
        value: what fills the rows that remain.
        empty: makes the array of rows.

    Returns:
        Rows of shape (size, \\*S), and offsets of shape (B + 1,), int64: those of array i are
        ``rows[offsets[i]:offsets[i + 1]]``.
    """
    offsets = np.zeros(len(arrays) + 1, np.int64)
    np.cumsum([len(array) for array in arrays], out=offsets[1:])
    out = empty((size, *arrays[0].shape[1:]), arrays[0].dtype)
    total = int(offsets[-1])
    if total > size:
        out[:] = np.concatenate(arrays)[:size]
    else:
        np.concatenate(arrays, out=out[:total])
        out[total:] = value
    return out, np.minimum(offsets, size)


def sample_numbers(offsets: np.ndarray, size: int) -> np.ndarray:
    """Return to which array each of the rows belongs that :func:`concatenate` joined.

    Args:
        offsets: what it returned, of shape (B + 1,).
        size: how many rows there are.

    Returns:
        Array of shape (size,), int64; B for the rows that fill.
    """
    count = len(offsets) - 1
    return np.repeat(np.arange(count + 1), np.append(np.diff(offsets), size - offsets[-1]))
