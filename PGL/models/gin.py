"""GIN: a network that tells graphs apart as well as the Weisfeiler-Lehman test.

Paper: Xu et al., "How Powerful are Graph Neural Networks?", ICLR 2019, https://arxiv.org/abs/1810.00826
Source of parameter names: pgl's example.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.nn import functional as F
from PGL.models.limits import LayerCount
from PGL.nn.functional import graph_pool, reduction
from PGL.nn.gin_conv import GINConv


class GIN(nn.Layer):
    """Convolutions, each of whose results, pooled, votes for a class: graphs of (nodes, inputs) to (graphs, classes).

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: number of convolutions.
        hidden_size: size of their results.
        init_eps: ε of each, at the start.
        train_eps: whether ε is learned.
        pool_type: ``sum``, ``mean``, ``max`` or ``min`` of a graph's nodes.
        dropout: probability of dropping a pooled feature.
    """

    def __init__(
        self,
        input_size: int,
        num_class: int,
        num_layers: LayerCount = 5,
        hidden_size: int = 64,
        init_eps: float = 0.0,
        train_eps: bool = False,
        pool_type: str = "sum",
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.pool_type = reduction("GIN", pool_type)
        sizes = [input_size] + [hidden_size] * num_layers
        self.gin_convs = nn.LayerList(
            [GINConv(before, after, "relu", init_eps, train_eps) for before, after in zip(sizes, sizes[1:])]
        )
        self.norms = nn.LayerList([nn.LayerNorm(size) for size in sizes[1:]])
        self.linears = nn.LayerList([nn.Linear(size, num_class) for size in sizes])
        self.dropout = nn.Dropout(dropout)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the logits of each graph.

        Args:
            graph: graphs, joined.
            feature: (num_nodes, input_size).

        Returns:
            (num_graph, num_class).
        """
        output = self.vote(0, graph, feature)
        for level, (conv, norm) in enumerate(zip(self.gin_convs, self.norms), start=1):
            feature = F.relu(norm(conv(graph, feature)))
            output = output + self.vote(level, graph, feature)
        return output

    def vote(self, level: int, graph: Any, feature: Any) -> Any:
        """Return the logits that one level's features speak for, (num_graph, num_class)."""
        return self.linears[level](self.dropout(graph_pool(graph, feature, self.pool_type)))
