"""Keys, alias tables and negatives against plain Python, and one line for each wrong argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.graphs import Adjacency, AliasTables, alias_tables, draw_alias, draw_negatives, random_key
from tests.core.graphs import plain
from tests.core.graphs.samples import graph

KEY = random_key(3)
WEIGHTS = np.array([1.0, 0.0, 5.0, 2.0])


def chances(tables: AliasTables, first: int, last: int) -> list[float]:
    """Return the chance of each entry of a row, by what a draw does."""
    size = last - first
    found = [0.0] * size
    for entry in range(size):
        kept = float(tables.chances[first + entry])
        found[entry] += kept / size
        found[int(tables.others[first + entry])] += (1 - kept) / size
    return found


@pytest.mark.parametrize("numbers", [(0,), (5, 1), (2**62, 0, 7), (-1,), (2**64 - 1, 3)])
def test_keys_are_those_of_splitmix(numbers: tuple[int, ...]) -> None:
    key = random_key(*numbers)
    assert isinstance(key, np.uint64) and int(key) == plain.key_of(*numbers)


def test_a_key_follows_from_integers() -> None:
    assert random_key(np.int32(5), np.int64(1)) == random_key(5, 1) != random_key(1, 5)
    for wrong in (1.0, "1", None):
        with pytest.raises(TypeError) as caught:
            random_key(1, wrong)  # type: ignore[arg-type]
        assert str(caught.value) == f"random_key: keys follow from integers, not from (1, {wrong!r})"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tables_hold_the_weights(dtype: Any) -> None:
    tables = alias_tables(WEIGHTS.astype(dtype))
    np.testing.assert_allclose(chances(tables, 0, 4), WEIGHTS / 8, atol=1e-7)
    rows = alias_tables(np.array([1, 3, 2, 0, 0], dtype), np.array([0, 2, 3, 5]))
    np.testing.assert_allclose(chances(rows, 0, 2), [0.25, 0.75], atol=1e-7)
    assert chances(rows, 2, 3) == [1.0] and rows.others[3:].tolist() == [-1, -1]


def test_draws_follow_from_table_and_key() -> None:
    tables = alias_tables(WEIGHTS)
    expected = []
    for place in range(50):
        drawn = plain.bits(int(KEY), place)
        entry = plain.below(drawn, 4)
        kept = plain.unit(plain.bits(drawn, 0)) < tables.chances[entry]
        expected.append(entry if kept else int(tables.others[entry]))
    found = draw_alias(tables, 50, KEY)
    assert found.tolist() == expected and found.dtype == np.int64 and 1 not in expected
    assert draw_alias(tables, 0, KEY).shape == draw_alias(alias_tables(np.empty(0)), 0, KEY).shape == (0,)


def test_negatives_are_drawn_from_what_is_left() -> None:
    weights = np.array([1.0, 1.0, 0.0, 1.0])
    excluded = graph([[3, 0], [1, 0, 3], []], 4).sorted()
    found = draw_negatives(excluded, [1, 0, 2, 0], 20, weights, alias_tables(weights), KEY)
    assert found.shape == (4, 20) and found.dtype == np.int64
    assert set(found[0]) == {-1} and set(found[1]) == set(found[3]) == {1} and set(found[2]) == {0, 1, 3}


TABLES = alias_tables(WEIGHTS)
NONE = Adjacency(np.zeros(3, np.int64), np.empty(0, np.int64), None, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: alias_tables([1.0]), "alias_tables: weights must be a NumPy array, not list"),
        (
            lambda: alias_tables(np.array([1])),
            "alias_tables: weights must be float32 or float64 of shape [any], not int64 of shape [1]",
        ),
        (lambda: alias_tables(np.array([1, np.nan])), "alias_tables: weights must be finite and not negative"),
        (lambda: alias_tables(np.array([-1.0])), "alias_tables: weights must be finite and not negative"),
        (
            lambda: alias_tables(WEIGHTS, np.array([0, 3])),
            "alias_tables: indptr must rise from 0 to 4, the number of weights",
        ),
        (
            lambda: alias_tables(WEIGHTS, np.array([0, 5, 4])),
            "alias_tables: indptr must rise from 0 to 4, the number of weights",
        ),
        (lambda: draw_alias((1, 2), 1, KEY), "draw_alias: tables must be what alias_tables returns, not tuple"),
        (
            lambda: draw_alias(TABLES._replace(others=np.zeros(3, np.int32)), 1, KEY),
            "draw_alias: tables.others must be int32 of shape [4], not int32 of shape [3]",
        ),
        (lambda: draw_alias(TABLES, -1, KEY), "draw_alias: count must be an integer from 0 to below 2^63, not -1"),
        (
            lambda: draw_alias(TABLES, 1, -1),
            "draw_alias: key must be an integer from 0 to 2^64 - 1, as random_key returns it, not -1",
        ),
        (
            lambda: draw_alias(alias_tables(np.zeros(2)), 1, KEY),
            "draw_alias: the tables have no entry with a weight above 0 to draw",
        ),
        (
            lambda: draw_negatives(NONE, [2], 1, WEIGHTS, TABLES, KEY),
            "draw_negatives: sources holds 2, which is not from 0 to below 2",
        ),
        (
            lambda: draw_negatives(NONE, [0], 1, WEIGHTS[:3], TABLES, KEY),
            "draw_negatives: weights must be float64 of shape [4], not float64 of shape [3]",
        ),
        (
            lambda: draw_negatives(NONE, [0], 1, WEIGHTS, alias_tables(WEIGHTS[:3]), KEY),
            "draw_negatives: tables.chances must be float32 of shape [4], not float32 of shape [3]",
        ),
    ],
)
def test_wrong_arguments_are_one_line(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert str(caught.value) == message
