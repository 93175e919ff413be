"""The kernels of message passing against their definitions in numpy, for any shape and number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

import numpy as np
import pytest

from core.kernels.graphs import edge_rows, edge_softmax, edge_work, message_extremes, message_passing
from core.kernels.graphs import message_passing_reference as reference
from core.kernels.graphs.adjacency import compress

RNG = np.random.default_rng(0)
NODES, ROWS, EDGES = 40, 30, 500
SOURCE = RNG.integers(0, NODES - 1, EDGES)
TARGET = np.minimum(RNG.geometric(0.15, EDGES) - 1, ROWS - 1)  # from rows of dozens of edges down to rows of none
INCOMING = compress(TARGET.astype("int32"), SOURCE.astype("int32"), ROWS)
OUTGOING = compress(SOURCE.astype("int32"), TARGET.astype("int32"), NODES)
WIDTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 49, 63, 64, 65, 80, 129, 144)
HEADS = (
    (1, 1),
    (1, 7),
    (1, 64),
    (1, 130),
    (3, 5),
    (8, 8),
    (8, 4),
    (4, 8),
    (4, 16),
    (5, 16),
    (9, 8),
    (2, 70),
    (70, 1),
    (9, 1),
    (3, 1),
)

KINDS = [("float32", 1), ("float32", 2), ("float32", 7), pytest.param("float64", 1, marks=pytest.mark.exhaustive)]


@pytest.fixture(params=[1, 2, 7])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(edge_work, "PARALLEL_ELEMENTS", 0)
    monkeypatch.setattr(edge_work, "number_of_threads", lambda: request.param)
    yield request.param


def drawn(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def filled(kernel: Callable[..., None], shape: Any, *given: Any, dtype: str = "float32") -> np.ndarray:
    """Return what a kernel writes into memory that holds no number."""
    out = np.full(shape, np.nan, dtype)
    kernel(*[item.reshape(-1) if isinstance(item, np.ndarray) else item for item in given], out.reshape(-1))
    return out


def check(got: np.ndarray, expected: np.ndarray) -> None:
    tolerance = 2e-5 if got.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.parametrize(("dtype", "threads"), KINDS, indirect=["threads"])
def test_sums_of_every_width(dtype: str, threads: int) -> None:
    indptr, neighbors, _ = INCOMING
    for width in WIDTHS:
        table = drawn(NODES, width, dtype=dtype)
        for mean in (False, True):
            got = filled(message_passing.gather_sum, (ROWS, width), table, indptr, neighbors, mean, width, dtype=dtype)
            check(got, reference.gather_sum(table, SOURCE, TARGET, ROWS, mean))


def test_sums_of_integers() -> None:
    table, out = np.arange(NODES * 3).reshape(NODES, 3), np.empty((ROWS, 3), np.int64)
    message_passing.gather_sum(table.reshape(-1), *INCOMING[:2], False, 3, out.reshape(-1))
    np.testing.assert_array_equal(out, reference.gather_sum(table, SOURCE, TARGET, ROWS))


@pytest.mark.parametrize(("dtype", "threads"), KINDS, indirect=["threads"])
def test_weighted_sums_and_their_gradients(dtype: str, threads: int) -> None:
    for heads, size in HEADS:
        table, weight = drawn(NODES, heads, size, dtype=dtype), drawn(EDGES, heads, dtype=dtype)
        gradient = drawn(ROWS, heads, size, dtype=dtype)
        numbers = (heads, size)
        got = filled(
            message_passing.gather_multiply_sum, gradient.shape, table, weight, *INCOMING, *numbers, dtype=dtype
        )
        check(got, reference.gather_multiply_sum(table, weight, SOURCE, TARGET, ROWS))
        products = filled(message_passing.dot_ends, weight.shape, table, gradient, *INCOMING, *numbers, dtype=dtype)
        check(products, reference.dot_ends(table, gradient, SOURCE, TARGET))
        flat = [array.reshape(-1) for array in (gradient, table, weight)]
        of_table, of_weight = np.full_like(table, np.nan), np.full_like(weight, np.nan)
        both = (of_table.reshape(-1), of_weight.reshape(-1))
        message_passing.gather_multiply_gradients(*flat, *OUTGOING, *numbers, both)
        check(of_table, reference.gather_multiply_sum(gradient, weight, TARGET, SOURCE, NODES))
        check(of_weight, products)


def test_extremes_and_their_gradients(threads: int) -> None:
    for width in (1, 5, 16, 40):
        table = np.round(drawn(NODES, width) * 3)  # with equal numbers among them
        for largest in (True, False):
            found, winners = np.empty((ROWS, width), np.float32), np.empty((ROWS, width), np.int32)
            out = (found.reshape(-1), winners.reshape(-1))
            message_extremes.gather_extreme(table.reshape(-1), *INCOMING, largest, width, out)
            expected = reference.gather_extreme(table, SOURCE, TARGET, ROWS, largest)
            np.testing.assert_array_equal(found, expected[0])
            np.testing.assert_array_equal(winners, expected[1])
            gradient = drawn(ROWS, width)
            back = filled(message_extremes.sum_of_winners, table.shape, gradient, winners, *OUTGOING, False, width)
            check(back, reference.sum_of_winners(gradient, winners, SOURCE, NODES))
            forth = filled(message_extremes.sum_of_winners, found.shape, table, winners, *INCOMING, True, width)
            np.testing.assert_array_equal(forth, found)


def test_rows_of_edges(threads: int) -> None:
    for width in (1, 3, 8):
        table, sources = drawn(ROWS, width), drawn(NODES, width)
        indptr, _, edge_ids = INCOMING
        got = filled(edge_rows.edge_expand, (EDGES, width), table, indptr, edge_ids, width)
        np.testing.assert_array_equal(got, table[TARGET])
        got = filled(edge_rows.add_ends, (EDGES, width), sources, table, *INCOMING, width)
        np.testing.assert_array_equal(got, sources[SOURCE] + table[TARGET])


def test_softmax_and_its_gradient(threads: int) -> None:
    for heads in (1, 3, 8, 17):
        logits, gradient = drawn(EDGES, heads) * 9, drawn(EDGES, heads)
        indptr, _, edge_ids = INCOMING
        got = filled(edge_softmax.edge_softmax, logits.shape, logits, indptr, edge_ids, heads)
        check(got, reference.edge_softmax(logits, TARGET))
        slopes = filled(edge_softmax.edge_softmax_gradient, logits.shape, gradient, got, indptr, edge_ids, heads)
        check(slopes, reference.edge_softmax_gradient(gradient, got, TARGET))


def test_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_work, "PARALLEL_ELEMENTS", 0)
    table, weight = drawn(NODES, 8, 8), drawn(EDGES, 8)
    found = []
    for count in (1, 2, 3, 16):
        monkeypatch.setattr(edge_work, "number_of_threads", lambda count=count: count)
        summed = filled(message_passing.gather_multiply_sum, (ROWS, 8, 8), table, weight, *INCOMING, 8, 8)
        soft = filled(edge_softmax.edge_softmax, weight.shape, weight, INCOMING[0], INCOMING[2], 8)
        found.append(summed.tobytes() + soft.tobytes())
    assert len(set(found)) == 1


def test_pieces_hold_about_as_many_edges_each() -> None:
    indptr = np.concatenate([[0], np.cumsum(np.r_[np.full(50, 2000), np.full(10_000, 10)])])
    bounds = edge_work.pieces(indptr, 2)
    assert bounds[0] == 0 and bounds[-1] == indptr.size - 1 and (np.diff(bounds) >= 0).all()
    edges = np.diff(indptr[bounds])
    assert edges.max() < 3 * edges.mean()
    assert edge_work.pieces(np.zeros(1, np.int64), 2).tolist() == [0, 0]


def test_rows_and_ids_that_fit() -> None:
    rows = np.array([0, 2, 2, 5])
    assert edge_work.rows_fit(rows, 5) and not edge_work.rows_fit(rows, 4)
    for wrong in ([1, 2, 5], [0, 3, 2, 5], [0, 9, 5], [0, 2**62, -(2**62), 5]):
        assert not edge_work.rows_fit(np.array(wrong), 5)
    assert not edge_work.rows_fit(np.zeros(0, np.int64), 0)
    ids = np.array([0, 4], np.int32)
    assert edge_work.ids_fit(ids, 5) and not edge_work.ids_fit(ids, 4) and not edge_work.ids_fit(ids - 1, 5)
    assert edge_work.ids_fit(ids[:0], 0)
