"""Sampled neighbourhoods: only edges of the graph, numbered as they should be, the same for any number of workers."""

# ruff: noqa: NPY002 -- without a seed draws follow numpy's global generator

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

import PGL as pgl
from core.operators.graphs import message_passing
from PGL.sampling import NeighborLoader, NeighborSampler, graphsage_sample, sample_blocks
from PGL.sampling.mapped import MappedFile, pack, unpack
from PGL.storage.features import ScaledArray
from tests.engine import ENGINE

GENERATOR = np.random.default_rng(0)
NODES, EDGES = 300, 4000


@pytest.fixture(scope="module")
def graph() -> pgl.Graph:
    edges = np.stack([GENERATOR.integers(0, NODES, EDGES), GENERATOR.integers(0, NODES - 20, EDGES)], axis=1)
    features = {"number": np.arange(NODES) * 10}
    return pgl.Graph(edges, NODES, features, {"number": np.arange(EDGES) * 3})


def test_graphsage_sample_takes_edges_of_the_graph(graph: pgl.Graph) -> None:
    result = graphsage_sample(graph, [5, 7, 5, 290], [10, 4], seed=1)
    assert len(result) == 2
    seen: list[set[int]] = []
    for part, nodes, places in result:
        assert nodes[places].tolist() == [5, 7, 5, 290] and len(np.unique(nodes)) == len(nodes) == part.num_nodes
        ids = part.edge_feat["number"] // 3
        np.testing.assert_array_equal(graph.edges[ids], nodes[part.edges])
        np.testing.assert_array_equal(part.node_feat["number"], nodes * 10)
        assert len(np.unique(ids)) == len(ids)
        seen.append(set(ids.tolist()))
    assert seen[1] < seen[0]
    first_hop = result[1][0]
    degrees = np.minimum(graph.indegree([5, 7, 290]), 4)
    assert first_hop.indegree().tolist()[:3] == degrees.tolist() and degrees[2] == 0
    outer = result[0][0].indegree()
    met = np.unique(first_hop.edges[:, 0])
    new = met[met > 2]
    np.testing.assert_array_equal(outer[new], np.minimum(graph.indegree(result[0][1][new]), 10))


