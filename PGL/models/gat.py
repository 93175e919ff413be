"""GAT and GATv2: graph attention layers one after another.

Papers: Veličković et al., "Graph Attention Networks", ICLR 2018, https://arxiv.org/abs/1710.10903
Brody, Alon and Yahav, "How Attentive are Graph Attention Networks?", ICLR 2022, https://arxiv.org/abs/2105.14491
Source of parameter names: pgl's citation benchmark.
"""

from __future__ import annotations

from typing import Any

from core import nn
from PGL.models.limits import LayerCount
from PGL.nn.gat_conv import GATConv
from PGL.nn.gatv2_conv import GATv2Conv


class GAT(nn.Layer):
    """Attention layers with elu, and one more for the classes: (nodes, inputs) to (nodes, classes).

    The defaults are the published ones for Cora and Citeseer. The graph should have a self loop at each node.

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: number of layers, the last one included.
        feat_drop: probability of dropping a feature before each.
        attn_drop: probability of dropping an edge's attention.
        num_heads: heads of each but the last, which has ``output_heads``.
        hidden_size: size of each head.
        output_heads: heads of the last layer, which are averaged.
    """

    convolution: type[nn.Layer] = GATConv

    def __init__(
        self,
        input_size: int,
        num_class: int,
        num_layers: LayerCount = 2,
        feat_drop: float = 0.6,
        attn_drop: float = 0.6,
        num_heads: int = 8,
        hidden_size: int = 8,
        output_heads: int = 1,
    ) -> None:
        super().__init__()
        convolution: Any = self.convolution
        self.gats = nn.LayerList()
        size = input_size
        for _ in range(num_layers - 1):
            self.gats.append(convolution(size, hidden_size, feat_drop, attn_drop, num_heads, activation="elu"))
            size = num_heads * hidden_size
        self.gats.append(convolution(size, num_class, feat_drop, attn_drop, output_heads, concat=False))

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the logits of all nodes.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, or SparseRows where most numbers are 0.

        Returns:
            (num_nodes, num_class).
        """
        for layer in self.gats:
            feature = layer(graph, feature)
        return feature


class GATv2(GAT):
    """The same with :class:`PGL.nn.GATv2Conv`; arguments as of :class:`GAT`."""

    convolution = GATv2Conv
