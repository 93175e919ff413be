"""ARMA filters: stacks of recursive convolutions with a way back to the features, averaged.

Paper: Bianchi et al., "Graph Neural Networks with Convolutional ARMA Filters", TPAMI 2021, https://arxiv.org/abs/1901.01343

    z_0 = x,  z_{t+1} = activation(D^-½ A D^-½ z_t W_t + dropout(x) V_t + b_t)  for each of K stacks
    y = mean of z_T over the stacks

x (nodes, inputs), z_t (stacks, nodes, outputs), W_0 and V_t (stacks, inputs, outputs), W_t (stacks, outputs, outputs),
b_t (stacks, 1, outputs), y (nodes, outputs). With shared weights all t from 1 on have the same W, and all t the same V
and b.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn.initializer import XavierUniform
from PGL.nn.functional import Activation, activation_function, weighted_propagation


class ARMAConv(nn.Layer):
    """K stacks of T recursive convolutions, averaged.

    Args:
        input_size: size of the features.
        output_size: size of the result.
        num_stacks: K.
        num_layers: T.
        shared_weights: whether the steps of a stack share their weights.
        act: name of a function of core.nn.functional, or a function; None for none.
        dropout: probability of dropping a feature on its way past the convolution.
        bias: whether there are b.

    Raises:
        ValueError: K or T is not positive, or there is no such activation.
    """

    def __init__(
        self,
        input_size: int,
        output_size: int,
        num_stacks: int = 1,
        num_layers: int = 1,
        shared_weights: bool = False,
        act: Activation = "relu",
        dropout: float = 0.0,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_stacks < 1 or num_layers < 1:
            raise ValueError(f"ARMAConv: num_stacks and num_layers must be positive, not {num_stacks} and {num_layers}")
        self.num_layers, self.shared_weights = num_layers, shared_weights
        self.act = activation_function("ARMAConv", act)
        self.dropout = nn.Dropout(dropout)
        steps = 1 if shared_weights else num_layers

        def weights(count: int, inputs: int, name: str) -> list[Any]:
            made = [
                self.create_parameter(
                    [num_stacks, inputs, output_size], default_initializer=XavierUniform(inputs, output_size)
                )
                for _ in range(count)
            ]
            for number, parameter in enumerate(made):
                self.add_parameter(f"{name}_{number}", parameter)
            return made

        self._init = weights(1, input_size, "init_weight")
        self._weights = weights(min(steps, num_layers - 1), output_size, "weight")
        self._roots = weights(steps, input_size, "root_weight")
        self._biases = []
        for number in range(steps if bias else 0):
            self._biases.append(self.create_parameter(shape=[num_stacks, 1, output_size], is_bias=True))
            self.add_parameter(f"bias_{number}", self._biases[-1])

    def forward(self, graph: Any, feature: Any, edge_weight: Any = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size).
            edge_weight: (num_edges,), in the order of the edges; None: 1.

        Returns:
            (num_nodes, output_size).
        """
        step = weighted_propagation(graph, feature.dtype, edge_weight)
        hidden = feature.unsqueeze(0)
        for number in range(self.num_layers):
            last = 0 if self.shared_weights else number
            weight = self._init[0] if number == 0 else self._weights[0 if self.shared_weights else number - 1]
            moved = core.transpose(core.matmul(hidden, weight), [1, 0, 2])  # nodes in front, as edges take them
            stacks, size = moved.shape[1], moved.shape[2]
            moved = step(moved.reshape([-1, stacks * size])).reshape([-1, stacks, size])
            hidden = core.transpose(moved, [1, 0, 2]) + core.matmul(
                self.dropout(feature).unsqueeze(0), self._roots[last]
            )
            if self._biases:
                hidden = hidden + self._biases[last]
            if self.act is not None:
                hidden = self.act(hidden)
        return hidden.mean(axis=0)
