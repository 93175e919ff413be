"""Graphs generated and stored as a stream: equal to what an edge list gives, and a million nodes in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.kernels.graphs import edge_streams
from PGL import Adjacency
from PGL.generator import TiledFeatures, TiledGraph
from PGL.sampling import sample_blocks
from PGL.storage import graphs as storage
from PGL.storage.streaming import store_stream
from tests.core.graphs.samples import SMALL, edges_of, small_graph

GENERATOR = np.random.default_rng(0)


@pytest.mark.parametrize("memory", [2000, 20000, 2**30])
def test_rows_stored_from_a_stream_are_those_of_the_edge_list(tmp_path: Path, memory: int) -> None:
    stream = TiledGraph(small_graph(), 503, 7001)
    table = GENERATOR.standard_normal((SMALL, 6)).astype(np.float32)
    seen: list[tuple[str, int, int]] = []
    features = {"a": TiledFeatures(table, 0.25), "b": TiledFeatures(table, 0, "float16")}
    store_stream(tmp_path / "g", stream, storage.DIRECTIONS, features, memory, lambda *progress: seen.append(progress))
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
    assert seen[-1] == ("features 'b'", 503, 503) and ("counting outgoing edges", 7001, 7001) in seen


@pytest.mark.exhaustive
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