def test_graphsage_sample_with_all_neighbours_is_the_neighbourhood(graph: pgl.Graph) -> None:
    ((part, nodes, _),) = graphsage_sample(graph, [3, 4], [-1])
    expected = np.concatenate([graph.predecessor([node], return_eids=True)[1][0] for node in (3, 4)])
    assert sorted(part.edge_feat["number"] // 3) == sorted(expected)


def test_graphsage_sample_leaves_out_ignored_edges(graph: pgl.Graph) -> None:
    ignored = graph.edges[graph.edges[:, 1] == 3][:2]
    ((part, nodes, _),) = graphsage_sample(graph, [3, 4], [-1], ignored)
    kept = set(map(tuple, nodes[part.edges].tolist()))
    assert kept == set(map(tuple, graph.edges[np.isin(graph.edges[:, 1], [3, 4])].tolist())) - set(
        map(tuple, ignored.tolist())
    )


def test_graphs_without_edges_or_nodes() -> None:
    bare, empty = pgl.Graph([], 4), pgl.Graph([], 0)
    for part, nodes, places in graphsage_sample(bare, [2, 1], [3, -1]):
        assert (part.num_nodes, part.num_edges, nodes.tolist(), places.tolist()) == (2, 0, [2, 1], [0, 1])
    ((part, nodes, _),) = graphsage_sample(empty, [], [2])
    assert part.num_nodes == len(nodes) == 0
    for replace in (False, True):
        block = sample_blocks(bare.incoming, [1, 3], [2], 0, replace).blocks[0]
        assert (block.num_sources, block.num_targets, block.num_edges) == (2, 2, 0)
    assert list(NeighborLoader(bare, [], [2])) == []


def test_samples_repeat_with_their_seed_and_differ_without(graph: pgl.Graph) -> None:
    def ids(seed: Any) -> list[int]:
        return graphsage_sample(graph, [1, 2, 3], [5], seed=seed)[0][0].edge_feat["number"].tolist()

    assert ids(4) == ids(4) != ids(5)
    np.random.seed(0)
    first = ids(None)
    assert first != ids(None)
    np.random.seed(0)
    assert first == ids(None)


def test_neighbor_sampler_gives_chains_of_graphs(graph: pgl.Graph) -> None:
    chain, nodes = NeighborSampler(graph, [4, 3], seed=0).sample_neighbors([9, 8])
    (outer, outer_targets), (inner, inner_targets) = chain
    assert (inner_targets, outer_targets) == (2, inner.num_nodes) and outer.num_nodes == len(nodes)
    assert nodes[:2].tolist() == [9, 8]
    pairs = set(map(tuple, graph.edges.tolist()))
    for part, targets in chain:
        assert all(tuple(pair) in pairs for pair in nodes[part.edges].tolist()) and part.edges[:, 1].max() < targets
    np.testing.assert_array_equal(inner.indegree()[:2], np.minimum(graph.indegree([9, 8]), 4))


def test_calls_of_a_sampler_differ_and_repeat(graph: pgl.Graph) -> None:
    first, again = NeighborSampler(graph, [4], seed=3), NeighborSampler(graph, [4], seed=3)
    one, two = first.sample_blocks([1, 2]), first.sample_blocks([1, 2])
    assert one.blocks[0].edge_ids.tolist() != two.blocks[0].edge_ids.tolist()
    assert again.sample_blocks([1, 2]).blocks[0].edge_ids.tolist() == one.blocks[0].edge_ids.tolist()


@pytest.mark.parametrize("replace", [False, True])
def test_weights_are_those_of_the_edges_ids(graph: pgl.Graph, replace: bool) -> None:
    weights = np.zeros(EDGES)
    chosen = graph.predecessor([3], return_eids=True)[1][0][:3]
    weights[chosen] = [1, 2, 3]
    sampler = NeighborSampler(graph, [1], replace=replace, weights=weights, seed=0)
    found = np.concatenate([sampler.sample_blocks([3, 4]).blocks[0].edge_ids for _ in range(1500)])
    counts = np.bincount(found, minlength=EDGES)[chosen]
    assert counts.sum() == len(found) == 1500
    assert scipy.stats.chisquare(counts, [250, 500, 750]).pvalue > 1e-3


def test_blocks_pass_messages(graph: pgl.Graph) -> None:
    drawn = sample_blocks(graph.incoming, np.arange(20), [5, 3], seed=0)
    values = GENERATOR.standard_normal((len(drawn.nodes), 2)).astype(np.float32)
    for block in drawn.blocks:
        edges, expected = block.edges(), np.zeros((block.num_targets, 2), np.float32)
        np.add.at(expected, edges[:, 1], values[edges[:, 0]])
        import core

        found = message_passing.gather_reduce(core.to_tensor(values[: block.num_sources]), block.connections(), "sum")
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(graph.edges[block.edge_ids], drawn.nodes[edges])


def batches(graph: Any, workers: int, epoch: int, **options: Any) -> list[list[np.ndarray]]:
    loader = NeighborLoader(graph, None, [6, 4], 64, shuffle=True, num_workers=workers, seed=2, **options)
    loader.set_epoch(epoch)
    assert len(loader) == 5
    return [[np.asarray(array) for array in batch.flat()] for batch in loader]


def test_loaded_batches_do_not_depend_on_workers(graph: pgl.Graph, tmp_path: Path) -> None:
    graph.dump(tmp_path / "graph")
    stored = pgl.Graph.load(tmp_path / "graph")
    features = GENERATOR.standard_normal((NODES, 3)).astype(np.float32)
    here, there = (batches(stored, workers, 1, features=features) for workers in (0, 2))
    for one, other in zip(here, there):
        for first, second in zip(one, other):
            np.testing.assert_array_equal(first, second)
    for nodes, seeds, rows, *_ in here:
        assert seeds == (64 if len(nodes) != len(here[-1][0]) else 300 - 4 * 64)
        np.testing.assert_array_equal(rows, features[nodes])
    visited = np.concatenate([batch[0][: batch[1]] for batch in here])
    assert sorted(visited) == list(range(NODES))
    other_epoch = batches(stored, 0, 2)
    assert other_epoch[0][0].tolist() != here[0][0].tolist()


def test_features_of_few_bytes_are_loaded_as_float32(graph: pgl.Graph) -> None:
    values = GENERATOR.integers(-127, 128, (NODES, 3)).astype(np.int8)
    scale = np.array([0.5, 0.01, 3], np.float32)
    nodes, _, rows, *_ = batches(graph, 0, 0, features=ScaledArray(values, scale))[0]
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, values[nodes] * scale)


