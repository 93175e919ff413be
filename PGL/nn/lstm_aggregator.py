"""A node's neighbours, one after another, through an LSTM.

Nodes with equally many neighbours go through the LSTM together ("degree bucketing"): nothing is padded, and there are
as many runs as there are different degrees.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import core
from core import nn


class Bucket(NamedTuple):
    """The nodes that have equally many neighbours.

    Attributes:
        degree: how many.
        nodes: ids, int64 of shape [nodes].
        neighbors: ids, int64 of shape [degree · nodes]: the first neighbour of each node, then the second ones …
    """

    degree: int
    nodes: np.ndarray
    neighbors: np.ndarray


def degree_buckets(starts: np.ndarray, neighbors: np.ndarray) -> list[Bucket]:
    """Group the nodes of a graph by their number of neighbours; those without are in no group.

    Args:
        starts: where each node's neighbours begin, int64 of shape [nodes + 1].
        neighbors: ids, node by node.
    """
    degrees = np.diff(starts)
    order = np.argsort(degrees, kind="stable")
    counts, firsts = np.unique(degrees[order], return_index=True)
    buckets = []
    for degree, nodes in zip(counts.tolist(), np.split(order, firsts[1:])):
        if degree:
            places = starts[nodes][None, :] + np.arange(degree)[:, None]
            buckets.append(Bucket(degree, nodes, neighbors[places.ravel()].astype(np.int64)))
    return buckets


class LSTMAggregator(nn.Layer):
    """The last state of an LSTM over the neighbours of each node, in the order of the edges.

    Which nodes run together depends on the graph: in compiled code it must be a graph that was there when the code was
    compiled, not one of its arguments.

    Args:
        input_size: size of the features.
        hidden_size: size of the state.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.lstm = nn.LSTM(input_size, hidden_size, time_major=True)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return a state for each node.

        Args:
            graph: the graph, nodes or bipartite.
            feature: (sources, input_size).

        Returns:
            (targets, hidden_size), 0 for nodes without incoming edges.
        """
        starts, neighbors, _ = graph.connections().incoming
        nodes = starts.shape[0] - 1
        buckets = degree_buckets(starts.numpy(), neighbors.numpy())
        if not buckets:
            return core.zeros([nodes, self.hidden_size])
        sent = core.gather(feature, core.to_tensor(np.concatenate([bucket.neighbors for bucket in buckets])))
        states = [core.zeros([1, self.hidden_size])]  # of nodes without neighbours
        place = np.zeros(nodes, np.int64)
        filled = 1
        for bucket, rows in zip(buckets, core.split(sent, [bucket.neighbors.size for bucket in buckets], axis=0)):
            _, (hidden, _) = self.lstm(rows.reshape([bucket.degree, bucket.nodes.size, feature.shape[1]]))
            states.append(hidden[0])
            place[bucket.nodes] = np.arange(filled, filled + bucket.nodes.size)
            filled += bucket.nodes.size
        return core.gather(core.concat(states, axis=0), core.to_tensor(place))
