"""UniMP: attention layers that pass on known labels together with features.

Paper: Shi et al., "Masked Label Prediction: Unified Message Passing Model for Semi-Supervised Classification",
IJCAI 2021, https://arxiv.org/abs/2009.03509

Some of the training nodes show their labels, others are predicted, and it is drawn again in each step which do what
(:func:`shown_labels`); for evaluation all training nodes show theirs.

    x_0 = LayerNorm(x + E[label]) where the label is shown, LayerNorm(x) elsewhere;  E (classes, inputs)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core import nn
from PGL.models.limits import LayerCount
from PGL.nn.transformer_conv import TransformerConv


class UniMP(nn.Layer):
    """Gated attention layers on features and labels: (nodes, inputs) to (nodes, classes).

    The defaults are the published ones for ogbn-arxiv.

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: number of layers, the last one included.
        hidden_size: size of each head.
        num_heads: heads of each layer; those of the last one are averaged.
        dropout: probability of dropping a feature before each.
        attn_drop: probability of dropping an edge's attention.
    """

    def __init__(
        self,
        input_size: int,
        num_class: int,
        num_layers: LayerCount = 3,
        hidden_size: int = 128,
        num_heads: int = 2,
        dropout: float = 0.3,
        attn_drop: float = 0.0,
    ) -> None:
        super().__init__()
        self.label_embedding = nn.Embedding(num_class, input_size)
        self.input_norm = nn.LayerNorm(input_size)
        self.layers = nn.LayerList()
        size = input_size
        for _ in range(num_layers - 1):
            self.layers.append(TransformerConv(size, hidden_size, num_heads, dropout, attn_drop, gate=True))
            size = num_heads * hidden_size
        self.layers.append(
            TransformerConv(
                *(size, num_class, num_heads, dropout, attn_drop),
                concat=False,
                gate=True,
                layer_norm=False,
                activation=None,
            )
        )

    def forward(self, graph: Any, feature: Any, label: Any, shown: Any) -> Any:
        """Return the logits of all nodes.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size).
            label: the classes of the nodes, integers (num_nodes), any class where it is not shown.
            shown: 1 for nodes that show their labels, 0 for others: float32 (num_nodes).

        Returns:
            (num_nodes, num_class).
        """
        feature = self.input_norm(feature + self.label_embedding(label) * shown.reshape([-1, 1]))
        for layer in self.layers:
            feature = layer(graph, feature)
        return feature


def shown_labels(
    train_index: np.ndarray, num_nodes: int, share: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw which training nodes show their labels, and which are predicted.

    Args:
        train_index: ids of the training nodes.
        num_nodes: number of nodes.
        share: how many of them show their labels; 0.625 in the paper's experiment on ogbn-arxiv.
        generator: of random numbers.

    Returns:
        (1 for nodes that show their labels, 0 for others: float32 (num_nodes); ids of the nodes to predict).
    """
    order = generator.permutation(train_index)
    count = int(share * len(order))
    shown = np.zeros(num_nodes, np.float32)
    shown[order[:count]] = 1.0
    return shown, np.sort(order[count:])
