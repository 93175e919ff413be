"""Graph convolution for recommendation, of which nothing but the propagation is left.

Paper: He et al., "LightGCN: Simplifying and Powering Graph Convolution Network for Recommendation", SIGIR 2020,
https://arxiv.org/abs/2002.02126

    y = D^-½ A D^-½ x

x and y (nodes, size). There are no parameters.
"""

from __future__ import annotations

from typing import Any

from core import nn
from PGL.nn.functional import propagation


class LightGCNConv(nn.Layer):
    """One step of propagation."""

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, size).

        Returns:
            (num_nodes, size).
        """
        return propagation(graph)(feature)
