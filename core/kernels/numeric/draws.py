"""Random numbers that are functions of a key and a place: the same in whatever order, by whatever thread they are made.

A key is 64 bits. The numbers of a key's places 0, 1, 2, … are independent for every practical purpose, and each may be
the key of further numbers. (SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.engine.compiled import serial

_STEP, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_MASK = 2**64 - 1


@serial
def mixed(key: Any, place: int) -> Any:
    """Return the 64 bits that belong to a place under a key."""
    x = np.uint64(key + np.uint64(np.uint64(place) + np.uint64(1)) * _STEP)
    x = np.uint64((x ^ (x >> np.uint64(30))) * _FIRST)
    x = np.uint64((x ^ (x >> np.uint64(27))) * _SECOND)
    return np.uint64(x ^ (x >> np.uint64(31)))


@serial
def unit(bits: Any) -> float:
    """Return 64 bits as a number from 0 to below 1."""
    return float(np.float64(np.int64(bits >> np.uint64(11))) * 2.0**-53)


@serial
def below(bits: Any, bound: int) -> int:
    """Return 64 bits as an integer from 0 to below a bound; no probability is off by more than 2^-53."""
    return int(unit(bits) * bound)


def key_of(*numbers: int) -> np.uint64:
    """Return the key of some integers: a seed, then an epoch, a step, a layer …"""
    key = 0
    for number in numbers:
        key = mixed_reference(key, number)
    return np.uint64(key)


def mixed_reference(key: int, place: int) -> int:
    """The definition of :func:`mixed` in plain Python."""
    x = (int(key) + (place + 1) * int(_STEP)) & _MASK
    x = (x ^ (x >> 30)) * int(_FIRST) & _MASK
    x = (x ^ (x >> 27)) * int(_SECOND) & _MASK
    return x ^ (x >> 31)


def below_reference(bits: int, bound: int) -> int:
    """The definition of :func:`below` in plain Python."""
    return int((bits >> 11) * 2.0**-53 * bound)
