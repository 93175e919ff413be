"""One row for each graph: a mean of its nodes with learned weights.

Paper: Li et al., "Gated Graph Sequence Neural Networks", ICLR 2016, https://arxiv.org/abs/1511.05493

    a = softmax of gate(x_i) over the nodes i of a graph,  y_g = Σ_i a_i nn(x_i)

x (nodes, inputs), a (nodes, 1), y (graphs, outputs).
"""

from __future__ import annotations

from typing import Any, Optional

from core import nn as layers
from core.operators.graphs import message_passing
from PGL.nn.functional import membership


class GlobalAttention(layers.Layer):
    """A weighted mean of the nodes of each graph.

    Args:
        gate: a layer, (nodes, inputs) to (nodes, 1).
        nn: a layer, (nodes, inputs) to (nodes, outputs); None: the features as they are.
    """

    def __init__(self, gate: layers.Layer, nn: Optional[layers.Layer] = None) -> None:
        super().__init__()
        self.gate = gate
        self.nn = nn

    def forward(self, graph: Any, x: Any) -> Any:
        """Return a row for each graph.

        Args:
            graph: the graphs, joined.
            x: (num_nodes, inputs).

        Returns:
            (num_graph, outputs).
        """
        nodes = membership(graph)
        weights = message_passing.edge_softmax(self.gate(x).reshape([-1, 1]), nodes).reshape([-1])
        return message_passing.gather_multiply_reduce(x if self.nn is None else self.nn(x), weights, nodes)
