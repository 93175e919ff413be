"""Self-attention pooling: keep the best nodes of each graph.

Paper: Lee, Lee and Kang, "Self-Attention Graph Pooling", ICML 2019, https://arxiv.org/abs/1904.08082

    s = tanh(GNN(x)),  the ⌈ratio n⌉ best of a graph's n nodes are kept, best first,  y_i = s_i x_i
    or, with a least score: s = softmax of GNN(x) over the nodes of a graph; nodes below it go, but never the best one

x (nodes, inputs), s (nodes), y (kept nodes, inputs). The edges between kept nodes are kept.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np

import core
from core import nn
from core.operators.graphs import message_passing
from PGL.graph import Graph
from PGL.math import segment_topk
from PGL.nn.functional import membership
from PGL.nn.gcn_conv import GCNConv
from PGL.subgraph import subgraph


class SAGPool(nn.Layer):
    """The best nodes of each graph, and the edges between them.

    Which nodes are kept, and so the edges between them, depends on the features: the layer runs eagerly, not in
    compiled code.

    Args:
        input_dim: size of the features.
        ratio: how many of a graph's nodes are kept: a share of them, rounded up, or, as an int, a number.
        gnn: the class of the layer that scores nodes, called with (input_dim, 1); None: :class:`PGL.nn.GCNConv`.
        min_score: the least score of a node that is kept, in place of ``ratio``; None for none.
        nonlinearity: from what the layer says to the score, without ``min_score``; None: tanh.
    """

    def __init__(
        self,
        input_dim: int,
        ratio: Union[float, int] = 0.5,
        gnn: Optional[Callable[..., nn.Layer]] = None,
        min_score: Optional[float] = None,
        nonlinearity: Optional[Callable[[Any], Any]] = None,
    ) -> None:
        super().__init__()
        self.input_dim = input_dim
        self.ratio = ratio
        self.gnn = (GCNConv if gnn is None else gnn)(input_dim, 1)
        self.min_score = min_score
        self.nonlinearity = core.tanh if nonlinearity is None else nonlinearity

    def forward(self, graph: Any, x: Any) -> tuple[Any, Any, Graph]:
        """Keep the best nodes.

        Args:
            graph: the graphs, joined.
            x: (num_nodes, input_dim).

        Returns:
            (features of the kept nodes (kept, input_dim), the graph to which each belongs (kept), the smaller graphs,
            joined, with these features as ``attr``).
        """
        scores = self.scores(graph, x)
        kept, places = segment_topk(x, scores, graph.graph_node_id, self.ratio, self.min_score, return_index=True)
        features = kept * core.gather(scores, places).reshape([-1, 1])
        smaller = _smaller(graph, places.numpy(), features)
        return features, smaller.graph_node_id, smaller

    def scores(self, graph: Any, x: Any) -> Any:
        """Return s, (num_nodes,)."""
        scores = self.gnn(graph, x).reshape([-1])
        if self.min_score is None:
            return self.nonlinearity(scores)
        return message_passing.edge_softmax(scores, membership(graph))


def best_nodes(graph: Any, scores: Any, ratio: Union[float, int]) -> Any:
    """Return which nodes of each graph have the best scores, in compiled code too.

    Args:
        graph: the graphs, joined.
        scores: (num_nodes,).
        ratio: how many of a graph's nodes: a share of them, rounded up, or, as an int, a number.

    Returns:
        bool (num_nodes,).
    """
    edges = membership(graph)
    starts, owners = edges.incoming.indptr, edges.outgoing.neighbors.astype("int64")
    order = core.argsort(scores.detach(), descending=True)
    places = core.argsort(order)  # of each node among all, best first
    by_graph = core.argsort(owners * graph.num_nodes + places)  # graph after graph, best first
    ranks = core.argsort(by_graph) - core.gather(starts, owners)
    counts = (starts[1:] - starts[:-1]).astype("float32")
    kept = core.clip(counts, max=float(ratio)) if isinstance(ratio, int) else core.ceil(counts * ratio)
    return ranks.astype("float32") < core.gather(kept, owners)


def _smaller(graph: Any, kept: np.ndarray, features: Any) -> Graph:
    """Return the graphs of the nodes that are kept, joined."""
    part = subgraph(graph.numpy(inplace=False), kept, with_node_feat=False, with_edge_feat=False)
    of_nodes = graph.graph_node_id.numpy()[kept]
    of_edges = of_nodes[part.edges[:, 1]]
    parts = [core.to_tensor(np.searchsorted(ids, np.arange(graph.num_graph + 1))) for ids in (of_nodes, of_edges)]
    edges_and_rows = part.tensor().flat()[:7]
    return Graph.from_flat((*edges_and_rows, *parts, features), node_feat=["attr"])
