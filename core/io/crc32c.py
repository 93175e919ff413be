"""CRC-32C (Castagnoli) of bytes, computed for many parts at once in NumPy; and its masked form, as TFRecord stores it.

G. Castagnoli, S. Braeuer, M. Herrmann, "Optimization of cyclic redundancy-check codes with 24 and 32 parity bits", IEEE
Transactions on Communications 41 (6), 1993; RFC 3720, appendix B.4, has examples.
"""

from __future__ import annotations

import functools

import numpy as np

POLYNOMIAL = 0x82F63B78
"""With the lowest power in the highest bit."""

PART = 128
"""Bytes of a part."""


@functools.lru_cache(maxsize=1)
def _table() -> np.ndarray:
    """Return what each byte does to a remainder, uint32 (256,)."""
    values = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        values = np.where(values & 1, (values >> 1) ^ np.uint32(POLYNOMIAL), values >> 1)
    return values


@functools.lru_cache(maxsize=64)
def _behind(level: int) -> np.ndarray:
    """Return what PART * 2**level zero bytes do to a remainder, by its bytes: uint32 (4, 256)."""
    if level:
        before = _behind(level - 1)
        return _applied(before, before)
    remainders = np.stack([np.arange(256, dtype=np.uint32) << np.uint32(8 * place) for place in range(4)])
    table = _table()
    for _ in range(PART):
        remainders = (remainders >> np.uint32(8)) ^ table[remainders & 0xFF]
    return remainders


def _applied(operator: np.ndarray, remainders: np.ndarray) -> np.ndarray:
    """Return what an operator, by bytes, makes of remainders of any shape."""
    parts = [operator[place][(remainders >> np.uint32(8 * place)) & 0xFF] for place in range(4)]
    return parts[0] ^ parts[1] ^ parts[2] ^ parts[3]


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of bytes, from 0 to 2**32 - 1."""
    table = _table()
    if len(data) < PART:
        remainder = 0xFFFFFFFF
        for byte in data:
            remainder = (remainder >> 8) ^ int(table[(remainder ^ byte) & 0xFF])
        return remainder ^ 0xFFFFFFFF
    levels = (-(-len(data) // PART) - 1).bit_length()
    parts = np.zeros((1 << levels, PART), np.uint8)  # zeros in front of the data change nothing
    flat = parts.reshape(-1)[-len(data) :]
    flat[:] = np.frombuffer(data, np.uint8)
    flat[:4] ^= 0xFF  # the remainder that a CRC begins with
    remainders = np.zeros(len(parts), np.uint32)
    for place in range(PART):
        remainders = (remainders >> np.uint32(8)) ^ table[(remainders ^ parts[:, place]) & 0xFF]
    for level in range(levels):
        remainders = _applied(_behind(level), remainders[0::2]) ^ remainders[1::2]
    return int(remainders[0]) ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """Return the CRC-32C as TFRecord files have it: turned by 15 bits, plus a constant."""
    value = crc32c(data)
    return (((value >> 15) | (value << 17)) + 0xA282EAD8) & 0xFFFFFFFF
