"""Recurrent encoder: word vectors and layers of gated recurrent units in both directions, without attention.

Paper: Cho et al. 2014, https://arxiv.org/abs/1406.1078. It is what pretrained encoders are compared with; it has no
published weights.
"""

from __future__ import annotations

from typing import Any, ClassVar

import core
from core import nn
from core.nn.initializer import Normal
from PaddleNLP.models.encoder import kept_tokens


class BiGRUModel(nn.Layer):
    """Word vectors, then GRU layers that read each text from both ends.

    Args:
        vocab_size: tokens of the vocabulary.
        hidden_size: length of a token's vector, of which each direction gives half.
        num_hidden_layers: GRU layers.
        hidden_dropout_prob: the probability of dropping a number.
        initializer_range: standard deviation of fresh word vectors and heads.
        pad_token_id: the token that fills short texts.

    Raises:
        ValueError: ``hidden_size`` is odd.
    """

    base_model_prefix: ClassVar[str] = "bigru"
    heads: ClassVar[dict[str, Any]] = {}
    optional_pooler: ClassVar[bool] = False

    def __init__(
        self,
        vocab_size: int = 30522,
        hidden_size: int = 256,
        num_hidden_layers: int = 2,
        hidden_dropout_prob: float = 0.1,
        initializer_range: float = 0.1,
        pad_token_id: int = 0,
    ) -> None:
        super().__init__()
        if hidden_size % 2:
            raise ValueError(f"bigru: hidden_size must be even, as each direction gives half of it, not {hidden_size}")
        self.hidden_size = hidden_size
        self.hidden_dropout_prob = hidden_dropout_prob
        self.initializer_range = initializer_range
        self.pad_token_id = pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, pad_token_id, weight_attr=self.weight_attr())
        self.dropout = nn.Dropout(hidden_dropout_prob)
        self.gru = nn.GRU(hidden_size, hidden_size // 2, num_hidden_layers, "bidirect", dropout=hidden_dropout_prob)

    def weight_attr(self) -> Any:
        """Return how fresh weights outside of the GRU are drawn."""
        return nn.ParamAttr(initializer=Normal(0.0, self.initializer_range))

    @property
    def vocab_size(self) -> int:
        """How many tokens the table of words has."""
        return int(self.word_embeddings.weight.shape[0])

    def forward(
        self,
        input_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
        inputs_embeds: Any = None,
        output_hidden_states: bool = False,
    ) -> tuple[Any, ...]:
        """Return the vectors of all tokens, and one of the whole text: the largest of each number over its tokens.

        Args:
            input_ids: int64 (N, L).
            token_type_ids: not used, as are positions and tasks.
            position_ids: not used.
            attention_mask: (N, L), 1 where there is a token; None: padding is ``pad_token_id``.
            task_type_ids: not used.
            inputs_embeds: float32 (N, L, hidden_size), used instead of the words' vectors.
            output_hidden_states: whether the vectors before and after the GRU are returned too.

        Returns:
            float32 (N, L, hidden_size); float32 (N, hidden_size); perhaps a tuple of two (N, L, hidden_size).
        """
        words = self.word_embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        kept = kept_tokens(input_ids, attention_mask, self.pad_token_id)
        sequence, _ = self.gru(self.dropout(words), sequence_length=kept.sum(axis=-1).astype("int64"))
        pooled = core.max(sequence - (1.0 - kept.unsqueeze(-1)) * 1e4, axis=1)
        return (sequence, pooled, (words, sequence)) if output_hidden_states else (sequence, pooled)
