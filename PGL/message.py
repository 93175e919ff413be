"""What arrives at nodes: messages along edges, and their reductions at the node where each ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Message:
    """The messages that a reducing function gets; see :meth:`PGL.Graph.recv`.

    ``message["name"]`` is a Tensor of shape [num_edges, ...] in the order of the edges; the methods reduce such
    Tensors, or others computed from them, node by node.

    Args:
        msg: Tensors by name, a row for each edge.
        edges: the edges; what ends at a target is reduced there.
    """

    def __init__(self, msg: Mapping[str, Any], edges: Any) -> None:
        self._msg = msg
        self._edges = edges

    def __getitem__(self, key: str) -> Any:
        return self._msg[key]

    def reduce(self, msg: Any, pool_type: str = "sum") -> Any:
        """Reduce messages at each node.

        Args:
            msg: a Tensor of shape [num_edges, ...].
            pool_type: "sum", "mean", "max" or "min".

        Returns:
            A Tensor of shape [num_nodes, ...]; 0 where nothing arrives.
        """
        from core.operators.graphs.message_passing import edge_reduce

        return edge_reduce(msg, self._edges, pool_type)

    def reduce_sum(self, msg: Any) -> Any:
        """Add up messages at each node; see :meth:`reduce`."""
        return self.reduce(msg, "sum")

    def reduce_mean(self, msg: Any) -> Any:
        """Take the mean of messages at each node; see :meth:`reduce`."""
        return self.reduce(msg, "mean")

    def reduce_max(self, msg: Any) -> Any:
        """Take the largest of messages at each node; see :meth:`reduce`."""
        return self.reduce(msg, "max")

    def reduce_min(self, msg: Any) -> Any:
        """Take the smallest of messages at each node; see :meth:`reduce`."""
        return self.reduce(msg, "min")

    def reduce_softmax(self, msg: Any) -> Any:
        """Take the softmax among the messages that arrive at one node.

        Args:
            msg: a Tensor of shape [num_edges, ...].

        Returns:
            A Tensor of the same shape.
        """
        from core.operators.graphs.message_passing import edge_softmax

        return edge_softmax(msg, self._edges)

    def edge_expand(self, msg: Any) -> Any:
        """Give each edge what its node holds: the way back from :meth:`reduce`.

        Args:
            msg: a Tensor of shape [num_nodes, ...].

        Returns:
            A Tensor of shape [num_edges, ...].
        """
        from core.operators.graphs.message_passing import edge_expand

        return edge_expand(msg, self._edges)


class EndFeatures(dict[str, Any]):
    """Features of nodes, read for the node at one end of each edge when they are first asked for by name.

    Args:
        features: Tensors, or dictionaries of them, by name.
        graph: the graph.
        end: which end that is, "source" or "target".
    """

    def __init__(self, features: Mapping[str, Any], graph: Any, end: str) -> None:
        super().__init__()
        self._features = features
        self._graph = graph
        self._end = end

    def __missing__(self, key: str) -> Any:
        value = self._features[key]
        read = EndFeatures if isinstance(value, Mapping) else rows_of_edges
        self[key] = read(value, self._graph, self._end)
        return self[key]


def rows_of_edges(feature: Any, graph: Any, end: str) -> Any:
    """Return a Tensor's row for the node at one end of each edge.

    Args:
        feature: a Tensor with a row for each node.
        graph: the graph.
        end: which end that is, "source" or "target".
    """
    if not feature.is_floating_point():
        return feature.gather(graph.edges[:, 0 if end == "source" else 1])
    from core.operators.graphs.message_passing import edge_expand

    return edge_expand(feature, graph.connections(), end)
