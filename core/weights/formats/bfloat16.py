"""bfloat16 in numpy, which has no such type: its bits in uint16, or its value in float32."""

from __future__ import annotations

from collections.abc import Container, Mapping

import numpy


def upcast(bits: numpy.ndarray) -> numpy.ndarray:
    """Return the values of bfloat16 numbers.

    Args:
        bits: uint16; a bfloat16 number is the upper half of a float32.

    Returns:
        float32 of the same shape; exact.
    """
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


def upcast_named(arrays: Mapping[str, numpy.ndarray], names: Container[str]) -> dict[str, numpy.ndarray]:
    """Return arrays with those of bfloat16 as float32; an array that is under several names is widened once.

    Args:
        arrays: name to array.
        names: the names of the uint16 arrays that hold bfloat16.
    """
    made: dict[int, numpy.ndarray] = {}
    for name, array in arrays.items():
        if name in names and id(array) not in made:
            made[id(array)] = upcast(array)
    return {name: made[id(array)] if name in names else array for name, array in arrays.items()}
