"""Layer normalisation of sums of two branches that products of 16 or 8 bits read: float32 and words, on the CPU."""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last.forms import BFLOAT16
from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import compiled, threads
from core.kernels.layers.narrow.rows import narrow_rows
from core.kernels.layers.normalization import add_rows, apply_moments, row_moments

_ROWS_TOGETHER = 16


def add_and_normalize_narrow(
    x: np.ndarray,
    y: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    *,
    epsilon: float,
    keep: bool,
    written: int,
    written_scale: float,
    written_zero_point: int,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the normalised rows of x + y, in float32 and in words, and, where ``keep``, the sum.

    Args:
        x, y: (..., n), n a multiple of LANES.
        scale, shift: (n,).
        epsilon: Added to the variance.
        keep: Whether the sum is a result too.
        written: The form of the words, bfloat16 or bytes.
        written_scale, written_zero_point: Of bytes, theirs.
        out: (result (..., n), words (..., words of n)), and the sum.
    """
    rows, marker = (-1, x.shape[-1]), np.empty(0, np.uint16 if written == BFLOAT16 else np.uint8)
    result, words = out[0].reshape(rows), out[1].reshape(-1, out[1].shape[-1])
    total = out[2].reshape(rows) if keep else np.empty((0, 0), np.float32)
    grid = (np.float32(1 / written_scale), np.float32(written_zero_point))
    _normalize(marker, x.reshape(rows), y.reshape(rows), scale, shift, np.float32(epsilon), result, words, total, *grid)


@compiled
def _normalize(
    marker: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    epsilon: float,
    result: np.ndarray,
    words: np.ndarray,
    total: np.ndarray,
    inverse: float,
    zero: float,
) -> None:
    rows, width, line = x.shape[0], x.shape[1], words.shape[1]
    flat, narrow = result.reshape(-1), words.reshape(-1)
    for block in threads((rows + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER):
        for r in range(block * _ROWS_TOGETHER, min(rows, (block + 1) * _ROWS_TOGETHER)):
            row = result[r]
            add_rows(x[r], y[r], row)
            if total.size:
                add_rows(x[r], y[r], total[r])
            mean, deviation = row_moments(row, epsilon)
            apply_moments(row, mean, np.float32(1) / deviation, scale, shift, row)
            narrow_rows(marker, flat, narrow, r * width, r * line, width // LANES, inverse, zero)
