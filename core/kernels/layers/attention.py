"""Scaled dot-product attention in one call, forward and backward, float32 on the CPU.

Each thread takes whole heads. Of the scores only a block of queries exists at a time, in the thread's cache; the
backward pass computes them again. What is right is defined by :mod:`core.kernels.layers.attention_reference`.

Shapes: query (B, Q, H, D), key and value (B, K, H, D), read where they stand; mask (B, H, Q, K), added to the scores,
any of its sizes may be 1; statistics (B, H, Q, 2), the largest score of a query and 1 / the sum of exp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads, vectorized
from core.kernels.layers.attention_rows import hide, soften
from core.kernels.numeric.products import multiply_panel, pack, pack_transposed
from core.kernels.numeric.smooth import exp
from core.kernels.numeric.tiles import COLUMNS

_F = np.float32
_ZERO, _LOWEST, _HIDDEN = _F(0), _F(-87), _F(-1e30)
_SCORES_AT_ONCE = 2**16
_NO_MASK = np.empty((0, 0, 0, 0), np.float32)


def attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *others: np.ndarray,
    masked: bool,
    causal: bool,
    dropout: float,
    out: tuple[np.ndarray, np.ndarray],
) -> None:
    """Write softmax(q · kᵀ / sqrt(D) + mask) · v of every head, and the statistics.

    Args:
        query, key, value: See above.
        *others: The mask, where ``masked``; a seed (1,), where ``dropout`` is not 0.
        masked: Whether there is a mask.
        causal: Whether a query sees only keys at its own place and before.
        dropout: Probability of dropping a weight.
        out: (result (B, Q, H, D), statistics).
    """
    mask, seed = _optional(others, masked)
    mask = mask if masked else np.zeros((1, 1, 1, 1), np.float32)
    batch, queries, heads, _ = query.shape
    block = _rows_at_once(queries, key.shape[1])
    blocks = (queries + block - 1) // block
    parts = min(blocks, -(-4 * number_of_threads() // (batch * heads)))
    _forward(query, key, value, mask, seed, causal, dropout, *out, block, parts, number_of_threads())


def attention_gradients(
    gradient: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    result: np.ndarray,
    statistics: np.ndarray,
    *others: np.ndarray,
    masked: bool,
    causal: bool,
    dropout: float,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Write the gradients of (query, key, value) of :func:`attention`."""
    mask, seed = _optional(others, masked)
    given = (gradient, query, key, value, result, statistics, mask, seed, causal, dropout)
    _backward(*given, *out, _rows_at_once(query.shape[1], key.shape[1]), number_of_threads())


def attention_keep(seed: np.ndarray, query: np.ndarray, key: np.ndarray, *, dropout: float, out: np.ndarray) -> None:
    """Write what :func:`attention` multiplies the weights with: 0 for those that it drops (B, H, Q, K)."""
    _keep(np.uint32(seed[0]), dropout, out)


def _optional(others: tuple[np.ndarray, ...], masked: bool) -> tuple[np.ndarray, Any]:
    mask = others[0] if masked else _NO_MASK
    return mask, np.uint32(others[-1][0] if len(others) > masked else 0)


