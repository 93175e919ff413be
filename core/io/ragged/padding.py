"""Ragged arrays as one: padded to a common shape, or concatenated with offsets; no loop over their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable

import numpy as np

Maker = Callable[[tuple[int, ...], np.dtype], np.ndarray]


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
    first = arrays[0]
    shape = tuple([sizes.get(axis, size) for axis, size in enumerate(first.shape)])
    out = empty((len(arrays), *shape), first.dtype)
    if set(sizes) == {0}:  # arrays and what fills up in turn, all copied at once
        size = sizes[0]
        filling = np.full(shape, value, first.dtype)
        parts = [part for array in arrays for part in (array[:size], filling[len(array) :])]
        np.concatenate(parts, out=out.reshape(-1, *shape[1:]))
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


def within(lengths: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Return which places of padded arrays hold something.

    Args:
        lengths: the sizes of B arrays in K ragged axes, of shape (B, K).
        sizes: what these axes are padded to.

    Returns:
        Boolean array of shape (B, \\*sizes).
    """
    count, axes = lengths.shape
    mask: np.ndarray = np.arange(sizes[0]) < lengths[:, :1]
    for axis in range(1, axes):
        along = np.arange(sizes[axis]) < lengths[:, axis : axis + 1]
        mask = mask[..., None] & along.reshape(count, *[1] * axis, -1)
    return mask


def concatenate(arrays: Sequence[np.ndarray], size: int, value: float = 0, empty: Maker = np.empty) -> np.ndarray:
    """Join arrays along their first axis.

    Args:
        arrays: arrays of one type that differ in their first axis alone.
        size: how many rows the result has; what is more is cut.
        value: what fills the rows that remain.
        empty: makes the array of rows.

    Returns:
        Array of shape (size, \\*S).
    """
    out = empty((size, *arrays[0].shape[1:]), arrays[0].dtype)
    total = sum([len(array) for array in arrays])
    if total > size:
        out[:] = np.concatenate(arrays)[:size]
    else:
        np.concatenate(arrays, out=out[:total])
        out[total:] = value
    return out


def sample_numbers(offsets: np.ndarray, size: int) -> np.ndarray:
    """Return to which array each of the rows belongs that :func:`concatenate` joined.

    Args:
        offsets: where the rows of each begin, and where the last ones end, of shape (B + 1,).
        size: how many rows there are.

    Returns:
        Array of shape (size,), int64; B for the rows that fill.
    """
    count = len(offsets) - 1
    return np.repeat(np.arange(count + 1), np.append(np.diff(offsets), size - offsets[-1]))
