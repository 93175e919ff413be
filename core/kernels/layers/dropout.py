"""Dropout in one pass: what is dropped follows from a key and an element's place, so that no mask need be kept.

The random numbers are Philox 4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011,
https://doi.org/10.1145/2063384.2063405: the same for any number of threads, and drawn again for the gradient. Float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads

_U = np.uint64
_MASK, _HALF = _U(0xFFFFFFFF), _U(32)
_FIRST, _SECOND = _U(0xD2511F53), _U(0xCD9E8D57)
_FIRST_STEP, _SECOND_STEP = _U(0x9E3779B9), _U(0xBB67AE85)
_BLOCKS = 256
_CHUNK = 4 * _BLOCKS
"""Elements that 256 blocks of four random words decide on: the words of one place lie side by side."""

_TASK = 16
_ZERO = np.float32(0)


def drop(x: np.ndarray, key: np.ndarray, *, p: float, scale: float, out: np.ndarray) -> None:
    """Write x * scale, or 0 with probability p.

    Args:
        x: of any shape.
        key: int32 (2,), which the random numbers follow from.
        p: probability of dropping, in [0, 1).
        scale: of what is kept.
        out: memory for the result.
    """
    limit = min(round(p * 2**32), 2**32 - 1)
    given = (_U(np.uint32(key[0])), _U(np.uint32(key[1])), _U(limit), np.float32(scale))
    _drop(x.reshape(-1), *given, out.reshape(-1))


@compiled
def _drop(x, first, second, limit, scale, out):
    chunks = (x.size + _CHUNK - 1) // _CHUNK
    for task in threads((chunks + _TASK - 1) // _TASK):
        for chunk in range(task * _TASK, min(chunks, (task + 1) * _TASK)):
            start = chunk * _CHUNK
            if start + _CHUNK <= x.size:
                _chunk(x[start : start + _CHUNK], _U(chunk * _BLOCKS), first, second, limit, scale, out[start:])
            else:
                count = x.size - start
                padded, made = np.zeros(_CHUNK, np.float32), np.empty(_CHUNK, np.float32)
                for i in range(count):
                    padded[i] = x[start + i]
                _chunk(padded, _U(chunk * _BLOCKS), first, second, limit, scale, made)
                for i in range(count):
                    out[start + i] = made[i]


@serial
def _chunk(x, block, first, second, limit, scale, out):
    for i in range(_BLOCKS):
        a, b, c, d = _words(block + _U(i), first, second)
        out[i] = x[i] * scale if a >= limit else _ZERO
        out[_BLOCKS + i] = x[_BLOCKS + i] * scale if b >= limit else _ZERO
        out[2 * _BLOCKS + i] = x[2 * _BLOCKS + i] * scale if c >= limit else _ZERO
        out[3 * _BLOCKS + i] = x[3 * _BLOCKS + i] * scale if d >= limit else _ZERO


@serial
def _words(block: Any, first: Any, second: Any) -> Any:
    """Return the four words of a block."""
    words = (block & _MASK, block >> _HALF, _U(0), _U(0))
    words, first, second = _round(words, first, second)
    words, first, second = _round(words, first, second)
    words, first, second = _round(words, first, second)
    words, first, second = _round(words, first, second)
    words, first, second = _round(words, first, second)
    words, first, second = _round(words, first, second)
    words, first, second = _round(words, first, second)
    words, first, second = _round(words, first, second)
    words, first, second = _round(words, first, second)
    words, first, second = _round(words, first, second)
    return words


@serial
def _round(words: Any, first: Any, second: Any) -> Any:
    a, b, c, d = words
    low, high = _FIRST * a, _SECOND * c
    words = ((high >> _HALF) ^ b ^ first, high & _MASK, (low >> _HALF) ^ d ^ second, low & _MASK)
    return words, (first + _FIRST_STEP) & _MASK, (second + _SECOND_STEP) & _MASK
