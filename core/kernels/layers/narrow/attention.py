"""Scaled dot-product attention of bfloat16 words, forward, on CPUs that multiply bfloat16.

Each thread takes whole heads, as in :mod:`core.kernels.layers.attention`. Scores, their exponentials and the sums of
both products are float32; the exponentials are rounded to bfloat16 for the second product, and divided by their sum
behind it.

Shapes: query (B, Q, H, D / 2), key and value (B, K, H, D / 2), words of two numbers; mask (B, H, Q, K), added to the
scores, any of its sizes may be 1.
"""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last.forms import FLOAT32, HAS_BFLOAT16_PRODUCTS
from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads
from core.kernels.layers.attention_rows import hide
from core.kernels.layers.narrow.heads import exponentials, pair_rows, write_shares
from core.kernels.layers.narrow.rows import HEAD_COLUMNS, HEAD_HEIGHTS, head_tile
from core.kernels.numeric.transposition import SQUARE, transpose_square

_MARKER = np.empty(0, np.uint16)
_NO_MASK = np.zeros((1, 1, 1, 1), np.float32)
_FEW, _HEIGHT = HEAD_HEIGHTS[1:]
_COLUMNS = HEAD_COLUMNS
_ROWS_AT_ONCE = 64


def can_attend(size: int) -> bool:
    """Return whether the kernel computes heads of so many numbers."""
    return HAS_BFLOAT16_PRODUCTS and size % _COLUMNS == 0


