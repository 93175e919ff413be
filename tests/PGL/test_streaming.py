"""Graphs generated and stored as a stream: equal to what an edge list gives, and a million nodes in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.kernels import edge_streams
from PGL import Adjacency, storage
from PGL.generator import TiledFeatures, TiledGraph
from PGL.sampling import sample_blocks
from PGL.streaming import store_stream

GENERATOR = np.random.default_rng(0)
SMALL = 50


def small_graph() -> Adjacency:
    """A graph in which some nodes have many edges and the last ones none."""
    sources = np.minimum(GENERATOR.geometric(0.1, 200) - 1, SMALL - 5)
    return Adjacency.from_edges(sources, GENERATOR.integers(0, SMALL, 200), SMALL, SMALL, False)


def edges_of(stream: Any) -> np.ndarray:
    return np.concatenate([np.stack(chunk, axis=1).astype(np.int64) for chunk in stream.chunks()])


@pytest.mark.parametrize("nodes, edges", [(50, 200), (503, 7001), (1000, 100), (1000, 0)])
def test_edges_are_copies_of_the_small_graphs(nodes: int, edges: int) -> None:
    small = small_graph()
    stream = TiledGraph(small, nodes, edges, seed=3)
    pairs = edges_of(stream)
    assert pairs.shape == (edges, 2) and (pairs >= 0).all() and (pairs < nodes).all()
    assert (np.diff(pairs[:, 0]) >= 0).all()
    known = set(map(tuple, small.edges(0).tolist()))
    assert all(tuple(pair) in known for pair in stream.origins(pairs).tolist())
    wanted = np.tile(small.degrees(), -(-nodes // SMALL))[:nodes]
    degrees = np.bincount(pairs[:, 0], minlength=nodes)
    assert np.abs(degrees - wanted * edges / wanted.sum()).max() < 1 + 1e-9
    np.testing.assert_array_equal(edges_of(TiledGraph(small, nodes, edges, seed=3)), pairs)


def test_any_part_can_be_made_again() -> None:
    stream = TiledGraph(small_graph(), 503, 7001)
    pairs = edges_of(stream)
    for first, last in ((0, 503), (17, 18), (100, 260), (9, 9)):
        part = np.stack(stream.edges_of(first, last), axis=1)
        np.testing.assert_array_equal(part, pairs[(pairs[:, 0] >= first) & (pairs[:, 0] < last)])


def test_a_graph_of_its_own_size_that_is_not_rewired_is_itself() -> None:
    small = small_graph()
    np.testing.assert_array_equal(edges_of(TiledGraph(small, SMALL, 200, rewired=0)), small.edges(0))
    rewired = edges_of(TiledGraph(small, 10 * SMALL, 2000, rewired=1))
    assert abs((rewired[:, 0] // SMALL == rewired[:, 1] // SMALL).mean() - 0.1) < 0.03
    half = edges_of(TiledGraph(small, 10 * SMALL, 2000, rewired=0.5))
    assert abs((half[:, 0] // SMALL == half[:, 1] // SMALL).mean() - 0.55) < 0.04


@pytest.mark.parametrize("memory", [2000, 20000, 2**30])
def test_rows_stored_from_a_stream_are_those_of_the_edge_list(tmp_path: Path, memory: int) -> None:
    stream = TiledGraph(small_graph(), 503, 7001)
    table = GENERATOR.standard_normal((SMALL, 6)).astype(np.float32)
    told: list[tuple[str, int, int]] = []
    features = {"a": TiledFeatures(table, 0.25), "b": TiledFeatures(table, 0, "float16")}
    store_stream(tmp_path / "g", stream, storage.DIRECTIONS, features, memory, lambda *progress: told.append(progress))
    stored = storage.load(tmp_path / "g")
    pairs = edges_of(stream)
    for found, rows, columns in ((stored.outgoing, 0, 1), (stored.incoming, 1, 0)):
        expected = Adjacency.from_edges(pairs[:, rows], pairs[:, columns], 503, 503)
        assert found is not None and found.indices.dtype == np.int32
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
    a, b = (stored.features["node_feat"][name] for name in "ab")
    origins = table[stream.origins(np.arange(503))]
    difference = np.abs(a[:] - origins)
    assert 0.2 < difference.max() <= 0.25 + a.scale.max() and a.values.dtype == np.int8
    np.testing.assert_array_equal(b, origins.astype(np.float16))
    assert told[-1] == ("features 'b'", 503, 503) and ("counting outgoing edges", 7001, 7001) in told


def test_a_million_nodes_and_twenty_million_edges(tmp_path: Path) -> None:
    small = small_graph()
    stream = TiledGraph(small, 1_000_000, 20_000_000)
    store_stream(tmp_path / "g", stream, memory=40 << 20)
    incoming = storage.load(tmp_path / "g").incoming
    assert incoming is not None and incoming.num_edges == 20_000_000
    size = sum(path.stat().st_size for path in (tmp_path / "g").iterdir())
    assert size <= 4.5 * 20_000_000 + 8 * 1_000_001
    seeds = np.arange(0, 1_000_000, 1009)
    drawn = sample_blocks(incoming, seeds, [25, 10], seed=0)
    np.testing.assert_array_equal(np.diff(drawn.blocks[1].incoming[0]), np.minimum(incoming.degrees(seeds), 25))
    known = set(map(tuple, small.edges(0).tolist()))
    for block in drawn.blocks:
        ends = stream.origins(drawn.nodes)[block.edges()]
        assert set(map(tuple, np.unique(ends, axis=0).tolist())) <= known


class Broken:
    """A stream of four edges among three nodes that can be made to go wrong."""

    num_nodes, num_edges = 3, 4

    def __init__(self, *turns: list[tuple[int, int]]) -> None:
        self.turns = list(turns)

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Give each turn's edges, then the last one's again."""
        edges = np.array(self.turns.pop(0) if len(self.turns) > 1 else self.turns[0], np.int64)
        yield edges[:, 0], edges[:, 1]


