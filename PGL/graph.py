"""A graph whose edges begin and end at the same nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import numpy as np

from PGL.checks import check_count, count_nodes, edge_array
from PGL.queries import id_batches
from PGL.relation import Relation
from PGL.structure import to_tensor


class Graph(Relation):
    """A directed graph with features of nodes and edges, in numpy's arrays or in Tensors.

    The edges are numbered in the order in which they are given. Self loops and edges that occur several times are kept,
    each an edge of its own; nodes without edges are allowed, and so are graphs without edges or nodes. Everything that
    answers questions about the structure lies in numpy's arrays in either form; with Tensors ``edges``, ``nodes``,
    degrees and features are Tensors, and messages can be passed. Numbers of nodes and edges are always ints.

    Args:
        edges: pairs (source, target): a list, an array or a Tensor of shape [edges, 2].
        num_nodes: how many nodes there are; None: one more than the largest id.
        node_feat: arrays or Tensors by name, a row for each node.
        edge_feat: arrays or Tensors by name, a row for each edge.

    Raises:
        TypeError: features are no dictionary.
        ValueError: an edge is no pair of ids of existing nodes, or a feature has another number of rows.
    """

    KINDS = ("node_feat", "edge_feat")
    PARTS = {"node": "num_nodes", "edge": "num_edges"}

    def __init__(self, edges: Any, num_nodes: Any = None, node_feat: Any = None, edge_feat: Any = None) -> None:
        owner = type(self).__name__
        edges = edges if hasattr(edges, "shape") else edge_array(edges, owner)
        count = count_nodes(edge_array(edges, owner)) if num_nodes is None else check_count(num_nodes, owner)
        super().__init__(edges, count, count, {"node_feat": node_feat, "edge_feat": edge_feat})

    @property
    def num_nodes(self) -> int:
        """The number of nodes."""
        return self._num_sources

    @property
    def nodes(self) -> Any:
        """All ids, from 0 to below :attr:`num_nodes`: int64, an array or a Tensor."""
        nodes = np.arange(self.num_nodes)
        return to_tensor(nodes) if self._is_tensor else nodes

    @property
    def node_feat(self) -> dict[str, Any]:
        """Features of nodes by name."""
        return self._features["node_feat"]

    def subgraph(self, nodes: Any, eid: Any = None, edges: Any = None, **options: bool) -> Graph:
        """Return the graph of some nodes, renumbered; see :func:`PGL.subgraph.subgraph`."""
        from PGL.subgraph import subgraph

        return subgraph(self, nodes, eid, edges, **options)

    def set_node_feat(self, features: dict[str, Any]) -> None:
        """Give the nodes other features, in the graph's own form, which is not checked; graphs may share them."""
        self._features["node_feat"] = features

    @property
    def graph_node_id(self) -> Any:
        """The graph to which each node belongs: int32 of shape [num_nodes], an array or a Tensor."""
        return self._part_id("node")

    def node_batch_iter(self, batch_size: int, shuffle: bool = True, seed: Optional[int] = None) -> Iterator[Any]:
        """Iterate over all nodes by batches.

        Args:
            batch_size: how many ids a batch has; the last may have fewer.
            shuffle: whether they come in a random order.
            seed: what the order follows from; None: numpy's global generator.

        Returns:
            Arrays, or Tensors, of ids, int64.

        Raises:
            ValueError: ``batch_size`` is not positive.
        """
        batches = id_batches(np.arange(self.num_nodes), batch_size, shuffle, seed, "Graph")
        return map(to_tensor, batches) if self._is_tensor else batches
