"""Alias tables: drawing from given probabilities in constant time, one table for each row of weights.

A draw picks an entry of the row evenly and keeps it with the entry's chance; otherwise it takes the entry's other one.
(Walker, "An efficient method for generating discrete random variables with general distributions", 1977; built in
linear time by Vose's method, 1991.)
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads
from core.kernels.graphs.graph_results import AliasTables
from core.kernels.numeric.draws import below, mixed, unit

EMPTY = -1
"""What the other entries of a row without any weight are."""


@serial
def _build(weights, chances, others, waiting):
    """Build one row's table. ``waiting`` holds entries below the mean from its front, the others from its back."""
    count = weights.shape[0]
    total = 0.0
    for i in range(count):
        total += weights[i]
    if total <= 0:
        chances[:] = 0
        others[:] = EMPTY
        return
    scale = count / total
    small, large = 0, count
    for i in range(count):
        others[i] = i
        chances[i] = weights[i] * scale
        if chances[i] < 1:
            waiting[small] = i
            small += 1
        else:
            large -= 1
            waiting[large] = i
    while small > 0 and large < count:
        small -= 1
        low, high = waiting[small], waiting[large]
        others[low] = high
        chances[high] -= 1 - chances[low]
        if chances[high] < 1:
            large += 1
            waiting[small] = high
            small += 1
    while small > 0:  # only rounding left these below 1
        small -= 1
        chances[waiting[small]] = 1
    while large < count:
        chances[waiting[large]] = 1
        large += 1


@compiled
def _build_rows(indptr, weights, chances, others, parts):
    rows = indptr.shape[0] - 1
    for part in threads(parts):
        first, last = rows * part // parts, rows * (part + 1) // parts
        longest = 0
        for row in range(first, last):
            longest = max(longest, indptr[row + 1] - indptr[row])
        waiting, exact = np.empty(longest, np.int64), np.empty(longest, np.float64)
        for row in range(first, last):
            start, end = indptr[row], indptr[row + 1]
            _build(weights[start:end], exact[: end - start], others[start:end], waiting)
            for i in range(end - start):
                chances[start + i] = exact[i]


def alias_tables(weights: np.ndarray, indptr: Optional[np.ndarray] = None) -> AliasTables:
    """Build alias tables in linear time.

    Args:
        weights: float (entries,), finite and ≥ 0, checked by the caller. A row of zeros can not be drawn from.
        indptr: int64 (rows + 1,): where each row begins; None: there is one row.

    Returns:
        float32 chances and int32 others, each (entries,).
    """
    rows = np.array([0, weights.shape[0]], np.int64) if indptr is None else indptr
    chances, others = np.empty(weights.shape[0], np.float32), np.empty(weights.shape[0], np.int32)
    _build_rows(rows, weights.astype(np.float64), chances, others, min(rows.shape[0] - 1, number_of_threads() * 8))
    return AliasTables(chances, others)


@compiled
def _draw(chances, others, key, result):
    for i in threads(result.shape[0]):
        draw = mixed(key, i)
        choice = below(draw, chances.shape[0])
        result[i] = choice if unit(mixed(draw, 0)) < chances[choice] else others[choice]


def draw_alias(tables: AliasTables, count: int, key: np.uint64) -> np.ndarray:
    """Draw entries of the only row of tables.

    Args:
        tables: From :func:`alias_tables`, of at least one entry.
        count: How many draws.
        key: What they follow from.

    Returns:
        int64 (count,).
    """
    result = np.empty(count, np.int64)
    _draw(tables.chances, tables.others, key, result)
    return result


def alias_probabilities(tables: AliasTables) -> np.ndarray:
    """Return what :func:`draw_alias` draws each entry with, float64: the definition of a table, in plain numpy."""
    kept = tables.chances.astype(np.float64)
    return (kept + np.bincount(tables.others, 1 - kept, minlength=kept.size)) / kept.size