GOOD = [(0, 1), (1, 1), (2, 0), (2, 2)]


@pytest.mark.parametrize(
    "stream, message",
    [
        (Broken([*GOOD[:3], (3, 0)]), "store_stream: an edge leads to node 3, and there are 3"),
        (Broken([*GOOD[:3], (0, -1)]), "store_stream: an edge leads to node -1, and there are 3"),
        (Broken(GOOD[:3]), "store_stream: the stream has 3 edges, and says that it has 4"),
        (Broken([*GOOD, (0, 0)]), "store_stream: the stream has 5 edges, and says that it has 4"),
        (Broken(GOOD, [(0, 2), *GOOD[1:]]), "the stream gave other edges when it was gone through again"),
        (Broken(GOOD, [(0, 2)] * 4), "the stream gave other edges when it was gone through again"),
    ],
)
def test_bad_streams_leave_nothing(tmp_path: Path, stream: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        store_stream(tmp_path / "g", stream)
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_good_stream_by_hand(tmp_path: Path) -> None:
    store_stream(tmp_path / "g", Broken(GOOD))
    incoming = storage.load(tmp_path / "g").incoming
    assert incoming is not None
    assert (incoming.indptr.tolist(), incoming.indices.tolist()) == ([0, 1, 3, 4], [2, 0, 1, 2])


def test_counting_passes_over_what_is_no_row() -> None:
    counts = np.zeros(2, np.int64)
    edge_streams.count_rows(np.array([0, 5, 1, -1, 1]), counts)
    assert counts.tolist() == [1, 2]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((40, 100), "40 nodes and 100 edges cannot be had by tiling 50 nodes"),
        ((100, -1), "100 nodes and -1 edges cannot be had by tiling 50 nodes"),
        ((2**40, 2**40), "edges on 1099511627776 nodes are too many to count with 64 bits"),
        ((100, 100, 1.5), "rewired must be from 0 to 1, not 1.5"),
    ],
)
def test_errors_of_the_generator(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match="^TiledGraph: ") as caught:
        TiledGraph(small_graph(), *arguments)
    assert message in str(caught.value)


def test_the_small_graph_must_have_edges() -> None:
    none = Adjacency.from_edges(np.empty(0, int), np.empty(0, int), 3, 3)
    with pytest.raises(ValueError, match="the small graph must have edges, and the same nodes at both of their ends"):
        TiledGraph(none, 10, 10)
