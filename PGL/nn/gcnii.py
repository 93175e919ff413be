"""Deep graph convolutions that keep part of their input and of themselves.

Paper: Chen et al., "Simple and Deep Graph Convolutional Networks", ICML 2020, https://arxiv.org/abs/2007.02133

    h_l = (1 - α) D^-½ A D^-½ x_{l-1} + α x_0,  x_l = activation(β_l (h_l W_l + b_l) + (1 - β_l) h_l)
    β_l = log(λ / l + 1)

The layer multiplies by the matrix β_l W_l + (1 - β_l) I. x, h (nodes, hidden), W (hidden, hidden). The paper has no b.
"""

from __future__ import annotations

import math
from typing import Any

import core
from core import nn
from core.nn import functional as F
from PGL.nn.functional import Activation, activation_function, propagation


class GCNII(nn.Layer):
    """A stack of deep graph convolutions.

    Args:
        hidden_size: size of the features, in and out.
        activation: name of a function of core.nn.functional, or a function; None for none.
        lambda_l: λ.
        alpha: α.
        k_hop: number of convolutions.
        dropout: probability of dropping a feature before each.
    """

    def __init__(
        self,
        hidden_size: int,
        activation: Activation = None,
        lambda_l: float = 0.5,
        alpha: float = 0.2,
        k_hop: int = 10,
        dropout: float = 0.6,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.lambda_l = lambda_l
        self.alpha = alpha
        self.k_hop = k_hop
        self.dropout = dropout
        self.drop_fn = nn.Dropout(dropout)
        self.mlps = nn.LayerList([nn.Linear(hidden_size, hidden_size) for _ in range(k_hop)])
        self.activation = activation_function("GCNII", activation)

    def forward(self, graph: Any, feature: Any, norm: Any = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, hidden_size).
            norm: (num_nodes, 1), used in place of 1 / √degree.

        Returns:
            (num_nodes, hidden_size).
        """
        step = propagation(graph, norm, factor=1.0 - self.alpha)
        start, same = feature * self.alpha, core.eye(self.hidden_size, dtype=feature.dtype)
        for level, linear in enumerate(self.mlps, start=1):
            beta = math.log(self.lambda_l / level + 1.0)
            hidden = start + step(self.drop_fn(feature))
            feature = F.linear(hidden, linear.weight * beta + same * (1.0 - beta), linear.bias * beta)
            if self.activation is not None:
                feature = self.activation(feature)
        return feature
