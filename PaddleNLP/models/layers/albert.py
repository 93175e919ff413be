"""ALBERT's layers: attention and a feed-forward block in groups, each of which is used several times.

Paper: ALBERT: a lite BERT, Lan et al. 2019, arXiv:1909.11942.
Official file: ``paddlenlp/transformers/albert/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable

from core import nn
from core.nn import functional as F


def activation(name: str) -> Callable[[Any], Any]:
    """Return a function of :mod:`core.nn.functional` by name; ``gelu_new`` is the approximate GELU.

    Args:
        name: such as ``"gelu"``.
    """
    return partial(F.gelu, approximate=True) if name == "gelu_new" else getattr(F, name)


class AlbertAttention(nn.Layer):
    """Self-attention with its residual connection and layer normalisation.

    Args:
        hidden_size: length of a token's vector.
        num_attention_heads: heads, whose number divides ``hidden_size``.
        dropout: the probability of dropping a number of the output.
        attention_dropout: the probability of dropping a weight of attention.
        weight_attr: initialiser of the weights.

    Raises:
        ValueError: the heads do not divide the vector.
    """

    def __init__(
        self, hidden_size: int, num_attention_heads: int, dropout: float, attention_dropout: float, weight_attr: Any
    ) -> None:
        super().__init__()
        if hidden_size % num_attention_heads:
            raise ValueError(
                f"ALBERT: hidden_size={hidden_size} must be divisible by num_attention_heads={num_attention_heads}"
            )
        self.query = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.key = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.value = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.dense = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.layer_norm = nn.LayerNorm(hidden_size)
        self.output_dropout = nn.Dropout(dropout)
        self.split = [0, 0, num_attention_heads, hidden_size // num_attention_heads]
        self.joined = [0, 0, hidden_size]
        self.attention_dropout = attention_dropout

    def forward(self, x: Any, mask: Any) -> Any:
        """Return (N, L, hidden_size).

        Args:
            x: (N, L, hidden_size).
            mask: what is added to the scores, broadcastable to (N, heads, L, L), or None.
        """
        rows = [layer(x).reshape(self.split) for layer in (self.query, self.key, self.value)]
        mean = F.scaled_dot_product_attention(*rows, mask, self.attention_dropout, training=self.training)
        return self.layer_norm(x + self.output_dropout(self.dense(mean.reshape(self.joined))))


class AlbertLayer(nn.Layer):
    """Attention and a feed-forward block, whose output is never dropped.

    Args:
        hidden_size: length of a token's vector.
        num_attention_heads: heads of attention.
        intermediate_size: units of the feed-forward block.
        hidden_act: activation there.
        dropout: the probability of dropping a number of the attention's output.
        attention_dropout: the probability of dropping a weight of attention.
        weight_attr: initialiser of the weights.
    """

    def __init__(
        self,
        hidden_size: int,
        num_attention_heads: int,
        intermediate_size: int,
        hidden_act: str,
        dropout: float,
        attention_dropout: float,
        weight_attr: Any,
    ) -> None:
        super().__init__()
        self.full_layer_layer_norm = nn.LayerNorm(hidden_size)
        self.attention = AlbertAttention(hidden_size, num_attention_heads, dropout, attention_dropout, weight_attr)
        self.ffn = nn.Linear(hidden_size, intermediate_size, weight_attr)
        self.ffn_output = nn.Linear(intermediate_size, hidden_size, weight_attr)
        self.activation = activation(hidden_act)

    def forward(self, x: Any, mask: Any) -> Any:
        """Return (N, L, hidden_size); arguments are those of :class:`AlbertAttention`."""
        attended = self.attention(x, mask)
        return self.full_layer_layer_norm(self.ffn_output(self.activation(self.ffn(attended))) + attended)


class AlbertLayerGroup(nn.Layer):
    """Layers that follow each other, and that several places of the network share.

    Args:
        layers: how many.
        *settings: those of :class:`AlbertLayer`.
    """

    def __init__(self, layers: int, *settings: Any) -> None:
        super().__init__()
        self.albert_layers = nn.LayerList([AlbertLayer(*settings) for _ in range(layers)])

    def forward(self, x: Any, mask: Any) -> Any:
        """Return (N, L, hidden_size); arguments are those of :class:`AlbertAttention`."""
        for layer in self.albert_layers:
            x = layer(x, mask)
        return x


class AlbertTransformer(nn.Layer):
    """Groups of layers, each used several times in a row.

    Args:
        embedding_size: length of the embeddings' vectors.
        num_hidden_layers: how often groups are used.
        num_hidden_groups: groups.
        inner_group_num: layers of a group.
        *settings: those of :class:`AlbertLayer`.
    """

    def __init__(
        self, embedding_size: int, num_hidden_layers: int, num_hidden_groups: int, inner_group_num: int, *settings: Any
    ) -> None:
        super().__init__()
        self.embedding_hidden_mapping_in = nn.Linear(embedding_size, settings[0], settings[-1])
        self.albert_layer_groups = nn.LayerList(
            [AlbertLayerGroup(inner_group_num, *settings) for _ in range(num_hidden_groups)]
        )
        self.order = [place * num_hidden_groups // num_hidden_layers for place in range(num_hidden_layers)]

    def forward(self, x: Any, mask: Any) -> list[Any]:
        """Return the first hidden states and those after each group, (N, L, hidden_size) each.

        Args:
            x: (N, L, embedding_size).
            mask: as in :class:`AlbertAttention`.
        """
        states = [self.embedding_hidden_mapping_in(x)]
        for group in self.order:
            states.append(self.albert_layer_groups[group](states[-1], mask))
        return states


class AlbertPooler(nn.Linear):
    """A linear layer on the first token's vector, through tanh."""

    def forward(self, sequence: Any) -> Any:
        """Return (N, hidden_size) of (N, L, hidden_size)."""
        return F.tanh(super().forward(sequence[:, 0]))
