"""What every function on graphs checks of its arguments: the kernels below read and write without looking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

_LARGEST_KEY = 2**64 - 1

IDS = (np.dtype(np.int32), np.dtype(np.int64))
INT64 = (np.dtype(np.int64),)
FLOAT32 = (np.dtype(np.float32),)
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def check_array(
    array: Any, owner: str, name: str, dtypes: Sequence[np.dtype], shape: Sequence[Optional[int]]
) -> None:
    """Check that an argument is an array of numpy's with a type and a shape.

    Args:
        array: the argument.
        owner: the function that it is given to, for the message.
        name: the argument's name.
        dtypes: the types that are right.
        shape: how long each axis must be; None: any length.

    Raises:
        TypeError: it is no array.
        ValueError: its type or shape is another one.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{owner}: {name} must be a NumPy array, not {type(array).__name__}")
    fits = array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape))
    if array.dtype not in dtypes or not fits:
        wanted = ", ".join("any" if extent is None else str(extent) for extent in shape)
        names = " or ".join(dtype.name for dtype in dtypes)
        raise ValueError(
            f"{owner}: {name} must be {names} of shape [{wanted}], not {array.dtype} of shape {list(array.shape)}"
        )


def checked_ids(ids: Any, count: int, owner: str, name: str, least: int = 0) -> np.ndarray:
    """Return ids as contiguous int64 after a look at each of them.

    Args:
        ids: integers of one axis.
        count: all ids must be below it.
        owner: the function that they are given to, for the message.
        name: the argument's name.
        least: the smallest id that is right.

    Returns:
        int64 (n,); the array itself where it is that already.

    Raises:
        ValueError: they are no integers of one axis, or one of them is out of range.
    """
    array = np.asarray(ids)
    if array.shape == (0,):
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{owner}: {name} must be integers of one axis, not {array.dtype} of shape {list(array.shape)}"
        )
    lowest, highest = int(array.min()), int(array.max())  # before the type changes: uint64 may hold more than int64
    if lowest < least or highest >= count:
        wrong = lowest if lowest < least else highest
        raise ValueError(f"{owner}: {name} holds {wrong}, which is not from {least} to below {count}")
    return np.ascontiguousarray(array, np.int64)


def checked_integer(value: Any, least: int, owner: str, name: str) -> int:
    """Return an argument that is an integer of at least ``least``, and below 2^63.

    Raises:
        ValueError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value < 2**63:
        raise ValueError(f"{owner}: {name} must be an integer from {least} to below 2^63, not {value!r}")
    return int(value)


def checked_number(value: Any, least: float, most: float, owner: str, name: str) -> float:
    """Return an argument that is a number in a range.

    Raises:
        ValueError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not least <= value <= most:
        raise ValueError(f"{owner}: {name} must be a number from {least:g} to {most:g}, not {value!r}")
    return float(value)


def checked_key(key: Any, owner: str) -> np.uint64:
    """Return what random draws follow from as the 64 bits that kernels take.

    Raises:
        ValueError: it is no integer of 64 bits.
    """
    if isinstance(key, np.uint64):
        return key
    if isinstance(key, bool) or not isinstance(key, (int, np.integer)) or not 0 <= key <= _LARGEST_KEY:
        raise ValueError(f"{owner}: key must be an integer from 0 to 2^64 - 1, as random_key returns it, not {key!r}")
    return np.uint64(key)
