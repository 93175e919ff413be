"""APPNP: a network that looks at each node alone, whose predictions are then propagated.

Paper: Gasteiger, Bojchevski and Günnemann, "Predict then Propagate: Graph Neural Networks meet Personalized PageRank",
ICLR 2019, https://arxiv.org/abs/1810.05997
Source of parameter names: pgl's citation benchmark.
"""

from __future__ import annotations

from typing import Any

import PGL.nn.appnp as propagation
from core import nn
from core.nn import functional as F
from PGL.models.limits import LayerCount
from PGL.nn.functional import dropped, linear


class APPNP(nn.Layer):
    """Linear layers, then propagation: (nodes, inputs) to (nodes, classes).

    The defaults are the published ones for Cora, Citeseer and Pubmed. The graph should have a self loop at each node.

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: linear layers before the last one.
        hidden_size: size of their results.
        dropout: probability of dropping a feature before each linear layer.
        k_hop: steps of propagation.
        alpha: probability of returning to the start in each.
    """

    def __init__(
        self,
        input_size: int,
        num_class: int,
        num_layers: LayerCount = 1,
        hidden_size: int = 64,
        dropout: float = 0.5,
        k_hop: LayerCount = 10,
        alpha: float = 0.1,
    ) -> None:
        super().__init__()
        sizes = [input_size] + [hidden_size] * num_layers
        self.mlps = nn.LayerList([nn.Linear(before, after) for before, after in zip(sizes, sizes[1:])])
        self.drop_fn = nn.Dropout(dropout)
        self.output = nn.Linear(sizes[-1], num_class)
        self.appnp = propagation.APPNP(alpha=alpha, k_hop=k_hop)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the logits of all nodes.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, or SparseRows where most numbers are 0.

        Returns:
            (num_nodes, num_class).
        """
        for layer in self.mlps:
            feature = F.relu(linear(layer, dropped(self.drop_fn, feature)))
        return self.appnp(graph, linear(self.output, dropped(self.drop_fn, feature)))