def _rows_at_once(queries: int, keys: int) -> int:
    return min(queries, max(24, min(128, _SCORES_AT_ONCE // keys)))


@compiled
def _forward(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray,
    seed: Any,
    causal: bool,
    dropout: float,
    result: np.ndarray,
    statistics: np.ndarray,
    block: int,
    parts: int,
    workers: int,
) -> None:
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _share_forward(query, key, value, mask, seed, causal, dropout, result, statistics, block, parts, counter)


@serial
def _share_forward(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray,
    seed: Any,
    causal: bool,
    dropout: float,
    result: np.ndarray,
    statistics: np.ndarray,
    block: int,
    parts: int,
    counter: np.ndarray,
) -> None:
    """Compute what one thread gets."""
    given = (query, key, value, mask, seed, causal, dropout, result, statistics, block)
    task = taken(counter)
    while task < query.shape[0] * query.shape[2] * parts:
        _head_forward(*given, task // parts, task % parts, parts)
        task = taken(counter)


@serial
def _head_forward(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray,
    seed: Any,
    causal: bool,
    dropout: float,
    result: np.ndarray,
    statistics: np.ndarray,
    block: int,
    pair: int,
    part: int,
    parts: int,
) -> None:
    """Compute one part of the queries of one head of one element of the batch."""
    _, queries, heads, size = query.shape
    keys = key.shape[1]
    row, line, width = heads * size, _padded(keys), _padded(size)
    blocks = (queries + block - 1) // block
    b, h = pair // heads, pair % heads
    at = b * keys * row + h * size
    keys_panels, values_panels = np.empty(line * size, np.float32), np.empty(width * keys, np.float32)
    pack_transposed(key.reshape(-1), at, row, size, keys, keys_panels)
    pack(value.reshape(-1), at, row, keys, size, values_panels)
    scores, hidden = np.empty(block * line, np.float32), np.empty(line, np.float32)
    scale, fixed = _F(1 / np.sqrt(size)), mask.shape[2] == 1 and not causal
    hide(mask, b, h, 0, keys, causal, hidden)
    kept = statistics.reshape(-1)
    for group in range(blocks * part // parts, blocks * (part + 1) // parts):
        first = group * block
        rows = min(block, queries - first)
        start = (b * queries + first) * row + h * size
        _multiply(query.reshape(-1), start, row, 1, keys_panels, size, scores, 0, line, rows, line, False)
        for r in range(rows):
            i = first + r
            if not fixed:
                hide(mask, b, h, i, keys, causal, hidden)
            place = 2 * (pair * queries + i)
            soften(scores, r * line, line // COLUMNS, scale, hidden, kept, place, dropout == 0)
            if dropout > 0:
                share, key = statistics[b, h, i, 1] / _F(1 - dropout), _row_key(seed, pair, i)
                _drop(scores[r * line : (r + 1) * line], share, key, _limit(dropout))
        _multiply(scores, 0, line, 1, values_panels, keys, result.reshape(-1), start, row, rows, size, False)


@compiled
def _backward(
    gradient: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    result: np.ndarray,
    statistics: np.ndarray,
    mask: np.ndarray,
    seed: Any,
    causal: bool,
    dropout: float,
    grad_query: np.ndarray,
    grad_key: np.ndarray,
    grad_value: np.ndarray,
    block: int,
    workers: int,
) -> None:
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        given = (gradient, query, key, value, result, statistics, mask, seed, causal, dropout)
        _share_backward(*given, grad_query, grad_key, grad_value, block, counter)


@serial
def _share_backward(
    gradient: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    result: np.ndarray,
    statistics: np.ndarray,
    mask: np.ndarray,
    seed: Any,
    causal: bool,
    dropout: float,
    grad_query: np.ndarray,
    grad_key: np.ndarray,
    grad_value: np.ndarray,
    block: int,
    counter: np.ndarray,
) -> None:
    """Compute what one thread gets."""
    given = (gradient, query, key, value, result, statistics, mask, seed, causal, dropout)
    pair = taken(counter)
    while pair < query.shape[0] * query.shape[2]:
        _head_backward(*given, grad_query, grad_key, grad_value, block, pair)
        pair = taken(counter)


@serial
def _head_backward(
    gradient: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    result: np.ndarray,
    statistics: np.ndarray,
    mask: np.ndarray,
    seed: Any,
    causal: bool,
    dropout: float,
    grad_query: np.ndarray,
    grad_key: np.ndarray,
    grad_value: np.ndarray,
    block: int,
    pair: int,
) -> None:
    """Compute the gradients of one head of one element of the batch."""
    _, queries, heads, size = query.shape
    keys = key.shape[1]
    row, line, width = heads * size, _padded(keys), _padded(size)
    scale = _F(1 / np.sqrt(size))
    b, h = pair // heads, pair % heads
    at = b * keys * row + h * size
    across, down = np.empty(line * size, np.float32), np.empty(width * keys, np.float32)
    values_across = np.empty(line * size, np.float32)
    pack_transposed(key.reshape(-1), at, row, size, keys, across)
    pack(key.reshape(-1), at, row, keys, size, down)
    pack_transposed(value.reshape(-1), at, row, size, keys, values_across)
    weights, slopes = np.empty(block * line, np.float32), np.empty(block * line, np.float32)
    of_block = np.empty(width * block, np.float32)
    for first in range(0, queries, block):
        rows, again = min(block, queries - first), first > 0
        place = (b * queries + first) * row + h * size
        _multiply(query.reshape(-1), place, row, 1, across, size, weights, 0, line, rows, line, False)
        _multiply(gradient.reshape(-1), place, row, 1, values_across, size, slopes, 0, line, rows, line, False)
        for r in range(rows):
            i = first + r
            whole, slope = weights[r * line : (r + 1) * line], slopes[r * line : (r + 1) * line]
            _scale(whole, keys, scale, mask, b, h, i, causal)
            _exponentials(whole, statistics[b, h, i, 0])
            _times(whole, statistics[b, h, i, 1])
            along = _dot(gradient[b, i, h], result[b, i, h])
            if dropout > 0:
                given = (_row_key(seed, pair, i), _limit(dropout), _F(1 / (1 - dropout)))
                _slopes_dropped(whole, slope, along, scale, *given)
            else:
                _slopes(whole, slope, along, scale)
        _multiply(slopes, 0, line, 1, down, keys, grad_query.reshape(-1), place, row, rows, size, False)
        pack(gradient.reshape(-1), place, row, rows, size, of_block)
        _multiply(weights, 0, 1, line, of_block, rows, grad_value.reshape(-1), at, row, keys, size, again)
        pack(query.reshape(-1), place, row, rows, size, of_block)
        _multiply(slopes, 0, 1, line, of_block, rows, grad_key.reshape(-1), at, row, keys, size, again)


@compiled
def _keep(seed: Any, dropout: float, keep: np.ndarray) -> None:
    batch, heads, queries, keys = keep.shape
    kept = _F(1 / (1 - dropout))
    for pair in threads(batch * heads):
        for i in range(queries):
            key, row = _row_key(seed, pair, i), keep[pair // heads, pair % heads, i]
            for j in range(keys):
                row[j] = kept if _mixed(key, j) >= _limit(dropout) else _ZERO


@serial
def _padded(width: int) -> int:
    return (width + COLUMNS - 1) // COLUMNS * COLUMNS


@serial
def _multiply(
    left: np.ndarray,
    start: int,
    row: int,
    step: int,
    right: np.ndarray,
    depth: int,
    result: np.ndarray,
    place: int,
    line: int,
    rows: int,
    width: int,
    add: bool,
) -> None:
    """Multiply by all panels of a matrix of ``width`` columns, see multiply_panel."""
    for c in range(0, width, COLUMNS):
        given = (left, start, row, step, right, c * depth, depth)
        multiply_panel(*given, result, place + c, line, rows, min(COLUMNS, width - c), add)


@vectorized
def _scale(
    scores: np.ndarray, keys: int, scale: Any, mask: np.ndarray, b: int, h: int, i: int, causal: bool
) -> None:
    """Scale and mask the scores of a query; what fills the line up becomes -infinity."""
    if mask.size:
        added = mask[min(b, mask.shape[0] - 1), min(h, mask.shape[1] - 1), min(i, mask.shape[2] - 1)]
        wide = added.size == keys
        for j in range(keys):
            scores[j] = scores[j] * scale + added[j if wide else 0]
    else:
        for j in range(keys):
            scores[j] *= scale
    if causal:
        for j in range(i + 1, keys):
            scores[j] += _HIDDEN
    for j in range(keys, scores.size):
        scores[j] = -np.inf


@vectorized
def _exponentials(x: np.ndarray, highest: Any) -> Any:
    """Replace x by exp(x - highest) and return the sum."""
    total = _ZERO
    for j in range(x.size):
        below = x[j] - highest
        power = _ZERO if below < _LOWEST else exp(below)
        x[j] = power
        total += power
    return total


@vectorized
def _times(x: np.ndarray, factor: Any) -> None:
    for j in range(x.size):
        x[j] *= factor


@vectorized
def _dot(x: np.ndarray, y: np.ndarray) -> Any:
    total = _ZERO
    for j in range(x.size):
        total += x[j] * y[j]
    return total


@vectorized
def _slopes(weights: np.ndarray, slopes: np.ndarray, along: Any, scale: Any) -> None:
    """Turn the gradients of a query's weights into those of its products with the keys."""
    for j in range(weights.size):
        slopes[j] = weights[j] * (slopes[j] - along) * scale


@vectorized
def _slopes_dropped(
    weights: np.ndarray, slopes: np.ndarray, along: Any, scale: Any, key: Any, limit: Any, kept: Any
) -> None:
    """Do what :func:`_slopes` does where weights were dropped, and drop them."""
    for j in range(weights.size):
        keep = kept if _mixed(key, j) >= limit else _ZERO
        slopes[j] = weights[j] * (slopes[j] * keep - along) * scale
        weights[j] *= keep


@vectorized
def _drop(weights: np.ndarray, factor: Any, key: Any, limit: Any) -> None:
    for j in range(weights.size):
        weights[j] = weights[j] * factor if _mixed(key, j) >= limit else _ZERO


@serial
def _limit(dropout: float) -> Any:
    return np.uint32(dropout * 4294967295.0)


@serial
def _row_key(seed: Any, pair: int, i: int) -> Any:
    return _mixed(_mixed(seed, pair), i)


@serial
def _mixed(key: Any, place: int) -> Any:
    """Return 32 bits that depend on a key and a place as if by chance (the end of MurmurHash3, public domain)."""
    x = np.uint32(key + np.uint32(np.uint32(place) * np.uint32(0x9E3779B1)))
    x = np.uint32((x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    x = np.uint32((x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return np.uint32(x ^ (x >> np.uint32(16)))
