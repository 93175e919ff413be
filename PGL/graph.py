"""A graph whose edges begin and end at the same nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from PGL.checks import check_count, check_features, count_nodes, edge_array, is_tensor
from PGL.relation import Relation, _to_tensor


class Graph(Relation):
    """A directed graph with features of nodes and edges, in numpy's arrays or in Tensors.

    The edges are numbered in the order in which they are given. Self loops and edges that occur several times are kept,
    nodes without edges are allowed, and so are graphs without edges or nodes.

    Args:
        edges: pairs (source, target): a list, an array or a Tensor of shape [edges, 2].
        num_nodes: how many nodes there are; None: one more than the largest id.
        node_feat: arrays or Tensors by name, a row for each node.
        edge_feat: arrays or Tensors by name, a row for each edge.

    Raises:
        TypeError: features are no dictionary.
        ValueError: an edge is no pair of ids of existing nodes, or a feature has another number of rows.
    """

    def __init__(self, edges: Any, num_nodes: Any = None, node_feat: Any = None, edge_feat: Any = None) -> None:
        owner = type(self).__name__
        if num_nodes is None:
            count = count_nodes(edge_array(edges, owner))
        else:
            count = check_count(num_nodes, owner)
        super().__init__(edges, count, count, edge_feat)
        self._node_feat = check_features(node_feat, count, owner, "node")
        if any(is_tensor(value) for value in (edges, *self._node_feat.values(), *self._edge_feat.values())):
            self._is_tensor = False
            self.tensor()

    @property
    def num_nodes(self) -> int:
        """The number of nodes."""
        return self._num_sources

    @property
    def nodes(self) -> Any:
        """All ids, from 0 to below :attr:`num_nodes`: int64, an array or a Tensor."""
        nodes = np.arange(self.num_nodes)
        return _to_tensor(nodes) if self._is_tensor else nodes

    @property
    def node_feat(self) -> dict[str, Any]:
        """Features of nodes by name."""
        return self._node_feat

    def tensor(self, inplace: bool = True) -> Graph:
        """Turn edges and features into Tensors.

        Args:
            inplace: whether this graph is changed; False: it stays, and a new one shares its structure.
        """
        return self._converted(True, _as_tensor, inplace)

    def numpy(self, inplace: bool = True) -> Graph:
        """Turn edges and features into numpy's arrays.

        Args:
            inplace: whether this graph is changed; False: it stays, and a new one shares its structure.
        """
        return self._converted(False, np.asarray, inplace)

    def _converted(self, to_tensor: bool, convert: Any, inplace: bool) -> Graph:
        if self._is_tensor == to_tensor:
            return self
        graph = self
        if not inplace:
            graph = object.__new__(type(self))
            graph.__dict__.update(self.__dict__)
        graph._node_feat = {name: convert(value) for name, value in self._node_feat.items()}
        graph._edge_feat = {name: convert(value) for name, value in self._edge_feat.items()}
        graph._is_tensor = to_tensor
        return graph

    def flat(self) -> tuple[Any, ...]:
        """Return the graph as Tensors alone, so that it can pass into compiled code; :meth:`from_flat` undoes it.

        Returns:
            The edges, the six Tensors of :meth:`connections`, and the features in the order of their names, first those
            of nodes.
        """
        edges = self.connections()
        node_feat = [_as_tensor(self._node_feat[name]) for name in sorted(self._node_feat)]
        edge_feat = [_as_tensor(self._edge_feat[name]) for name in sorted(self._edge_feat)]
        return (_as_tensor(self.edges), *edges.incoming, *edges.outgoing, *node_feat, *edge_feat)

    @classmethod
    def from_flat(cls, tensors: Sequence[Any], node_feat: Sequence[str] = (), edge_feat: Sequence[str] = ()) -> Graph:
        """Put together a graph from what :meth:`flat` returned, in compiled code too; nothing is checked again.

        Args:
            tensors: the Tensors.
            node_feat: the names of the nodes' features.
            edge_feat: the names of the edges' features.

        Raises:
            ValueError: the number of Tensors does not fit the names.
        """
        wanted = 7 + len(node_feat) + len(edge_feat)
        if len(tensors) != wanted:
            raise ValueError(f"{cls.__name__}.from_flat: {wanted} Tensors belong to these features, not {len(tensors)}")
        from core.operators.message_passing import Edges

        edges, incoming, outgoing, features = tensors[0], tensors[1:4], tensors[4:7], tensors[7:]
        graph = object.__new__(cls)
        graph._num_sources = graph._num_targets = outgoing[0].shape[0] - 1
        graph._num_edges = edges.shape[0]
        graph._edges, graph._edge_tensor, graph._is_tensor = None, edges, True
        graph._outgoing = graph._incoming = None
        graph._connections = Edges(
            tuple(incoming), tuple(outgoing), graph._num_sources, graph._num_targets, graph._num_edges
        )
        graph._node_feat = dict(zip(sorted(node_feat), features))
        graph._edge_feat = dict(zip(sorted(edge_feat), features[len(node_feat) :]))
        return graph


def _as_tensor(value: Any) -> Any:
    return value if is_tensor(value) else _to_tensor(value)
