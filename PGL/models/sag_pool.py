"""SAGPool: a network that classifies graphs by their best nodes.

Paper: Lee, Lee and Kang, "Self-Attention Graph Pooling", ICML 2019, https://arxiv.org/abs/1904.08082
It is the paper's global architecture, with the hyper-parameters of pgl's example.
"""

from __future__ import annotations

from typing import Any

import core
import PGL.nn.sag_pool as pooling
from core import nn
from core.nn import functional as F
from PGL.nn.functional import graph_pool
from PGL.nn.gcn_conv import GCNConv


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
        kept, _, smaller = self.pool(graph, core.concat(levels, axis=-1))
        pooled = core.concat([graph_pool(smaller, kept, "max"), graph_pool(smaller, kept, "mean")], axis=-1)
        hidden = F.relu(self.linear2(self.dropout(F.relu(self.linear1(pooled)))))
        return self.linear3(hidden)
