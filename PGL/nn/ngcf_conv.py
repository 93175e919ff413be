"""Graph convolution for recommendation, in which a node also meets its neighbours element by element.

Paper: Wang et al., "Neural Graph Collaborative Filtering", SIGIR 2019, https://arxiv.org/abs/1905.08108

    h_i = (x_i + Σ_j x_j) / √d_i over the edges j → i,  y = LeakyReLU(h W₁ + b₁ + (x ∘ h) W₂ + b₂)

x and h (nodes, inputs), W₁ and W₂ (inputs, outputs), y (nodes, outputs).
"""

from __future__ import annotations

from typing import Any

from core import ParamAttr, nn
from core.operators.graphs import message_passing
from PGL.nn.functional import degree_norm


class NGCFConv(nn.Layer):
    """Two linear layers on the sum of neighbours, and on its product with the node.

    Args:
        input_size: size of the features.
        output_size: size of the result.
    """

    def __init__(self, input_size: int, output_size: int) -> None:
        super().__init__()
        self.input_size = input_size
        self.output_size = output_size
        weight = ParamAttr(initializer=nn.initializer.XavierUniform())
        bias = ParamAttr(initializer=nn.initializer.XavierUniform(fan_in=1, fan_out=output_size))
        self.linear = nn.Linear(input_size, output_size, weight, bias)
        self.linear2 = nn.Linear(input_size, output_size, weight, bias)
        self.leaky_relu = nn.LeakyReLU(negative_slope=0.2)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size).

        Returns:
            (num_nodes, output_size).
        """
        neighbors = message_passing.gather_reduce(feature, graph.connections(), "sum")
        hidden = (neighbors + feature) * degree_norm(graph)
        return self.leaky_relu(self.linear(hidden) + self.linear2(feature * hidden))
