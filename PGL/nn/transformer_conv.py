"""Attention with queries, keys and values along edges: the layer of UniMP.

Paper: Shi et al., "Masked Label Prediction: Unified Message Passing Model for Semi-Supervised Classification",
IJCAI 2021, https://arxiv.org/abs/2009.03509

    q, k, v = x W_q + b_q, x W_k + b_k, x W_v + b_v
    α_i = softmax of q_i · (k_j + e_ij) / √hidden over the edges j → i,  h_i = Σ_j α_ij v_j, for each head
    r = x W_r + b_r,  β = sigmoid([r, h, r - h] w_g + b_g)
    y = activation(LayerNorm(β r + (1 - β) h)), or r + h without a gate

x (nodes, inputs), q, k, v, h (nodes, heads, hidden), e (edges, heads, hidden), 0 if there are no edge features, α
(edges, heads), y and r (nodes, heads · hidden), or (nodes, hidden) where heads are averaged. In the paper, and in what
pgl means to do, h is the sum of α (v + e); what pgl does leaves e out there.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.operators.graphs import message_passing
from PGL.nn.functional import Activation, activation_function, dropped, linear
from PGL.nn.gat_conv import join_heads


class TransformerConv(nn.Layer):
    """Attention of each node over the nodes that point to it, with a connection past it.

    Args:
        input_size: size of the features.
        hidden_size: size of each head.
        num_heads: number of heads.
        feat_drop: probability of dropping a feature, of nodes and of edges.
        attn_drop: probability of dropping an edge's attention.
        concat: whether the heads are put side by side; their mean otherwise.
        skip_feat: whether r is added.
        gate: whether r and h are mixed by a gate, rather than added.
        layer_norm: whether the result is normalised.
        activation: name of a function of core.nn.functional, or a function; None for none.
        edge_values: whether edge features are added to the values too, as in the paper; to the keys alone otherwise, as
            in pgl.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_heads: int = 4,
        feat_drop: float = 0.6,
        attn_drop: float = 0.6,
        concat: bool = True,
        skip_feat: bool = True,
        gate: bool = False,
        layer_norm: bool = True,
        activation: Activation = "relu",
        edge_values: bool = False,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.feat_drop = feat_drop
        self.attn_drop = attn_drop
        self.concat = concat
        self.edge_values = edge_values
        width = num_heads * hidden_size
        output_size = width if concat else hidden_size
        self.q = nn.Linear(input_size, width)
        self.k = nn.Linear(input_size, width)
        self.v = nn.Linear(input_size, width)
        self.feat_dropout = nn.Dropout(p=feat_drop)
        self.attn_dropout = nn.Dropout(p=attn_drop)
        self.skip_feat = nn.Linear(input_size, output_size) if skip_feat else None
        self.gate = nn.Linear(3 * output_size, 1) if gate else None
        self.layer_norm = nn.LayerNorm(output_size) if layer_norm else None
        self.activation = activation_function("TransformerConv", activation)

    def forward(self, graph: Any, feature: Any, edge_feat: Any = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size), a Tensor, or SparseRows where most numbers are 0.
            edge_feat: (num_edges, num_heads · hidden_size), in the order of the edges; or None.

        Returns:
            (num_nodes, num_heads · hidden_size), or (num_nodes, hidden_size) without ``concat``.
        """
        feature = dropped(self.feat_dropout, feature)
        if edge_feat is not None:
            edge_feat = self.heads(self.feat_dropout(edge_feat))
        queries, keys, values = (self.heads(linear(layer, feature)) for layer in (self.q, self.k, self.v))
        attended = self.attend(graph, queries / self.hidden_size**0.5, keys, values, edge_feat)
        output = self.mix(feature, join_heads(attended, self.concat))
        if self.layer_norm is not None:
            output = self.layer_norm(output)
        return output if self.activation is None else self.activation(output)

    def heads(self, rows: Any) -> Any:
        """Split rows by head: (rows, num_heads · hidden_size) to (rows, num_heads, hidden_size)."""
        return rows.reshape([-1, self.num_heads, self.hidden_size])

    def attend(self, graph: Any, queries: Any, keys: Any, values: Any, edge_feat: Any) -> Any:
        """Return h, (num_nodes, num_heads, hidden_size)."""
        edges = graph.connections()
        logits = message_passing.dot_ends(keys, queries, edges)
        if edge_feat is not None:
            logits = logits + (message_passing.edge_expand(queries, edges) * edge_feat).sum(axis=-1)
        attention = self.attn_dropout(message_passing.edge_softmax(logits, edges))
        output = message_passing.gather_multiply_reduce(values, attention, edges)
        if edge_feat is not None and self.edge_values:
            output = output + message_passing.edge_reduce(edge_feat * attention.unsqueeze(-1), edges)
        return output

    def mix(self, feature: Any, output: Any) -> Any:
        """Return h together with r."""
        if self.skip_feat is None:
            return output
        past = linear(self.skip_feat, feature)
        if self.gate is None:
            return past + output
        share = F.sigmoid(self.gate(core.concat([past, output, past - output], axis=-1)))
        return share * past + (1.0 - share) * output
