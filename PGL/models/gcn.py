"""GCN: graph convolutions one after another.

Paper: Kipf and Welling, "Semi-Supervised Classification with Graph Convolutional Networks", ICLR 2017,
https://arxiv.org/abs/1609.02907
Source of parameter names: pgl's citation benchmark.
"""

from __future__ import annotations

from typing import Any

from core import nn
from PGL.models.limits import LayerCount
from PGL.nn.gcn_conv import GCNConv


class GCN(nn.Layer):
    """Graph convolutions with relu and dropout, and one more for the classes: (nodes, inputs) to (nodes, classes).

    The defaults are the published ones for Cora, Citeseer and Pubmed. The graph should have a self loop at each node.

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: convolutions before the last one.
        hidden_size: size of their results.
        dropout: probability of dropping a feature after each of them.
    """

    def __init__(
        self, input_size: int, num_class: int, num_layers: LayerCount = 1, hidden_size: int = 16, dropout: float = 0.5
    ) -> None:
        super().__init__()
        self.gcns = nn.LayerList()
        for level in range(num_layers):
            self.gcns.append(GCNConv(hidden_size if level else input_size, hidden_size, activation="relu"))
            self.gcns.append(nn.Dropout(dropout))
        self.gcns.append(GCNConv(hidden_size if num_layers else input_size, num_class))

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the logits of all nodes.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, or SparseRows where most numbers are 0.

        Returns:
            (num_nodes, num_class).
        """
        for layer in self.gcns:
            feature = layer(feature) if isinstance(layer, nn.Dropout) else layer(graph, feature)
        return feature