def narrow_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *mask: np.ndarray,
    written: int = FLOAT32,
    written_scale: float = 1.0,
    written_zero_point: int = 0,
    out: np.ndarray,
) -> None:
    """Write softmax(q · kᵀ / sqrt(D) + mask) · v of every head.

    Args:
        query, key, value: See above.
        *mask: The mask, if there is one.
        written: The form of the result.
        written_scale, written_zero_point: Of bytes, those of the result.
        out: (B, Q, H, D), or its words, (B, Q, H, words of D).
    """
    (batch, queries, heads, line), keys = query.shape, key.shape[1]
    pairs = -(-keys // _COLUMNS) * _COLUMNS // 2
    places = [np.arange(_HEIGHT) * (heads * line), np.arange(_HEIGHT) * pairs, np.arange(max(line, pairs))]
    workers, block = number_of_threads(), min(queries, _ROWS_AT_ONCE)
    parts = min(-(-queries // block), -(-4 * workers // (batch * heads)))
    grid = (np.float32(1 / written_scale), np.float32(written_zero_point))
    given = (query, key, value, mask[0] if mask else _NO_MASK, np.concatenate(places))
    _attend(_MARKER, *given, written, out, *grid, block, parts, workers)


@compiled
def _attend(
    marker: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray,
    places: np.ndarray,
    form: int,
    result: np.ndarray,
    inverse: float,
    zero: float,
    block: int,
    parts: int,
    workers: int,
) -> None:
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _share(marker, query, key, value, mask, places, form, result, inverse, zero, block, parts, counter)


@serial
def _share(
    marker: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray,
    places: np.ndarray,
    form: int,
    result: np.ndarray,
    inverse: float,
    zero: float,
    block: int,
    parts: int,
    counter: np.ndarray,
) -> None:
    """Compute what one thread gets."""
    given = (marker, query, key, value, mask, places, form, result, inverse, zero, block)
    task = taken(counter)
    while task < query.shape[0] * query.shape[2] * parts:
        _head(*given, task // parts, task % parts, parts)
        task = taken(counter)


@serial
def _head(
    marker: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray,
    places: np.ndarray,
    form: int,
    result: np.ndarray,
    inverse: float,
    zero: float,
    block: int,
    pair: int,
    part: int,
    parts: int,
) -> None:
    """Compute one part of the queries of one head of one element of the batch."""
    _, queries, heads, depth = query.shape
    keys, size = key.shape[1], 2 * depth
    row, line, width = heads * depth, result.shape[3], heads * result.shape[3]
    panels, b, h = (keys + _COLUMNS - 1) // _COLUMNS, pair // heads, pair % heads
    pairs, nothing = panels * _COLUMNS // 2, panels * depth * _COLUMNS
    at, flat, out = b * keys * row + h * depth, query.reshape(-1), result.reshape(-1)
    across, down = np.empty((panels * depth + 1) * _COLUMNS, np.float32), np.empty((pairs + 1) * size, np.float32)
    _pack_keys(key.reshape(-1), at, row, keys, depth, across)
    _pack_values(value.reshape(-1), at, row, keys, depth, pairs, down)
    scores, weights = np.empty(panels * block * _COLUMNS, np.float32), np.empty(block * pairs, np.float32)
    hidden, shares = np.empty(panels * _COLUMNS, np.float32), np.empty(block, np.float32)
    scale, blocks, fixed = np.float32(1 / np.sqrt(size)), (queries + block - 1) // block, mask.shape[2] == 1
    hide(mask, b, h, 0, keys, False, hidden)
    for group in range(blocks * part // parts, blocks * (part + 1) // parts):
        first = group * block
        rows, start = min(block, queries - first), (b * queries + group * block) * row + h * depth
        r = 0
        while r < rows:
            tile = _height(rows - r)
            for panel in range(panels):
                given = (tile, 0, start + r * row, 2 * _HEIGHT, depth, panel * depth * _COLUMNS, nothing)
                head_tile(marker, flat, across, places, *given, scores, (panel * block + r) * _COLUMNS)
            r += tile
        for r in range(rows):
            if not fixed:
                hide(mask, b, h, first + r, keys, False, hidden)
            total = exponentials(scores, r * _COLUMNS, block * _COLUMNS, panels, scale, hidden, weights, r * pairs)
            shares[r] = np.float32(1) / total
        for panel in range(size // _COLUMNS):
            r = 0
            while r < rows:
                tile = _height(rows - r)
                given = (tile, _HEIGHT, r * pairs, 2 * _HEIGHT, pairs, panel * pairs * _COLUMNS, pairs * size)
                head_tile(marker, weights, down, places, *given, scores, r * _COLUMNS)
                r += tile
            place = (b * queries + first) * width + h * line + ((panel * _COLUMNS) >> form)
            write_shares(scores, rows, shares, form, out, place, width, inverse, zero)


@serial
def _height(rows: int) -> int:
    return _HEIGHT if rows >= _HEIGHT else (_FEW if rows >= _FEW else 1)


@serial
def _pack_keys(key: np.ndarray, at: int, row: int, keys: int, depth: int, panels: np.ndarray) -> None:
    """Write words of the keys, in panels of as many keys as a panel has columns, and a line of 0."""
    for first in range(0, panels.size // depth // _COLUMNS * _COLUMNS, _COLUMNS):
        place, columns = first * depth, min(_COLUMNS, keys - first)
        for c in range(0, columns // SQUARE * SQUARE, SQUARE):
            for k in range(0, depth, SQUARE):
                transpose_square(key, at + (first + c) * row + k, row, panels, place + k * _COLUMNS + c, _COLUMNS)
        for c in range(columns // SQUARE * SQUARE, _COLUMNS):
            for k in range(depth):
                panels[place + k * _COLUMNS + c] = key[at + (first + c) * row + k] if c < columns else 0
    for c in range(panels.size - _COLUMNS, panels.size):
        panels[c] = 0


@serial
def _pack_values(value: np.ndarray, at: int, row: int, keys: int, depth: int, pairs: int, panels: np.ndarray) -> None:
    """Write words of the values of two keys, in panels of columns, and a line of 0."""
    nothing, size = np.zeros(depth, np.float32), 2 * depth
    for pair in range((keys + 1) // 2):
        start = at + 2 * pair * row
        if 2 * pair + 1 < keys:
            pair_rows(value, start, value, start + row, depth, panels, pair * _COLUMNS, pairs * _COLUMNS)
        else:
            pair_rows(value, start, nothing, 0, depth, panels, pair * _COLUMNS, pairs * _COLUMNS)
    for first in range(0, size, _COLUMNS):
        begin = first * pairs + (keys + 1) // 2 * _COLUMNS
        for c in range(begin, (first + _COLUMNS) * pairs):
            panels[c] = 0
    for c in range(pairs * size, panels.size):
        panels[c] = 0
