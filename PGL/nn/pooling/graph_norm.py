"""Normalisation by the sizes of graphs.

Paper: Dwivedi et al., "Benchmarking Graph Neural Networks", JMLR 2023, https://arxiv.org/abs/2003.00982

    y_i = x_i / √n,  n: number of nodes of the graph of node i

x and y (nodes, size).
"""

from __future__ import annotations

from typing import Any

from core import nn
from PGL.nn import functional as GF


class GraphNorm(nn.Layer):
    """The features of each node, divided by the square root of the number of nodes in its graph."""

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graphs, joined.
            feature: (num_nodes, size).

        Returns:
            As ``feature``.
        """
        return GF.graph_norm(graph, feature)
