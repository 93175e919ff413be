"""NeZha: a Chinese BERT whose attention knows distances instead of positions, so texts may have any length.

Paper: NEZHA: neural contextualized representation for Chinese, Wei et al. 2019, arXiv:1909.00204.
Official file: ``paddlenlp/transformers/nezha/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from typing import Any, ClassVar

import core
from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import Embeddings, Encoder, set_epsilon
from PaddleNLP.models.language_heads import MaskedLM, Pretraining, PretrainingHeads
from PaddleNLP.models.layers.pooler import Pooler


def distances(length: Any, size: int, limit: int) -> Any:
    """Return a vector of sinusoids for each pair of tokens, by how far they are apart, (L, L, size).

    Args:
        length: number of tokens L.
        size: length of a vector.
        limit: larger distances count as this one.
    """
    places = core.arange(0, 2 * limit + 1, dtype="float32").unsqueeze(1)
    frequencies = 10000.0 ** (core.arange(0, size - 1, 2, dtype="float32") / -size)
    angles = places * frequencies
    table = core.stack([angles.sin(), angles.cos()], axis=2).reshape([2 * limit + 1, -1])
    if size % 2:
        table = core.concat([table, core.zeros([2 * limit + 1, 1])], axis=1)
    steps = core.arange(0, length, dtype="int64")
    apart = (steps.unsqueeze(0) - steps.unsqueeze(1)).clip(-limit, limit) + limit
    return F.embedding(apart, table)


class NeZhaAttention(nn.Layer):
    """Self-attention where keys and values have a vector of the distance added.

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
                f"NeZha: hidden_size={hidden_size} must be divisible by num_attention_heads={num_attention_heads}"
            )
        self.heads, self.size = num_attention_heads, hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.key = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.value = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.dense = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.layer_norm = nn.LayerNorm(hidden_size)
        self.attention_dropout = nn.Dropout(attention_dropout)
        self.output_dropout = nn.Dropout(dropout)

    def forward(self, x: Any, mask: Any, relations: Any) -> Any:
        """Return (N, L, hidden_size).

        Args:
            x: (N, L, hidden_size).
            mask: what is added to the scores, broadcastable to (N, heads, L, L), or None.
            relations: result of :func:`distances`, (L, L, head size).
        """
        length = x.shape[1]
        rows = [0, 0, self.heads, self.size]
        queries, keys, values = (
            layer(x).reshape(rows).transpose([0, 2, 1, 3]) for layer in (self.query, self.key, self.value)
        )
        scores = queries.matmul(keys, transpose_y=True)
        by_query = queries.transpose([2, 0, 1, 3]).reshape([length, -1, self.size])
        apart = by_query.matmul(relations, transpose_y=True)  # (L, N * heads, L)
        scores = scores + apart.reshape([length, -1, self.heads, length]).transpose([1, 2, 0, 3])
        scores = scores * self.size**-0.5
        weights = self.attention_dropout(F.softmax(scores if mask is None else scores + mask))
        by_query = weights.transpose([2, 0, 1, 3]).reshape([length, -1, length]).matmul(relations)
        means = weights.matmul(values).transpose([0, 2, 1, 3])
        means = means + by_query.reshape([length, -1, self.heads, self.size]).transpose([1, 0, 2, 3])
        return self.layer_norm(x + self.output_dropout(self.dense(means.reshape([0, 0, self.heads * self.size]))))


