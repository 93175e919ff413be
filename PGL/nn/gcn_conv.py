"""Graph convolution.

Paper: Kipf and Welling, "Semi-Supervised Classification with Graph Convolutional Networks", ICLR 2017,
https://arxiv.org/abs/1609.02907

    y = activation(D^-½ A D^-½ x W + b),  A: edges (self loops where the graph has them), D: degrees, at least 1

x (nodes, inputs), W (inputs, outputs), y (nodes, outputs).
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.operators.graphs import message_passing
from core.operators.linear_algebra.sparse_rows import SparseRows
from PGL.nn.functional import Activation, activation_function, linear, propagation


class GCNConv(nn.Layer):
    """A graph convolution; it multiplies by W first where that makes rows shorter.

    Args:
        input_size: size of the features.
        output_size: size of the result.
        activation: name of a function of core.nn.functional, or a function; None for none.
        norm: whether edges are normalised by the degrees of their ends.
    """

    def __init__(self, input_size: int, output_size: int, activation: Activation = None, norm: bool = True) -> None:
        super().__init__()
        self.input_size = input_size
        self.output_size = output_size
        self.linear = nn.Linear(input_size, output_size, bias_attr=False)
        self.bias = self.create_parameter(shape=[output_size], is_bias=True)
        self.norm = norm
        self.activation = activation_function("GCNConv", activation)

    def forward(self, graph: Any, feature: Any, norm: Any = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, or SparseRows where most numbers are 0.
            norm: (num_nodes, 1), used in place of 1 / √degree.

        Returns:
            (num_nodes, output_size).
        """
        first = self.input_size > self.output_size or isinstance(feature, SparseRows)
        if first:
            feature = linear(self.linear, feature)
        if self.norm or norm is not None:
            output = propagation(graph, norm)(feature, self.bias if first else None)
        else:
            output = message_passing.gather_reduce(feature, graph.connections(), "sum")
            output = output + self.bias if first else output
        if not first:
            output = self.linear(output) + self.bias
        return output if self.activation is None else self.activation(output)
