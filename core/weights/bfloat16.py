"""bfloat16 in numpy, which has no such type: its bits in uint16, or its value in float32."""

from __future__ import annotations

import numpy


def widen(bits: numpy.ndarray) -> numpy.ndarray:
    """Return the values of bfloat16 numbers.

    Args:
        bits: uint16; a bfloat16 number is the upper half of a float32.

    Returns:
        float32 of the same shape; exact.
    """
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)
