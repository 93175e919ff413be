"""The steps of the benchmark on large stored graphs: each function is called in a process of its own."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any, Callable

import numpy as np

from core.graphs import Adjacency, TiledGraph
from PGL.generator import TiledFeatures
from PGL.sampling import NeighborLoader
from PGL.sampling.blocks import sample_blocks
from PGL.storage import graphs as storage
from PGL.storage.streaming import store_stream

SAMPLES, BATCH, WIDTH, HIDDEN, CLASSES = (25, 10), 1024, 64, 128, 16
LABELLED = 200_000
"""Nodes that are trained on."""
AHEAD = 3
"""Batches of each turn that are not timed, because the loader had them ready."""


def seed_graph(nodes: int = 10_000, degree: int = 12) -> tuple[Adjacency, np.ndarray, np.ndarray]:
    """Return a small graph with few nodes of many edges, the classes of its nodes, and features.

    Returns:
        Edges by source, int64 classes [nodes], float32 features [nodes, WIDTH]. Most edges join nodes of one class.
    """
    generator = np.random.default_rng(0)
    classes = generator.integers(0, CLASSES, nodes)
    share = generator.pareto(2.0, nodes) + 0.3
    members = [np.flatnonzero(classes == label) for label in range(CLASSES)]
    sources = generator.choice(nodes, nodes * degree, p=share / share.sum())
    targets = generator.choice(nodes, nodes * degree, p=share / share.sum())
    for label, some in enumerate(members):
        alike = np.flatnonzero((classes[sources] == label) & (generator.random(len(sources)) < 0.8))
        targets[alike] = generator.choice(some, len(alike), p=share[some] / share[some].sum())
    features = generator.standard_normal((CLASSES, WIDTH))[classes] + generator.standard_normal((nodes, WIDTH)) * 2
    return Adjacency.from_edges(sources, targets, nodes, nodes), classes, features.astype(np.float32)


def memory() -> dict[str, int]:
    """Return bytes: anonymous and file-backed memory of this process, and the machine's page cache."""
    found = {}
    for path, names in (("/proc/self/status", ("RssAnon", "RssFile")), ("/proc/meminfo", ("Cached",))):
        with open(path, encoding="utf-8") as stream:
            for line in stream:
                name, _, rest = line.partition(":")
                if name in names:
                    found[name] = int(rest.split()[0]) * 1024
    return found


def builder(folder: str, nodes: int, edges: int) -> dict[str, Callable[[], Any]]:
    """Return the step that stores a graph; it returns the seconds and the largest anonymous memory."""

    def build() -> tuple[float, int]:
        began = reported = time.perf_counter()
        most = 0

        def report(stage: str, done: int, total: int) -> None:
            nonlocal reported, most
            most = max(most, memory()["RssAnon"])
            if time.perf_counter() - reported > 20:
                reported = time.perf_counter()
                print(f"  {reported - began:6.0f} s  {stage}: {done:,} of {total:,}", file=sys.stderr, flush=True)

        outgoing, _, table = seed_graph()
        stream = TiledGraph(outgoing, nodes, edges)
        store_stream(folder, stream, ("incoming",), {"feature": TiledFeatures(table, 0.5)}, 4 << 30, report)
        return time.perf_counter() - began, most

    return {"build": build}


def user(folder: str, turn: int) -> dict[str, Callable[[], Any]]:
    """Return steps on a stored graph: reading it once, sampling, training, and the memory that this takes.

    Args:
        folder: Where the graph is.
        turn: Batches in one call of a step.
    """
    stored = storage.load(folder, verify=False)
    incoming, features = stored.incoming, stored.features["node_feat"]["feature"]
    assert incoming is not None
    labelled = np.sort(np.random.default_rng(1).choice(incoming.rows, min(LABELLED, incoming.rows // 2), replace=False))
    _, classes, _ = seed_graph()

    def warm() -> int:
        parts = (incoming.indptr, incoming.indices, features.values)
        return sum(int(part.reshape(-1).view(np.uint8)[::4096].sum(dtype=np.int64)) for part in parts)

    batches = 0

    def sample() -> tuple[int, float]:
        nonlocal batches
        edges, began = 0, time.perf_counter()
        for _ in range(turn):
            seeds = np.random.default_rng(batches).choice(labelled, BATCH, replace=False)
            edges += sum(block.num_edges for block in sample_blocks(incoming, seeds, SAMPLES, batches).blocks)
            batches += 1
        return edges, time.perf_counter() - began

    training = _training(NeighborLoader(incoming, labelled, SAMPLES, BATCH, features, shuffle=True), classes)

    def train() -> tuple[int, float, float]:
        for _ in range(AHEAD):
            next(training)
        began = time.perf_counter()
        losses = [float(next(training)) for _ in range(turn)]
        return turn * BATCH, time.perf_counter() - began, float(np.mean(losses))

    return {"warm": warm, "sample": sample, "train": train, "memory": memory}


def _training(loader: NeighborLoader, classes: np.ndarray) -> Iterator[Any]:
    """Train a GraphSAGE of two layers for ever; give the loss of each step."""
    import core
    from core.nn import functional as F
    from PGL.nn import GraphSageConv

    core.seed(0)
    first, second = (
        GraphSageConv(WIDTH, HIDDEN, "mean", normalize=False),
        GraphSageConv(HIDDEN, CLASSES, "mean", normalize=False),
    )
    parameters = [*first.parameters(), *second.parameters()]
    optimizer = core.optimizer.Adam(0.003, parameters=parameters)
    epoch = 0
    while True:
        loader.set_epoch(epoch)
        for batch in loader:
            hidden = batch.features
            inner, outer = batch.blocks
            hidden = first(inner, (hidden, hidden[: inner.num_targets]), act="relu")
            output = second(outer, (hidden, hidden[: outer.num_targets]))
            labels = classes[np.asarray(batch.seeds) % len(classes)]
            loss = F.cross_entropy(output, core.to_tensor(labels))
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            yield loss
        epoch += 1
