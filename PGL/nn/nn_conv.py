"""Convolution whose weights a network makes of each edge's features.

Paper: Gilmer et al., "Neural Message Passing for Quantum Chemistry", ICML 2017, https://arxiv.org/abs/1704.01212

    y_i = x_i W + Σ x_j nn(e_ji) + b over the edges j → i

x (nodes, inputs), e (edges, size), nn(e) (edges, inputs · outputs), taken as a matrix (inputs, outputs) for each edge,
W (inputs, outputs), y (nodes, outputs).
"""

from __future__ import annotations

from typing import Any

import core
from core.nn import Layer, Linear
from core.operators.graphs import message_passing
from PGL.nn.functional import reduction


class NNConv(Layer):
    """Neighbours through a matrix that depends on their edge.

    Args:
        input_size: size of the features.
        output_size: size of the result.
        nn: a Layer of (edges, size) to (edges, input_size · output_size).
        aggr: ``sum``, ``mean``, ``max`` or ``min`` of the neighbours.
        root_weight: whether there is a W.
        bias: whether there is a b.
    """

    def __init__(
        self, input_size: int, output_size: int, nn: Any, aggr: str = "sum", root_weight: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        self.input_size, self.output_size = input_size, output_size
        self.nn = nn
        self.aggr = reduction("NNConv", aggr)
        self.lin = Linear(input_size, output_size, bias_attr=False) if root_weight else None
        self.bias = self.create_parameter(shape=[output_size], is_bias=True) if bias else None

    def forward(self, graph: Any, feature: Any, edge_feat: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size).
            edge_feat: (num_edges, size), in the order of the edges.

        Returns:
            (num_nodes, output_size).

        Raises:
            ValueError: nn makes another number of weights.
        """
        edges, weights = graph.connections(), self.nn(edge_feat)
        if weights.shape[-1] != self.input_size * self.output_size:
            raise ValueError(
                f"NNConv: nn must make {self.input_size} x {self.output_size} weights of an edge, not"
                f" {weights.shape[-1]}"
            )
        matrices = weights.reshape([-1, self.input_size, self.output_size])
        rows = message_passing.edge_expand(feature, edges, "source").unsqueeze(1)
        messages = core.matmul(rows, matrices).squeeze(1)
        output = message_passing.edge_reduce(messages, edges, self.aggr)
        if self.lin is not None:
            output = output + self.lin(feature)
        return output if self.bias is None else output + self.bias
