"""Graph isomorphism network.

Paper: Xu et al., "How Powerful are Graph Neural Networks?", ICLR 2019, https://arxiv.org/abs/1810.00826

    y_i = MLP((1 + ε) x_i + Σ_j x_j) over the edges j → i,  MLP: W₁, layer norm, activation, W₂

x (nodes, inputs), W₁ (inputs, outputs), W₂ (outputs, outputs), y (nodes, outputs). The paper's MLP has batch norm where
pgl has layer norm.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.operators.graphs import message_passing
from PGL.nn.functional import Activation, activation_function


class GINConv(nn.Layer):
    """The sum of a node and its neighbours through two linear layers.

    Args:
        input_size: size of the features.
        output_size: size of the result.
        activation: name of a function of core.nn.functional, or a function; None for none.
        init_eps: ε, at the start.
        train_eps: whether ε is learned.
    """

    def __init__(
        self,
        input_size: int,
        output_size: int,
        activation: Activation = None,
        init_eps: float = 0.0,
        train_eps: bool = False,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.output_size = output_size
        self.linear1 = nn.Linear(input_size, output_size, bias_attr=True)
        self.linear2 = nn.Linear(output_size, output_size, bias_attr=True)
        self.layer_norm = nn.LayerNorm(output_size)
        self.epsilon: Any = init_eps
        if train_eps:
            self.epsilon = self.create_parameter(
                shape=[1, 1], dtype="float32", default_initializer=nn.initializer.Constant(value=init_eps)
            )
        self.activation = activation_function("GINConv", activation)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size).

        Returns:
            (num_nodes, output_size).
        """
        neighbors = message_passing.gather_reduce(feature, graph.connections(), "sum")
        output = self.layer_norm(self.linear1(neighbors + feature * (self.epsilon + 1.0)))
        if self.activation is not None:
            output = self.activation(output)
        return self.linear2(output)
