"""Graph attention whose order of neighbours depends on the node that looks.

Paper: Brody, Alon and Yahav, "How Attentive are Graph Attention Networks?", ICLR 2022, https://arxiv.org/abs/2105.14491

    h = x W + b,  e_ij = a · LeakyReLU(h_j + h_i),  α_i = softmax of e_i over the edges j → i
    y_i = Σ_j α_ij h_j, for each head; then the heads side by side, or their mean

x (nodes, inputs), W (inputs, heads · hidden), a (heads, hidden), e and α (edges, heads), h, y (nodes, heads, hidden).
The non-linearity is between the sum and the product with a, so the sums exist for each edge.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.operators.graphs import message_passing
from PGL.nn.functional import Activation, activation_function, dropped, head_products, linear
from PGL.nn.gat_conv import join_heads


class GATv2Conv(nn.Layer):
    """Attention of each node over the nodes that point to it.

    Args:
        input_size: size of the features.
        hidden_size: size of each head.
        feat_drop: probability of dropping a feature.
        attn_drop: probability of dropping an edge's attention.
        num_heads: number of heads.
        concat: whether the heads are put side by side; their mean otherwise.
        activation: name of a function of core.nn.functional, or a function; None for none.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        feat_drop: float = 0.6,
        attn_drop: float = 0.6,
        num_heads: int = 1,
        concat: bool = True,
        activation: Activation = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.feat_drop = feat_drop
        self.attn_drop = attn_drop
        self.concat = concat
        self.linear = nn.Linear(input_size, num_heads * hidden_size)
        self.attn = self.create_parameter(shape=[1, num_heads, hidden_size])
        self.feat_dropout = nn.Dropout(p=feat_drop)
        self.attn_dropout = nn.Dropout(p=attn_drop)
        self.leaky_relu = nn.LeakyReLU(negative_slope=0.2)
        self.activation = activation_function("GATv2Conv", activation)

    def forward(self, graph: Any, feature: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, or SparseRows where most numbers are 0.

        Returns:
            (num_nodes, num_heads · hidden_size), or (num_nodes, hidden_size) without ``concat``.
        """
        edges = graph.connections()
        hidden = linear(self.linear, dropped(self.feat_dropout, feature))
        hidden = hidden.reshape([-1, self.num_heads, self.hidden_size])
        sums = self.leaky_relu(message_passing.add_ends(hidden, hidden, edges))
        (logits,) = head_products(sums, self.attn[0])
        attention = self.attn_dropout(message_passing.edge_softmax(logits, edges))
        output = join_heads(message_passing.gather_multiply_reduce(hidden, attention, edges), self.concat)
        return output if self.activation is None else self.activation(output)
