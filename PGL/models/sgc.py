"""SGC and SSGC: propagation alone, and one linear layer.

Papers: Wu et al., "Simplifying Graph Convolutional Networks", ICML 2019, https://arxiv.org/abs/1902.07153
Zhu and Koniusz, "Simple Spectral Graph Convolution", ICLR 2021, https://openreview.net/forum?id=CYO5T-YjWZV
Source of parameter names: pgl's citation benchmark.
"""

from __future__ import annotations

from typing import Any

from core import nn
from PGL.models.limits import LayerCount
from PGL.nn.sgc_conv import SGCConv
from PGL.nn.ssgc_conv import SSGCConv


class SGC(nn.Layer):
    """K steps of propagation, then a linear layer: (nodes, inputs) to (nodes, classes).

    The defaults are the published ones for Cora. The graph should have a self loop at each node.

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: K.
    """

    def __init__(self, input_size: int, num_class: int, num_layers: LayerCount = 2) -> None:
        super().__init__()
        self.sgc_layer = SGCConv(input_size, num_class, k_hop=num_layers)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the logits of all nodes.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, whose propagated form is kept for the next call with the same
                one, or SparseRows where most numbers are 0.

        Returns:
            (num_nodes, num_class).
        """
        return self.sgc_layer(graph, feature)


class SSGC(nn.Layer):
    """The mean of up to K steps of propagation, then a linear layer: (nodes, inputs) to (nodes, classes).

    The defaults are the published ones for Cora. The graph should have a self loop at each node.

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: K.
        alpha: the share of the features themselves.
    """

    def __init__(self, input_size: int, num_class: int, num_layers: LayerCount = 16, alpha: float = 0.05) -> None:
        super().__init__()
        self.ssgc_layer = SSGCConv(input_size, num_class, k_hop=num_layers, alpha=alpha, bias=True)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the logits of all nodes; arguments and result as of :meth:`SGC.forward`."""
        return self.ssgc_layer(graph, feature)
