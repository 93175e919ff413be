"""The steps of the benchmark on sampling graphs: each function is called in a process of its own.

The peers' processes have another interpreter, so libraries are imported where they are used. All sides have the same
graph, read from the arrays of one stored graph, the same batches of nodes, and a GraphSAGE of the same two layers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import numpy as np

NODES, EDGES = 1_000_000, 20_000_000
SAMPLES, BATCH, BATCHES = (25, 10), 1024, 20
WIDTH, HIDDEN, CLASSES = 64, 128, 16
WALKS, LENGTH = 20_000, 40
Steps = dict[str, Callable[[], Any]]


def store(folder: str) -> Steps:
    """Return the step that stores the graph for all sides, in both directions, and features."""

    def build() -> None:
        from benchmarks.PGL.graph_scale_sides import seed_graph
        from core.graphs import TiledGraph
        from PGL.storage.streaming import store_stream

        outgoing, classes, table = seed_graph()
        store_stream(folder + "/graph", TiledGraph(outgoing, NODES, EDGES), ("incoming", "outgoing"))
        origins = np.arange(NODES) % len(classes)
        np.save(folder + "/features.npy", table[origins])
        np.save(folder + "/labels.npy", classes[origins])

    return {"build": build}


def _arrays(folder: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    features, labels = (np.load(f"{folder}/{name}.npy") for name in ("features", "labels"))
    nodes = np.random.default_rng(0).choice(len(labels), BATCH * BATCHES, replace=False)
    return features, labels, nodes, np.random.default_rng(1).integers(0, len(labels), WALKS)


def _rows(folder: str, direction: str) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.load(Path(folder) / "graph" / f"{direction}.{name}.npy") for name in ("indptr", "indices"))


def _batches(nodes: np.ndarray) -> Iterator[np.ndarray]:
    return (nodes[place : place + BATCH] for place in range(0, len(nodes), BATCH))


def ours(folder: str) -> Steps:
    """Return our steps: drawing neighbours, neighbourhoods, walks, and an epoch of training."""
    import core
    from core.graphs import random_key, sample_neighbors
    from core.nn import functional as F
    from PGL import Graph
    from PGL.nn import GraphSageConv
    from PGL.sampling import NeighborLoader, node2vec_walk, random_walk, sample_blocks, sorted_neighbors
    from PGL.storage import graphs as storage

    features, labels, nodes, starts = _arrays(folder)
    stored = storage.load(folder + "/graph", mmap_mode=None, verify=False)
    graph = Graph.from_stored(stored._replace(incoming=None))
    incoming, neighbors = stored.incoming, sorted_neighbors(graph)
    assert incoming is not None
    core.seed(0)
    first = GraphSageConv(WIDTH, HIDDEN, "mean", normalize=False)
    second = GraphSageConv(HIDDEN, CLASSES, "mean", normalize=False)
    optimizer = core.optimizer.Adam(0.003, parameters=[*first.parameters(), *second.parameters()])
    loader = NeighborLoader(incoming, nodes, SAMPLES, BATCH, features)

    def epoch() -> float:
        for batch in loader:
            inner, outer = batch.blocks
            hidden = first(inner, (batch.features, batch.features[: inner.num_targets]), act="relu")
            output = second(outer, (hidden, hidden[: outer.num_targets]))
            loss = F.cross_entropy(output, core.to_tensor(labels[np.asarray(batch.seeds)]))
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
        return float(loss)

    def draw() -> int:
        return len(sample_neighbors(incoming, starts, 25, random_key(0)).neighbors)

    def neighborhoods() -> int:
        return sum(
            block.num_edges
            for number, batch in enumerate(_batches(nodes))
            for block in sample_blocks(incoming, batch, SAMPLES, number).blocks
        )

    def walks() -> int:
        return int((random_walk(graph, starts, LENGTH, seed=0)[:, 1:] >= 0).sum())

    def biased_walks() -> int:
        found = node2vec_walk(graph, starts, LENGTH, 0.25, 0.25, seed=0, neighbors=neighbors)
        return int((found[:, 1:] >= 0).sum())

    def paced(step: Callable[[], int]) -> Callable[[], float]:
        def measure() -> float:
            began = time.process_time()
            return step() / (time.process_time() - began)

        return measure

    return {
        **{"neighborhoods": neighborhoods, "walks": walks, "node2vec": biased_walks, "epoch": epoch},
        **{"draw alone": paced(draw), "walks alone": paced(walks), "node2vec alone": paced(biased_walks)},
    }


def dgl(folder: str) -> Steps:
    """Return DGL's steps."""
    import dgl
    import torch

    features, labels, nodes, starts = _arrays(folder)
    indptr, indices = _rows(folder, "incoming")
    graph = dgl.graph(("csc", (torch.from_numpy(indptr), torch.from_numpy(indices).long(), torch.tensor([]))))
    graph.create_formats_()
    torch.manual_seed(0)
    table, classes, begins = torch.from_numpy(features), torch.from_numpy(labels), torch.from_numpy(starts)
    first, second = dgl.nn.SAGEConv(WIDTH, HIDDEN, "mean"), dgl.nn.SAGEConv(HIDDEN, CLASSES, "mean")
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], 0.003)
    sampler = dgl.dataloading.NeighborSampler(list(reversed(SAMPLES)))
    loader = dgl.dataloading.DataLoader(graph, torch.from_numpy(nodes), sampler, batch_size=BATCH)

    def epoch() -> float:
        for known, seeds, (inner, outer) in loader:
            hidden = table[known]
            hidden = torch.relu(first(inner, (hidden, hidden[: inner.num_dst_nodes()])))
            output = second(outer, (hidden, hidden[: outer.num_dst_nodes()]))
            loss = torch.nn.functional.cross_entropy(output, classes[seeds])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return float(loss.detach())

    def neighborhoods() -> int:
        chains = (sampler.sample_blocks(graph, torch.from_numpy(batch))[2] for batch in _batches(nodes))
        return sum(block.num_edges() for chain in chains for block in chain)

    def walks() -> int:
        return int((dgl.sampling.random_walk(graph, begins, length=LENGTH - 1)[0][:, 1:] >= 0).sum())

    def biased_walks() -> int:
        found = dgl.sampling.node2vec_random_walk(graph, begins, 0.25, 0.25, LENGTH - 1)
        return int((found[:, 1:] >= 0).sum())

    return {"neighborhoods": neighborhoods, "walks": walks, "node2vec": biased_walks, "epoch": epoch}


