"""Simple spectral graph convolution: the mean of all powers of the propagation, then one linear layer.

Paper: Zhu and Koniusz, "Simple Spectral Graph Convolution", ICLR 2021, https://openreview.net/forum?id=CYO5T-YjWZV

    y = activation((x + Σ_{k=1..K} (1 - α)^k P^k x) / K W + α x W + b),  P = D^-½ A D^-½

x (nodes, inputs), W (inputs, outputs), y (nodes, outputs). This is pgl's formula: in the paper's, each power has the
weight 1 - α, and x is not in the mean.
"""

from __future__ import annotations

from typing import Any

from PGL.nn.functional import Activation, propagation
from PGL.nn.sgc_conv import SGCConv


class SSGCConv(SGCConv):
    """The mean of up to K steps of propagation, then a linear layer.

    Args:
        input_size: size of the features.
        output_size: size of the result.
        k_hop: K.
        alpha: α, the share of the features themselves.
        cached: as of :class:`PGL.nn.SGCConv`.
        activation: name of a function of core.nn.functional, or a function; None for none.
        bias: whether there is a b.
    """

    def __init__(
        self,
        input_size: int,
        output_size: int,
        k_hop: int = 16,
        alpha: float = 0.05,
        cached: bool = True,
        activation: Activation = None,
        bias: bool = False,
    ) -> None:
        super().__init__(input_size, output_size, k_hop, cached, activation, bias)
        self.alpha = alpha

    def propagated(self, graph: Any, feature: Any) -> Any:
        """Return features after the propagation, (num_nodes, size)."""
        propagate = propagation(graph)
        total = step = feature
        for _ in range(self.k_hop):
            step = propagate(step) * (1.0 - self.alpha)
            total = total + step
        return total / self.k_hop + feature * self.alpha
