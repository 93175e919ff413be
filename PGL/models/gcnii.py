"""GCNII: 64 graph convolutions, none of which forgets the input.

Paper: Chen et al., "Simple and Deep Graph Convolutional Networks", ICML 2020, https://arxiv.org/abs/2007.02133
Source of parameter names: pgl's citation benchmark.
"""

from __future__ import annotations

from typing import Any

import PGL.nn.gcnii as convolutions
from core import nn
from core.nn import functional as F
from PGL.models.limits import LayerCount
from PGL.nn.functional import linear


class GCNII(nn.Layer):
    """Linear layers, a stack of deep graph convolutions, a linear layer: (nodes, inputs) to (nodes, classes).

    The defaults are the published ones for Cora. The graph should have a self loop at each node.

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: linear layers before the convolutions.
        hidden_size: size of the results between.
        dropout: probability of dropping a feature after each linear layer and before each convolution.
        lambda_l: λ of :class:`PGL.nn.GCNII`.
        alpha: how much of the input each convolution keeps.
        k_hop: number of convolutions.
    """

    def __init__(
        self,
        input_size: int,
        num_class: int,
        num_layers: LayerCount = 1,
        hidden_size: int = 64,
        dropout: float = 0.6,
        lambda_l: float = 0.5,
        alpha: float = 0.1,
        k_hop: LayerCount = 64,
    ) -> None:
        super().__init__()
        sizes = [input_size] + [hidden_size] * num_layers
        self.mlps = nn.LayerList([nn.Linear(before, after) for before, after in zip(sizes, sizes[1:])])
        self.drop_fn = nn.Dropout(dropout)
        self.output = nn.Linear(hidden_size, num_class)
        self.gcnii = convolutions.GCNII(hidden_size, "relu", lambda_l, alpha, k_hop, dropout)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the logits of all nodes.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, or SparseRows where most numbers are 0.

        Returns:
            (num_nodes, num_class).
        """
        for layer in self.mlps:
            feature = self.drop_fn(F.relu(linear(layer, feature)))
        return self.output(self.gcnii(graph, feature))