def pyg(folder: str) -> Steps:
    """Return PyTorch Geometric's steps; its loader needs pyg-lib or torch-sparse."""
    import torch
    from torch_geometric.data import Data
    from torch_geometric.loader import NeighborLoader
    from torch_geometric.nn import SAGEConv

    features, labels, nodes, _ = _arrays(folder)
    indptr, indices = _rows(folder, "incoming")
    targets = np.repeat(np.arange(NODES), np.diff(indptr))
    edges = torch.from_numpy(np.stack([indices.astype(np.int64), targets]))
    data = Data(x=torch.from_numpy(features), y=torch.from_numpy(labels), edge_index=edges)
    torch.manual_seed(0)
    first, second = SAGEConv(WIDTH, HIDDEN), SAGEConv(HIDDEN, CLASSES)
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], 0.003)
    loader = NeighborLoader(data, list(SAMPLES), torch.from_numpy(nodes), batch_size=BATCH)

    def epoch() -> float:
        for batch in loader:
            hidden = torch.relu(first(batch.x, batch.edge_index))
            output = second(hidden, batch.edge_index)[: batch.batch_size]
            loss = torch.nn.functional.cross_entropy(output, batch.y[: batch.batch_size])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return float(loss.detach())

    def neighborhoods() -> int:
        return sum(batch.num_edges for batch in loader)

    return {"neighborhoods": neighborhoods, "epoch": epoch}
