"""Attention to what a search keeps, against NumPy: rows that continue others, a memory that rows share; refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from core.operators.sequences.kept_attention import attend_to_kept, attend_to_memory, follow_parents

T = core.to_tensor
RNG = np.random.default_rng(8)


def draw(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype("float32")


def attended(query: np.ndarray, keys: np.ndarray, values: np.ndarray, added: Any = 0.0) -> np.ndarray:
    """Return what one query (H · D) finds among keys and values (S, H · D), of two heads."""
    parts = []
    for q, k, v in zip(*(np.split(one.astype("float64"), 2, axis=-1) for one in (query, keys, values))):
        scores = k @ q / np.sqrt(q.size) + added
        shares = np.exp(scores - scores.max())
        parts.append(shares / shares.sum() @ v)
    return np.concatenate(parts)


def test_rows_that_continue_others_find_their_keys_and_values() -> None:
    rows, steps, width = 3, 5, 6
    histories: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in range(rows)]
    kept = (core.zeros([rows, steps, width]), core.zeros([rows, steps, width]))
    sources = T(np.tile(np.arange(rows)[:, None], (1, steps)))
    for time in range(steps):
        query, key, value = draw(rows, width), draw(rows, width), draw(rows, width)
        now = T(np.array([time]))
        found, kept = attend_to_kept(T(query), T(key), T(value), kept, sources, now, 2)
        for r in range(rows):
            histories[r] = [*histories[r], (key[r], value[r])]
            keys, values = (np.stack(one) for one in zip(*histories[r]))
            np.testing.assert_allclose(found.numpy()[r], attended(query[r], keys, values), atol=2e-6)
        parents = RNG.integers(0, rows, rows)
        histories = [histories[parent] for parent in parents]
        sources = follow_parents(sources, T(parents), now)


def test_rows_share_a_memory() -> None:
    query, keys, values, added = draw(6, 4), draw(2, 7, 4), draw(2, 7, 4), draw(2, 7)
    added[1, 3:] = -10000.0
    found = attend_to_memory(T(query), T(keys), T(values), T(added), 2).numpy()
    for r in range(6):
        n = r // 3
        np.testing.assert_allclose(found[r], attended(query[r], keys[n], values[n], added[n]), atol=2e-6)


def test_what_does_not_fit_is_refused() -> None:
    x, kept = core.zeros([2, 4]), core.zeros([2, 3, 4])
    sources, now = core.zeros([2, 3], "int64"), core.zeros([1], "int64")
    with pytest.raises(OperatorError, match=r"attend_to_kept: .* do not fit each other: .*float32\[2, 4\], .*"):
        attend_to_kept(x, x, core.zeros([3, 4]), (kept, kept), sources, now, 2)
    with pytest.raises(OperatorError, match="attend_to_kept: .* do not fit"):
        attend_to_kept(x, x, x, (kept, kept), sources, now, 3)
    with pytest.raises(OperatorError, match="attend_to_memory: .* do not fit"):
        attend_to_memory(core.zeros([3, 4]), kept, kept, core.zeros([2, 3]), 2)
    with pytest.raises(OperatorError, match="follow_parents: .* do not fit"):
        follow_parents(sources, core.zeros([3], "int64"), now)
    with pytest.raises(OperatorError, match="attend_to_kept: step 3 is beyond the 3"):
        attend_to_kept(x, x, x, (kept, kept), sources, now + 3, 2)
