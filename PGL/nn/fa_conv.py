"""Graph convolution that lets differences between neighbours through, not their mean alone.

Paper: Bo et al., "Beyond Low-frequency Information in Graph Convolutional Networks", AAAI 2021,
https://arxiv.org/abs/2101.00797

    α_ij = tanh(w · [x_j, x_i] + b) / √(d_i d_j),  y_i = Σ_j α_ij x_j over the edges j → i

x and y (nodes, size), w (2 · size), α (edges), between -1 and 1.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.operators.graphs import message_passing
from PGL.nn.functional import degree_norm


class FAConv(nn.Layer):
    """A sum of neighbours with weights of either sign.

    Args:
        hidden_size: size of the features.
        drop: probability of dropping an edge's weight.
    """

    def __init__(self, hidden_size: int, drop: float = 0.5) -> None:
        super().__init__()
        self.dropout = nn.Dropout(p=drop)
        self.gate = nn.Linear(2 * hidden_size, 1)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, hidden_size).

        Returns:
            (num_nodes, hidden_size).
        """
        edges = graph.connections()
        norm = degree_norm(graph)
        of_source, of_target = core.split(self.gate.weight, 2, axis=0)
        sent, received = core.matmul(feature, of_source), core.matmul(feature, of_target) + self.gate.bias
        weights = core.tanh(message_passing.add_ends(sent, received, edges)).reshape([-1])
        scaled = message_passing.gather_multiply_reduce(feature * norm, self.dropout(weights), edges)
        return scaled * norm
