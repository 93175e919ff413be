"""How much may be made of a file: what it claims is compared with its size before memory or disk is taken for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Callable, Optional

MOST_AXES = 32
LONGEST_NUMBER = 4300
"""Decimal digits of an integer in a file, as in Python's own limit; more take a time that grows with their square."""
MOST_ENTRIES = 1_000_000
_UNPACKED_BYTES = 2_000_000_000
_UNPACKED_RATIO = 200


def array_bytes(shape: Sequence[int], itemsize: int) -> int:
    """Return how many bytes an array takes, to be compared with what the file holds.

    Args:
        shape: its extents.
        itemsize: bytes of one element.

    Raises:
        ValueError: no array can have this shape: more than 32 axes, an extent that is negative or beyond 64 bits, or no
            elements although its other extents have more than 64 bits can count.
    """
    if len(shape) > MOST_AXES:
        raise ValueError(f"an array has {len(shape)} axes; at most {MOST_AXES} are possible")
    if any(not 0 <= extent < 1 << 63 for extent in shape):
        raise ValueError("an array has an extent that is negative or beyond 64 bits")
    if 0 not in shape:
        return math.prod(shape) * itemsize
    if math.prod(max(extent, 1) for extent in shape) * itemsize >= 1 << 63:
        raise ValueError("an array without elements has extents beyond 64 bits")
    return 0


def arrays_allowance(size: int) -> int:
    """Return how many bytes the arrays of an uncompressed file may have together: 1.1 times its size and 1 MB.

    Args:
        size: of the file, bytes.
    """
    return size + size // 10 + 1_000_000


class LimitError(ValueError):
    """More comes out of a file than is allowed."""


class UnpackingLimit:
    """Counts what comes out of an archive or a compressed file, and stops it when it is out of proportion.

    Args:
        name: the file, for the message.
        size: returns the file's size in bytes, or how many bytes of it have been read where the size is not known.
        maximum_bytes: how many bytes may come out; None: 2 GB or 200 times the size, whichever is more.

    Raises:
        ValueError: ``maximum_bytes`` is not a positive integer.
    """

    def __init__(self, name: str, size: Callable[[], int], maximum_bytes: Optional[int] = None) -> None:
        if maximum_bytes is not None and (not isinstance(maximum_bytes, int) or maximum_bytes <= 0):
            raise ValueError(f"maximum_bytes must be a positive integer or None, not {maximum_bytes!r}")
        self._name = name
        self._size = size
        self._maximum = maximum_bytes
        self._entries = 0
        self._taken = 0

    def check(self, count: int) -> None:
        """Check a number of bytes that come out altogether.

        Raises:
            LimitError: they are too many.
        """
        allowed = self._maximum
        if allowed is None:
            if count <= _UNPACKED_BYTES:
                return
            allowed = max(_UNPACKED_BYTES, _UNPACKED_RATIO * self._size())
        if count > allowed:
            raise LimitError(
                f"{self._name} unpacks to more than {allowed:,} bytes; if you trust it, pass a larger maximum_bytes"
            )

    def take(self, count: int) -> None:
        """Count an entry of the archive that has so many bytes.

        Raises:
            LimitError: it holds more than 1,000,000 entries, or too many bytes.
        """
        self._entries += 1
        self._taken += count
        if self._entries > MOST_ENTRIES:
            raise LimitError(f"{self._name} holds more than {MOST_ENTRIES:,} entries")
        self.check(self._taken)
