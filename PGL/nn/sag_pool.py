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
from core.operators import message_passing
from PGL.graph import Graph
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
        scores = self.gnn(graph, x).reshape([-1])
        if self.min_score is None:
            scores = self.nonlinearity(scores)
        else:
            scores = message_passing.edge_softmax(scores, membership(graph))
        owners = graph.graph_node_id.numpy()
        if self.min_score is None:
            kept = best_nodes(scores.numpy(), owners, self.ratio)
        else:
            kept = good_nodes(scores.numpy(), owners, self.min_score)
        places = core.to_tensor(kept)
        features = core.gather(x, places) * core.gather(scores, places).reshape([-1, 1])
        smaller = _smaller(graph, kept, owners, features)
        return features, smaller.graph_node_id, smaller


def best_nodes(scores: np.ndarray, owners: np.ndarray, ratio: Union[float, int]) -> np.ndarray:
    """Return the ids of the best nodes of each graph, best first, graph by graph.

    Args:
        scores: (nodes).
        owners: the graph of each node, ascending, (nodes).
        ratio: the share of a graph's nodes, rounded up, or, as an int, their number.
    """
    sizes = np.bincount(owners)
    wanted = np.minimum(ratio, sizes) if isinstance(ratio, int) else np.ceil(np.float32(ratio) * sizes)
    order = np.lexsort((-scores, owners))
    ranks = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return order[ranks < wanted[owners]]


def good_nodes(scores: np.ndarray, owners: np.ndarray, min_score: float) -> np.ndarray:
    """Return the ids, ascending, of the nodes that reach a score and of each graph's best; arguments as above."""
    largest = np.full(owners.max(initial=-1) + 1, -np.inf, scores.dtype)
    np.maximum.at(largest, owners, scores)
    return np.flatnonzero(scores > np.minimum(largest - np.float32(1e-7), np.float32(min_score))[owners])


def _smaller(graph: Any, kept: np.ndarray, owners: np.ndarray, features: Any) -> Graph:
    """Return the graphs of the nodes that are kept, joined."""
    part = subgraph(graph.numpy(inplace=False), kept, with_node_feat=False, with_edge_feat=False)
    of_nodes = owners[kept]
    of_edges = of_nodes[part.edges[:, 1]]
    parts = [core.to_tensor(np.searchsorted(ids, np.arange(graph.num_graph + 1))) for ids in (of_nodes, of_edges)]
    edges_and_rows = part.tensor().flat()[:7]
    return Graph.from_flat((*edges_and_rows, *parts, features), node_feat=["attr"])
