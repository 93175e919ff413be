"""Time of GraphSAGE's LSTM aggregation: nodes bucketed by degree, against one node after another.

Both run the same LSTM, and how far their states differ is printed. Run ``python -m
benchmarks.PGL.graph_lstm_aggregator``; it prints one table, milliseconds, the medians of turns taken one after the
other.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any, Callable

import numpy as np

import core
import PGL
from PGL.nn.lstm_aggregator import LSTMAggregator


def node_by_node(layer: LSTMAggregator, graph: Any, feature: Any) -> Any:
    """Return the aggregator's states, each node's neighbours sent through the LSTM alone."""
    zeros = core.zeros([layer.hidden_size])
    states = []
    for neighbors in graph.predecessor():
        if not len(neighbors):
            states.append(zeros)
            continue
        sequence = core.gather(feature, core.to_tensor(neighbors.astype(np.int64))).unsqueeze(1)
        states.append(layer.lstm(sequence)[1][0][0, 0])
    return core.stack(states)


def milliseconds(layer: LSTMAggregator, aggregate: Callable[[], Any], backward: bool) -> float:
    """Return the time of a call, that of the gradients of the weights too with ``backward``."""
    started = time.perf_counter()
    states = aggregate()
    if backward:
        states.sum().backward()
        layer.parameters()[0].grad.numpy()
        layer.clear_gradients()
    else:
        states.numpy()
    return (time.perf_counter() - started) * 1e3


def main(nodes: int, degree: int, size: int, rounds: int) -> None:
    """Measure and print.

    Args:
        nodes: number of nodes.
        degree: mean number of neighbours; they are spread like those of a social network.
        size: of features and states.
        rounds: turns of each side.
    """
    generator = np.random.default_rng(0)
    popularity = generator.pareto(2.0, nodes) + 1.0
    targets = generator.choice(nodes, nodes * degree, p=popularity / popularity.sum())
    edges = np.stack([generator.integers(nodes, size=targets.size), targets], axis=1)
    graph = PGL.Graph(edges=edges, num_nodes=nodes).tensor()
    layer, feature = LSTMAggregator(size, size), core.randn([nodes, size])
    degrees = np.unique(graph.incoming.degrees())

    sides = {"bucketed": lambda: layer(graph, feature), "node by node": lambda: node_by_node(layer, graph, feature)}
    difference = np.abs(sides["bucketed"]().numpy() - sides["node by node"]().numpy()).max()
    print(
        f"{nodes:,} nodes, {targets.size:,} edges, {degrees.size} different degrees up to {degrees[-1]}, size {size};"
        f" largest difference {difference:.1e}"
    )
    print(f"{'':24}{'bucketed':>12}{'node by node':>16}{'times as fast':>16}")
    for title, backward in (("forward", False), ("forward and backward", True)):
        times: dict[str, list[float]] = {name: [] for name in sides}
        for turn in range(rounds + 1):
            for name, aggregate in sides.items():
                spent = milliseconds(layer, aggregate, backward)
                if turn:  # the first one warms up
                    times[name].append(spent)
        mine, theirs = (statistics.median(times[name]) for name in sides)
        print(f"{title:24}{mine:12.1f}{theirs:16.1f}{theirs / mine:16.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--degree", type=int, default=10)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    main(**vars(parser.parse_args()))
