"""SAGPool: a network that classifies graphs by their best nodes.

Paper: Lee, Lee and Kang, "Self-Attention Graph Pooling", ICML 2019, https://arxiv.org/abs/1904.08082
It is the paper's global architecture, with the hyper-parameters of pgl's example. As nothing but the mean and the
largest of the kept nodes is needed, no smaller graph is made, so that the network compiles.
"""

from __future__ import annotations

from typing import Any

import core
import PGL.nn.pooling.sag_pool as pooling
from core import nn
from core.nn import functional as F
from PGL.nn.functional import graph_pool
from PGL.nn.gcn_conv import GCNConv
from PGL.nn.pooling.sag_pool import best_nodes

LEAST = -1e30
"""Stands for the features of nodes that are not kept, where the largest are sought."""


class SAGPool(nn.Layer):
    """Three convolutions, pooling, three linear layers: graphs of (nodes, inputs) to (graphs, classes).

    Args:
        input_size: size of the features.
        num_class: number of classes.
        hidden_size: size of the convolutions' results.
        ratio: how many of a graph's nodes are kept.
        dropout: probability of dropping a feature of the pooled graph.
    """

    def __init__(
        self, input_size: int, num_class: int, hidden_size: int = 128, ratio: float = 0.5, dropout: float = 0.5
    ) -> None:
        super().__init__()
        sizes = (input_size, hidden_size, hidden_size, hidden_size)
        self.convs = nn.LayerList(
            [GCNConv(before, after, activation="relu") for before, after in zip(sizes, sizes[1:])]
        )
        self.pool = pooling.SAGPool(3 * hidden_size, ratio)
        self.linear1 = nn.Linear(6 * hidden_size, hidden_size)
        self.linear2 = nn.Linear(hidden_size, hidden_size // 2)
        self.linear3 = nn.Linear(hidden_size // 2, num_class)
        self.dropout = nn.Dropout(dropout)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the logits of each graph.

        Args:
            graph: graphs, joined.
            feature: (num_nodes, input_size).

        Returns:
            (num_graph, num_class).
        """
        levels = []
        for conv in self.convs:
            feature = conv(graph, feature)
            levels.append(feature)
        joined = core.concat(levels, axis=-1)
        scores = self.pool.scores(graph, joined)
        kept = best_nodes(graph, scores, self.pool.ratio).unsqueeze(-1)
        weighted = joined * scores.unsqueeze(-1)
        largest = graph_pool(graph, core.where(kept, weighted, core.full_like(weighted, LEAST)), "max")
        share = kept.astype(weighted.dtype)
        mean = graph_pool(graph, weighted * share, "sum") / graph_pool(graph, share, "sum")
        pooled = core.concat([largest, mean], axis=-1)
        hidden = F.relu(self.linear2(self.dropout(F.relu(self.linear1(pooled)))))
        return self.linear3(hidden)