def test_mapped_arrays_are_sent_by_name(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    np.arange(100, dtype=np.int32).tofile(path)
    mapped = np.memmap(path, np.int32, "r", 8, (90,))
    part = mapped.view(np.ndarray)[10:20]
    packed = pack(part)
    assert packed == MappedFile(str(path), "<i4", 48, (10,))
    np.testing.assert_array_equal(unpack(packed), part)
    assert pack(mapped[::2]) is not None and isinstance(pack(mapped[::2]), np.ndarray)
    private = np.memmap(path, np.int32, "c")
    assert isinstance(pack(private), np.ndarray)
    assert unpack(pack((1, 2))) == (1, 2)


def test_importing_the_samplers_loads_no_engine() -> None:
    names = "[getattr(s, n) for n in s.__all__]"
    code = f"import sys; import PGL.sampling as s; {names}; assert '{ENGINE}' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda g: graphsage_sample(g, [1, 300], [2]), "graphsage_sample: node 300 does not exist: there are 300"),
        (lambda g: graphsage_sample(g, [-1], [2]), "graphsage_sample: node -1 does not exist"),
        (lambda g: graphsage_sample(g, [0.5], [2]), "graphsage_sample: node must be a whole number, not float64"),
        (lambda g: graphsage_sample(g, [1], []), "graphsage_sample: samples must list how many neighbours are drawn"),
        (lambda g: graphsage_sample(g, [1], 5), "graphsage_sample: samples must list how many neighbours are drawn"),
        (lambda g: graphsage_sample(g, [1], [2, 1.5]), "samples[1] must be a whole number, -1 or more, not 1.5"),
        (lambda g: graphsage_sample(g, [1], [-2]), "samples[0] must be a whole number, -1 or more, not -2"),
        (lambda g: graphsage_sample(g, [1], [2], seed=-1), "graphsage_sample: seed must be a whole number, 0 or more"),
        (lambda g: graphsage_sample(g, [1], [2], [(1, 300)]), "ignore_edges: node 300 does not exist"),
        (lambda g: NeighborSampler(g, [2], weights=[1]), "weights must be 4000 numbers, one for each edge, not int64"),
        (lambda g: NeighborSampler(g, [2], weights=-np.ones(EDGES)), "weights must be finite and not negative"),
        (lambda g: sample_blocks(g.incoming, [300], [2], 0), "sample_blocks: node 300 does not exist"),
        (lambda g: sample_blocks(g.incoming, [1], [0.5], 0), "sample_blocks: samples[0] must be a whole number"),
        (lambda g: sample_blocks(g.incoming, [1], [2], 0, False, np.ones(3)), "weights of shape [3] do not fit 4000"),
        (lambda g: NeighborLoader(g, [300], [2]), "NeighborLoader: node 300 does not exist"),
        (lambda g: NeighborLoader(g, None, [2], 0), "NeighborLoader: batch_size must be a whole number, 1 or more"),
        (lambda g: NeighborLoader(g, None, [2], features=np.ones((2, 2))), "features has 2 rows for 300 nodes"),
    ],
)
def test_errors(graph: pgl.Graph, call: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        call(graph)
    assert message in str(caught.value) and "\n" not in str(caught.value)