class NeZhaLayer(nn.Layer):
    """Attention and a feed-forward block.

    Args:
        hidden_size: length of a token's vector.
        num_attention_heads: heads of attention.
        intermediate_size: units of the feed-forward block.
        hidden_act: activation there, a function of :mod:`core.nn.functional`.
        dropout: the probability of dropping a number.
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
        self.layer_norm = nn.LayerNorm(hidden_size)
        self.attention = NeZhaAttention(hidden_size, num_attention_heads, dropout, attention_dropout, weight_attr)
        self.ffn = nn.Linear(hidden_size, intermediate_size, weight_attr)
        self.ffn_output = nn.Linear(intermediate_size, hidden_size, weight_attr)
        self.activation = getattr(F, hidden_act)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Any, mask: Any, relations: Any) -> Any:
        """Return (N, L, hidden_size); arguments are those of :class:`NeZhaAttention`."""
        attended = self.attention(x, mask, relations)
        return self.layer_norm(self.dropout(self.ffn_output(self.activation(self.ffn(attended)))) + attended)


class NeZhaEncoder(nn.Layer):
    """Layers on top of each other.

    Args:
        layers: how many.
        max_relative_position: larger distances count as this one.
        *settings: those of :class:`NeZhaLayer`.
    """

    def __init__(self, layers: int, max_relative_position: int, *settings: Any) -> None:
        super().__init__()
        self.layer = nn.LayerList([NeZhaLayer(*settings) for _ in range(layers)])
        self.limit = max_relative_position

    def forward(self, x: Any, mask: Any) -> list[Any]:
        """Return what comes in and each layer's result, (N, L, hidden_size) each.

        Args:
            x: (N, L, hidden_size).
            mask: as in :class:`NeZhaAttention`.
        """
        relations = distances(x.shape[1], self.layer[0].attention.size, self.limit)
        states = [x]
        for layer in self.layer:
            states.append(layer(states[-1], mask, relations))
        return states


class NeZhaPredictions(nn.Layer):
    """Logits of tokens: a hidden layer, normalised, and the table of words as decoder.

    Args:
        encoder: whose table it shares.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        table = encoder.word_embeddings.weight
        self.dense = nn.Linear(encoder.hidden_size, encoder.hidden_size, encoder.weight_attr())
        self.activation = getattr(F, encoder.hidden_act)
        self.layer_norm = nn.LayerNorm(encoder.hidden_size, epsilon=encoder.layer_norm_eps)
        self.decoder_weight = table
        self.decoder_bias = self.create_parameter([table.shape[0]], is_bias=True)

    def forward(self, hidden: Any) -> Any:
        """Return logits (..., vocab_size) of (..., hidden_size)."""
        hidden = self.layer_norm(self.activation(self.dense(hidden)))
        return hidden.matmul(self.decoder_weight, transpose_y=True) + self.decoder_bias


class NeZhaMaskedLM(MaskedLM):
    """The token that a masked one was; paddlenlp has it only together with next sentences."""

    def _head(self) -> None:
        self.cls = PretrainingHeads(self.encoder, predictions=False, seq_relationship=False)
        self.cls.predictions = NeZhaPredictions(self.encoder)


class NeZhaForPretraining(Pretraining):
    """Masked tokens and next sentences at once."""

    def _head(self) -> None:
        self.cls = PretrainingHeads(self.encoder, predictions=False, seq_relationship=True)
        self.cls.predictions = NeZhaPredictions(self.encoder)


class NeZhaModel(Encoder):
    """Vectors of words and sentences through layers of attention that know distances.

    Args:
        vocab_size: tokens of the vocabulary.
        hidden_size: length of a token's vector.
        num_hidden_layers: Transformer layers.
        num_attention_heads: heads of attention, whose number divides ``hidden_size``.
        intermediate_size: units of the feed-forward blocks.
        hidden_act: activation there, a function of :mod:`core.nn.functional`.
        hidden_dropout_prob: the probability of dropping a number.
        attention_probs_dropout_prob: the probability of dropping a weight of attention.
        max_relative_position: larger distances between tokens count as this one.
        type_vocab_size: how many sentences a text may be of.
        initializer_range: standard deviation of fresh weights.
        pad_token_id: the token that fills short texts.
        layer_norm_eps: what is added to variances.
    """

    base_model_prefix = "nezha"
    heads: ClassVar[dict[str, Any]] = {"masked_lm": NeZhaMaskedLM, "pretraining": NeZhaForPretraining}

    def __init__(
        self,
        vocab_size: int = 21128,
        hidden_size: int = 768,
        num_hidden_layers: int = 12,
        num_attention_heads: int = 12,
        intermediate_size: int = 3072,
        hidden_act: str = "gelu",
        hidden_dropout_prob: float = 0.1,
        attention_probs_dropout_prob: float = 0.1,
        max_relative_position: int = 64,
        type_vocab_size: int = 2,
        initializer_range: float = 0.02,
        pad_token_id: int = 0,
        layer_norm_eps: float = 1e-12,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.hidden_act = hidden_act
        self.hidden_dropout_prob = hidden_dropout_prob
        self.initializer_range = initializer_range
        self.layer_norm_eps = layer_norm_eps
        self.pad_token_id = pad_token_id
        attr = self.weight_attr()
        self.embeddings = Embeddings(
            vocab_size, hidden_size, 0, type_vocab_size, dropout=hidden_dropout_prob, weight_attr=attr
        )
        dropouts = (hidden_dropout_prob, attention_probs_dropout_prob)
        layer = (hidden_size, num_attention_heads, intermediate_size, hidden_act, *dropouts, attr)
        self.encoder = NeZhaEncoder(num_hidden_layers, max_relative_position, *layer)
        self.pooler = Pooler(hidden_size, weight_attr=attr)
        set_epsilon(self, layer_norm_eps)

    def encoded(self, embedded: Any, mask: Any) -> list[Any]:
        """Return the hidden states of all layers, the embeddings first, (N, L, hidden_size) each.

        Args:
            embedded: (N, L, hidden_size).
            mask: what is added to the scores of attention.
        """
        return self.encoder(embedded, mask)
