"""GPT's embeddings and layer: attention that sees no later token, and a feed-forward block, with normalised inputs.

Paper: GPT-2, Radford et al. 2019, Language models are unsupervised multitask learners.
Official file: ``paddlenlp/transformers/gpt/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import Embeddings


class GPTEmbeddings(Embeddings):
    """Vectors of words and positions, which nothing normalises.

    Args:
        *settings: those of :class:`PaddleNLP.models.encoder.Embeddings`.
        **named: likewise.
    """

    def __init__(self, *settings: Any, **named: Any) -> None:
        super().__init__(*settings, type_vocab_size=0, **named)  # type: ignore[misc]  # it is not among the settings
        self.layer_norm = nn.Identity()


class GPTAttention(nn.Layer):
    """Self-attention that sees no later token.

    Args:
        hidden_size: length of a token's vector.
        num_attention_heads: heads, whose number divides ``hidden_size``.
        dropout: the probability of dropping a weight of attention.
        weight_attr: initialiser of the weights that read.
        output_attr: initialiser of the weights that write.

    Raises:
        ValueError: the heads do not divide the vector.
    """

    def __init__(
        self, hidden_size: int, num_attention_heads: int, dropout: float, weight_attr: Any, output_attr: Any
    ) -> None:
        super().__init__()
        if hidden_size % num_attention_heads:
            raise ValueError(
                f"GPT: hidden_size={hidden_size} must be divisible by num_attention_heads={num_attention_heads}"
            )
        self.split = [0, 0, num_attention_heads, hidden_size // num_attention_heads]
        self.joined = [0, 0, hidden_size]
        self.dropout = dropout
        self.q_proj = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.k_proj = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.v_proj = nn.Linear(hidden_size, hidden_size, weight_attr)
        self.out_proj = nn.Linear(hidden_size, hidden_size, output_attr)

    def forward(self, x: Any, mask: Any, past: Optional[tuple[Any, Any]]) -> tuple[Any, tuple[Any, Any]]:
        """Return (N, L, hidden_size), and all keys and values so far, (N, earlier + L, heads, head size) each.

        Args:
            x: (N, L, hidden_size).
            mask: what is added to the scores, broadcastable to (N, heads, L, earlier + L); None: nothing. Without
                earlier tokens later ones are hidden besides.
            past: keys and values of earlier tokens, or None.
        """
        query, key, value = (layer(x).reshape(self.split) for layer in (self.q_proj, self.k_proj, self.v_proj))
        if past is not None:
            key, value = core.concat([past[0], key], axis=1), core.concat([past[1], value], axis=1)
        mean = F.scaled_dot_product_attention(
            query, key, value, mask, self.dropout, is_causal=past is None, training=self.training
        )
        return self.out_proj(mean.reshape(self.joined)), (key, value)


class GPTDecoderLayer(nn.Layer):
    """Attention and a feed-forward block, whose inputs are normalised.

    Args:
        hidden_size: length of a token's vector.
        num_attention_heads: heads of attention.
        intermediate_size: units of the feed-forward block.
        hidden_act: activation there, a function of :mod:`core.nn.functional`; GELU is the approximate one.
        hidden_dropout_prob: the probability of dropping a number.
        attention_probs_dropout_prob: the probability of dropping a weight of attention, and its output.
        weight_attr: initialiser of the weights that read.
        output_attr: initialiser of the weights that write.
    """

    def __init__(
        self,
        hidden_size: int,
        num_attention_heads: int,
        intermediate_size: int,
        hidden_act: str,
        hidden_dropout_prob: float,
        attention_probs_dropout_prob: float,
        weight_attr: Any,
        output_attr: Any,
    ) -> None:
        super().__init__()
        attention = (hidden_size, num_attention_heads, attention_probs_dropout_prob)
        self.self_attn = GPTAttention(*attention, weight_attr, output_attr)
        self.linear1 = nn.Linear(hidden_size, intermediate_size, weight_attr)
        self.linear2 = nn.Linear(intermediate_size, hidden_size, output_attr)
        self.activation = partial(F.gelu, approximate=True) if hidden_act == "gelu" else getattr(F, hidden_act)
        self.norm1 = nn.LayerNorm(hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.dropout1 = nn.Dropout(attention_probs_dropout_prob)
        self.dropout2 = nn.Dropout(hidden_dropout_prob)

    def forward(self, x: Any, mask: Any, past: Optional[tuple[Any, Any]]) -> tuple[Any, tuple[Any, Any]]:
        """Return (N, L, hidden_size), and keys and values; arguments are those of :class:`GPTAttention`."""
        attended, present = self.self_attn(self.norm1(x), mask, past)
        x = x + self.dropout1(attended)
        inner = self.activation(self.linear1(self.norm2(x)))
        return x + self.dropout2(self.linear2(inner)), present


class GPTDecoder(nn.Layer):
    """Layers on top of each other, and a normalisation after the last.

    Args:
        layers: the layers.
        hidden_size: length of a token's vector.
    """

    def __init__(self, layers: Sequence[Any], hidden_size: int) -> None:
        super().__init__()
        self.layers = nn.LayerList(layers)
        self.norm = nn.LayerNorm(hidden_size)
