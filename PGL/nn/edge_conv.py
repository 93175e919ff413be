"""Edge convolution: a network on each node and its difference to a neighbour.

Paper: Wang et al., "Dynamic Graph CNN for Learning on Point Clouds", ACM TOG 2019, https://arxiv.org/abs/1801.07829

    y_i = max of nn([x_i, x_j - x_i]) over the edges j → i

x (nodes, inputs), what nn takes (edges, 2 · inputs), y (nodes, outputs); 0 where no edge ends.
"""

from __future__ import annotations

from typing import Any

import core
from core.nn import Layer
from core.operators.graphs import message_passing
from PGL.nn.functional import reduction


class EdgeConv(Layer):
    """A network on pairs of neighbours, reduced at each node.

    Args:
        nn: a Layer of (edges, 2 · inputs) to (edges, outputs).
        aggr: ``max``, ``sum``, ``mean`` or ``min``.
    """

    def __init__(self, nn: Any, aggr: str = "max") -> None:
        super().__init__()
        self.nn = nn
        self.aggr = reduction("EdgeConv", aggr)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, inputs).

        Returns:
            (num_nodes, outputs).
        """
        edges = graph.connections()
        own = message_passing.edge_expand(feature, edges, "target")
        difference = message_passing.add_ends(feature, -feature, edges)
        return message_passing.edge_reduce(self.nn(core.concat([own, difference], axis=-1)), edges, self.aggr)
