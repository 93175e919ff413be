"""Graph convolution with a weight for each kind of edge.

Paper: Schlichtkrull et al., "Modeling Relational Data with Graph Convolutional Networks", ESWC 2018,
https://arxiv.org/abs/1703.06103

    y_i = Σ_r mean_j x_j W_r over the edges j → i of kind r,  W_r = Σ_b c_rb V_b where there are fewer bases than kinds

x (nodes, inputs), W (kinds, inputs, outputs), V (bases, inputs, outputs), c (kinds, bases), y (nodes, outputs). As
pgl's, it leaves out the paper's W_0 x_i of the node itself: a kind of edge with self loops takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.operators.graphs import message_passing


class RGCNConv(nn.Layer):
    """The sum, over the kinds of edges, of the mean of neighbours.

    Args:
        in_dim: size of the features.
        out_dim: size of the result.
        etypes: names of the kinds of edges.
        num_bases: number of bases; 0, or as many as kinds: a matrix for each kind.
    """

    def __init__(self, in_dim: int, out_dim: int, etypes: Sequence[str], num_bases: int = 0) -> None:
        super().__init__()
        self.in_dim = in_dim
        self.out_dim = out_dim
        self.etypes = list(etypes)
        self.num_rels = len(self.etypes)
        self.num_bases = num_bases if 0 < num_bases < self.num_rels else self.num_rels
        self.weight = self.create_parameter(shape=[self.num_bases, in_dim, out_dim])
        if self.num_bases < self.num_rels:
            self.w_comp = self.create_parameter(shape=[self.num_rels, self.num_bases])

    def forward(self, graph: Any, feat: Any) -> Any:
        """Return the new features.

        Args:
            graph: a graph of several kinds of edges, or a dict from kind to graph.
            feat: (num_nodes, in_dim).

        Returns:
            (num_nodes, out_dim).

        Raises:
            ValueError: the graph lacks a kind of edges.
        """
        weights = self.weight
        if self.num_bases < self.num_rels:
            flat = core.matmul(self.w_comp, weights.reshape([self.num_bases, self.in_dim * self.out_dim]))
            weights = flat.reshape([self.num_rels, self.in_dim, self.out_dim])
        total: Any = None
        for kind, weight in zip(self.etypes, core.unbind(weights, axis=0)):
            try:
                edges = graph[kind].connections()
            except KeyError:
                raise ValueError(f"RGCNConv: the graph has no edges of kind {kind!r}") from None
            part = message_passing.gather_reduce(core.matmul(feat, weight), edges, "mean")
            total = part if total is None else total + part
        return total
