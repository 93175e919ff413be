"""Transformer: attention layers with queries, keys and values along the edges.

Paper: Shi et al., "Masked Label Prediction: Unified Message Passing Model for Semi-Supervised Classification",
IJCAI 2021, https://arxiv.org/abs/2009.03509
Source of parameter names: pgl's citation benchmark.
"""

from __future__ import annotations

from typing import Any

from core import nn
from PGL.models.limits import LayerCount
from PGL.nn.transformer_conv import TransformerConv


class Transformer(nn.Layer):
    """Attention layers with layer norm and relu, and one more for the classes: (nodes, inputs) to (nodes, classes).

    The defaults are those of pgl's citation benchmark. The graph should have a self loop at each node.

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: number of layers, the last one included.
        feat_drop: probability of dropping a feature before each.
        attn_drop: probability of dropping an edge's attention.
        num_heads: heads of each; those of the last one are averaged.
        hidden_size: size of each head.
    """

    def __init__(
        self,
        input_size: int,
        num_class: int,
        num_layers: LayerCount = 2,
        feat_drop: float = 0.6,
        attn_drop: float = 0.6,
        num_heads: int = 8,
        hidden_size: int = 8,
    ) -> None:
        super().__init__()
        self.trans = nn.LayerList()
        size = input_size
        for _ in range(num_layers - 1):
            self.trans.append(TransformerConv(size, hidden_size, num_heads, feat_drop, attn_drop, skip_feat=False))
            size = num_heads * hidden_size
        self.trans.append(
            TransformerConv(
                *(size, num_class, num_heads, feat_drop, attn_drop),
                concat=False,
                skip_feat=False,
                layer_norm=False,
                activation=None,
            )
        )

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the logits of all nodes.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, or SparseRows where most numbers are 0.

        Returns:
            (num_nodes, num_class).
        """
        for layer in self.trans:
            feature = layer(graph, feature)
        return feature
