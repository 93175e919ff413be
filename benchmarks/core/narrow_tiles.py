"""The bare products of tiles whose data are in the cache, in float32, bfloat16 and bytes."""

from __future__ import annotations

import time

import numpy as np

from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, HAS_BFLOAT16_PRODUCTS
from core.kernels.channels_last.narrow_tiles import dot_tile
from core.kernels.channels_last.tiles import HEIGHT, VECTORS, product_tile
from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import serial

FORMS = {"float32": FLOAT32, **({"bfloat16": BFLOAT16} if HAS_BFLOAT16_PRODUCTS else {}), "int8": BYTES}
_DEPTH, _TIMES, _RESULT = 256, 2000, 1 << 14
_LOWEST, _HIGHEST = np.float32(-np.inf), np.float32(np.inf)
_PLACES = np.concatenate([np.arange(HEIGHT) * _DEPTH, np.arange(_DEPTH), np.arange(HEIGHT) * VECTORS * LANES])
_ARRAYS = np.zeros(1 << 15, np.float32), np.zeros(1 << 15, np.float32), _PLACES


@serial
def _wide(memory: np.ndarray, weights: np.ndarray, places: np.ndarray) -> None:
    results = (_RESULT, HEIGHT + _DEPTH, 0, -1, _LOWEST, _HIGHEST)
    for _ in range(_TIMES):
        product_tile(memory, weights, places, VECTORS, HEIGHT, 0, 0, HEIGHT, _DEPTH, VECTORS * LANES, 0, *results)


@serial
def _narrow(marker: np.ndarray, memory: np.ndarray, weights: np.ndarray, places: np.ndarray) -> None:
    for _ in range(_TIMES):
        given = (VECTORS, HEIGHT, 0, 0, HEIGHT, _DEPTH, VECTORS * LANES, 0, _RESULT)
        dot_tile(marker, memory, weights, places, *given)


def operations(form: int) -> int:
    """Return how many multiplications and additions :func:`seconds` does."""
    return 2 * HEIGHT * VECTORS * LANES * (_DEPTH << form) * _TIMES


def seconds(form: int) -> float:
    """Return the processor time of many tiles."""
    began = time.process_time()
    if form == FLOAT32:
        _wide(*_ARRAYS)
    else:
        _narrow(np.empty(0, np.uint16 if form == BFLOAT16 else np.uint8), *_ARRAYS)
    return time.process_time() - began
