"""Simplified graph convolution: propagation alone, then one linear layer.

Paper: Wu et al., "Simplifying Graph Convolutional Networks", ICML 2019, https://arxiv.org/abs/1902.07153

    y = activation((D^-½ A D^-½)^K x W + b)

x (nodes, inputs), W (inputs, outputs), y (nodes, outputs).
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.operators.linear_algebra.sparse_rows import SparseRows
from PGL.nn.functional import Activation, activation_function, linear, propagation


class SGCConv(nn.Layer):
    """K steps of propagation, then a linear layer.

    Args:
        input_size: size of the features.
        output_size: size of the result.
        k_hop: K.
        cached: whether propagated features are kept and used as long as the same graph and features are given. In
            compiled code that is so for those that it does not receive as arguments.
        activation: name of a function of core.nn.functional, or a function; None for none.
        bias: whether there is a b.
    """

    def __init__(
        self,
        input_size: int,
        output_size: int,
        k_hop: int = 2,
        cached: bool = True,
        activation: Activation = None,
        bias: bool = False,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.output_size = output_size
        self.k_hop = k_hop
        self.linear = nn.Linear(input_size, output_size, bias_attr=False)
        self.bias = self.create_parameter(shape=[output_size], is_bias=True) if bias else None
        self.cached = cached
        self._kept: tuple[Any, Any, Any] = (None, None, None)
        self.activation = activation_function(type(self).__name__, activation)

    def propagated(self, graph: Any, feature: Any) -> Any:
        """Return features after the propagation, (num_nodes, size)."""
        step = propagation(graph)
        for _ in range(self.k_hop):
            feature = step(feature)
        return feature

    def kept(self, graph: Any, feature: Any) -> Any:
        """Return :meth:`propagated`, computed again only for another graph or other features than last time."""
        known_graph, known_feature, output = self._kept
        if known_graph is not graph or known_feature is not feature:
            output = self.propagated(graph, feature)
            if core.in_dynamic_mode():
                self._kept = (graph, feature, output)
        return output

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, or SparseRows where most numbers are 0: these are multiplied by
                W first, and nothing is kept.

        Returns:
            (num_nodes, output_size).
        """
        if isinstance(feature, SparseRows):
            output = self.propagated(graph, linear(self.linear, feature))
        else:
            output = self.linear(self.kept(graph, feature) if self.cached else self.propagated(graph, feature))
        if self.bias is not None:
            output = output + self.bias
        return output if self.activation is None else self.activation(output)
