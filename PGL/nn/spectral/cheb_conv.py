"""Chebyshev spectral convolution: polynomials of the Laplacian, of which each power has its own weights.

Paper: Defferrard, Bresson and Vandergheynst, "Convolutional Neural Networks on Graphs with Fast Localized Spectral
Filtering", NIPS 2016, https://arxiv.org/abs/1606.09375

    L̂ = 2 L / λ - I,  L = I - D^-½ A D^-½ (sym), I - D^-1 A (rw), or D - A
    T_0 = x,  T_1 = L̂ x,  T_k = 2 L̂ T_{k-1} - T_{k-2}
    y = Σ_{k<K} T_k W_k + b

x and T_k (nodes, inputs), W_k (inputs, outputs), y (nodes, outputs). A_ij is the weight of the edge j → i; self loops
are left out, as the Laplacian has none. D counts what arrives at a node; a node at which nothing arrives has 0 in D^-½.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from core.operators.graphs import message_passing
from PGL.nn.functional import no_loops

NORMALIZATIONS = ("sym", "rw", None)


class ChebConv(nn.Layer):
    """K Chebyshev polynomials of the Laplacian, each through a linear layer.

    Args:
        input_size: size of the features.
        output_size: size of the result.
        K: how many polynomials.
        normalization: ``sym``, ``rw`` or None: which Laplacian.
        bias: whether there is a b.

    Raises:
        ValueError: K is not positive, or there is no such normalisation.
    """

    def __init__(
        self, input_size: int, output_size: int, K: int, normalization: Optional[str] = "sym", bias: bool = True
    ) -> None:
        super().__init__()
        if K < 1:
            raise ValueError(f"ChebConv: K must be positive, not {K}")
        if normalization not in NORMALIZATIONS:
            raise ValueError(f"ChebConv: normalization must be 'sym', 'rw' or None, not {normalization!r}")
        self.normalization = normalization
        self.lins = nn.LayerList([nn.Linear(input_size, output_size, bias_attr=False) for _ in range(K)])
        self.bias = self.create_parameter(shape=[output_size], is_bias=True) if bias else None

    def forward(self, graph: Any, feature: Any, edge_weight: Any = None, lambda_max: Optional[float] = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size).
            edge_weight: (num_edges,), in the order of the edges; None: 1.
            lambda_max: λ, the largest eigenvalue of L; 2 by default, which no normalised Laplacian exceeds.

        Returns:
            (num_nodes, output_size).

        Raises:
            ValueError: λ is needed, as L is not normalised, or not positive.
        """
        if lambda_max is None and self.normalization is None:
            raise ValueError("ChebConv: without normalization give lambda_max, the largest eigenvalue of the Laplacian")
        if lambda_max is not None and not lambda_max > 0:
            raise ValueError(f"ChebConv: lambda_max must be positive, not {lambda_max}")
        laplacian = self._scaled(graph, feature, edge_weight, 2.0 if lambda_max is None else lambda_max)
        before, term = feature, feature
        output = self.lins[0](feature)
        for power, lin in enumerate(self.lins):
            if power == 0:
                continue
            before, term = term, laplacian(term) if power == 1 else 2.0 * laplacian(term) - before
            output = output + lin(term)
        return output if self.bias is None else output + self.bias

    def _scaled(self, graph: Any, feature: Any, edge_weight: Any, lambda_max: float) -> Any:
        """Return L̂ as a function of (num_nodes, size)."""
        edges, weight = graph.connections(), no_loops(graph, feature.dtype)
        weight = weight if edge_weight is None else weight * edge_weight
        degree = message_passing.edge_reduce(weight, edges, "sum").unsqueeze(-1)
        reached = core.where(degree > 0, degree, core.ones_like(degree))
        there = (degree > 0).astype(feature.dtype)
        behind = before = core.ones_like(degree)
        diagonal = core.ones_like(degree)  # of L
        if self.normalization == "sym":
            behind = before = there * reached.pow(-0.5)
        elif self.normalization == "rw":
            behind = there / reached
        else:
            diagonal = degree

        def apply(x: Any) -> Any:
            neighbors = message_passing.gather_multiply_reduce(x * before, weight, edges) * behind
            return (diagonal * x - neighbors) * (2.0 / lambda_max) - x

        return apply
