"""Edges grouped as they stream past, and rows of small integers, against plain Python; the engine stays unloaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.graphs import Adjacency, gather_scaled, group_stream

ROOT = Path(__file__).resolve().parents[3]
Edges = tuple[np.ndarray, np.ndarray]


def empty(rows: int, edges: int) -> Adjacency:
    return Adjacency(np.empty(rows + 1, np.int64), np.empty(edges, np.int32), None, 9)


def pieces(rows: Any, columns: Any, size: int = 3) -> list[Edges]:
    first, second = np.array(rows, np.int32), np.array(columns, np.int64)
    return [(first[at : at + size], second[at : at + size]) for at in range(0, len(first), size)]


@pytest.mark.parametrize("memory", [1, 16, 1 << 20])
def test_rows_are_filled_in_the_order_of_the_stream(memory: int) -> None:
    draw = np.random.default_rng(2)
    rows, columns = draw.integers(0, 6, 40), draw.integers(0, 9, 40)
    passes: list[Any] = []

    def stream(places: Any) -> list[Edges]:
        passes.append(places)
        return pieces(rows, columns)

    adjacency = empty(7, 40)
    group_stream(stream, adjacency, memory)
    expected = [[int(column) for row, column in zip(rows, columns) if row == number] for number in range(7)]
    assert [adjacency.neighbors(row).tolist() for row in range(7)] == expected
    assert passes[0] is None and [begin for begin, _ in passes[1:]] + [40] == [0, *[end for _, end in passes[1:]]]
    assert len(passes) == {1: 8, 16: len(passes), 1 << 20: 2}[memory]


def test_a_stream_without_edges_or_rows() -> None:
    for rows in (0, 2):
        adjacency = empty(rows, 0)
        group_stream(lambda places: [], adjacency)
        assert adjacency.indptr.tolist() == [0] * (rows + 1)


def turns(*given: list[Edges]) -> Any:
    waiting = list(given)
    return lambda places: waiting.pop(0) if len(waiting) > 1 else waiting[0]


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (
            turns(pieces([0, 1], [2, 2])),
            "group_stream: the stream has 2 edges, 2 of them in the 3 rows; there are 3 places",
        ),
        (
            turns(pieces([0, 1, 3], [2, 2, 2])),
            "group_stream: the stream has 3 edges, 2 of them in the 3 rows; there are 3 places",
        ),
        (
            turns(pieces([0, 1, -1], [2, 2, 2])),
            "group_stream: the stream has 3 edges, 2 of them in the 3 rows; there are 3 places",
        ),
        (
            turns(pieces([0, 1, 2], [2] * 3), pieces([0, 1, 1], [2] * 3)),
            "group_stream: the stream gave other edges when it was gone through again",
        ),
        (
            turns([(np.zeros(3, np.int64), np.zeros(2, np.int64))]),
            "group_stream: columns of the stream must be int32 or int64 of shape [3], not int64 of shape [2]",
        ),
        (
            turns([(np.zeros(3), np.zeros(3, np.int64))]),
            "group_stream: rows of the stream must be int32 or int64 of shape [any], not float64 of shape [3]",
        ),
        (turns([([0], [1])]), "group_stream: rows of the stream must be a NumPy array, not list"),  # type: ignore[list-item]
    ],
)
def test_bad_streams_are_one_line(stream: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        group_stream(stream, empty(3, 3))
    assert str(caught.value) == message


def test_memory_must_be_some() -> None:
    with pytest.raises(ValueError, match="group_stream: memory must be an integer from 1 to below 2\\^63, not 0"):
        group_stream(lambda places: iter(()), empty(1, 0), 0)


VALUES = np.array([[1, -2, 3], [-128, 127, 0]], np.int8)
SCALE = np.array([0.5, 2.0, 1.0], np.float32)


def test_rows_of_integers_are_scaled() -> None:
    found = gather_scaled(VALUES, SCALE, [1, 0, 1])
    assert found.tolist() == [[-64, 254, 0], [0.5, -4, 3], [-64, 254, 0]] and found.dtype == np.float32
    assert gather_scaled(VALUES, SCALE, []).shape == (0, 3)


@pytest.mark.parametrize(
    ("values", "scale", "rows", "message"),
    [
        (VALUES, SCALE, [2], "gather_scaled: rows holds 2, which is not from 0 to below 2"),
        (VALUES, SCALE[:2], [0], "gather_scaled: scale must be float32 of shape [3], not float32 of shape [2]"),
        (VALUES[0], SCALE, [0], "gather_scaled: values must be int8 of shape [any, any], not int8 of shape [3]"),
    ],
)
def test_wrong_tables_are_one_line(values: Any, scale: Any, rows: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        gather_scaled(values, scale, rows)
    assert str(caught.value) == message


def loaded(statement: str) -> str:
    code = f"import sys; {statement}; print(*sorted({{'mxnet', 'numba'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


GRAPH = "import numpy as np; from core import graphs; one = graphs.Adjacency(np.array([0, 1]), np.array([0]), None, 1)"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("import PGL.sampling, PGL.storage.streaming, PGL.generator, PGL.models.windows", ""),
        (GRAPH, ""),
        (f"{GRAPH}; graphs.sample_neighbors(one, [0], -1, graphs.random_key(1))", "numba"),
    ],
)
def test_kernels_load_with_the_first_draw_and_the_engine_never(statement: str, expected: str) -> None:
    assert loaded(statement) == expected
