"""Draws in plain Python, written from the paper: SplitMix64 (Steele, Lea and Flood, 2014)."""

from __future__ import annotations

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15

Rows = list[list[int]]
"""The neighbours of each node."""


def bits(key: int, place: int) -> int:
    """Return the generator's output number ``place`` when it starts from a key."""
    z = (key + (place + 1) * GOLDEN) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def key_of(*numbers: int) -> int:
    """Return the key of some numbers, each the place of an output from the one before."""
    key = 0
    for number in numbers:
        key = bits(key, number)
    return key


def unit(drawn: int) -> float:
    """Return 64 bits as a number from 0 to below 1."""
    return (drawn >> 11) / 2**53


def below(drawn: int, bound: int) -> int:
    """Return 64 bits as an integer from 0 to below a bound."""
    return int(unit(drawn) * bound)
