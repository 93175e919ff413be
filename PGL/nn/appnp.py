"""Personalised PageRank of predictions.

Paper: Gasteiger, Bojchevski and Günnemann, "Predict then Propagate: Graph Neural Networks meet Personalized PageRank",
ICLR 2019, https://arxiv.org/abs/1810.05997

    y_0 = x,  y_{k+1} = α x + (1 - α) D^-½ A D^-½ y_k

x and y (nodes, size). There are no parameters.
"""

from __future__ import annotations

from typing import Any

from core import nn
from PGL.nn.functional import propagation


class APPNP(nn.Layer):
    """K steps of propagation, each of which returns to the start with probability α.

    Args:
        alpha: α.
        k_hop: K.
        self_loop: whether every node is given exactly one self loop, whatever the graph has.
    """

    def __init__(self, alpha: float = 0.2, k_hop: int = 10, self_loop: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.k_hop = k_hop
        self.self_loop = self_loop

    def forward(self, graph: Any, feature: Any, norm: Any = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, size).
            norm: (num_nodes, 1), used in place of 1 / √degree.

        Returns:
            (num_nodes, size).
        """
        step = propagation(graph, norm, self.self_loop, factor=1.0 - self.alpha)
        start = feature * self.alpha
        for _ in range(self.k_hop):
            feature = start + step(feature)
        return feature
