"""RoBERTa: BERT pretrained longer, on more text, without next sentences.

Papers: RoBERTa, Liu et al. 2019, arXiv:1907.11692; whole-word masking for Chinese, Cui et al. 2019, arXiv:1906.08101.
Official file: ``paddlenlp/transformers/roberta/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from typing import Any, ClassVar

from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import Embeddings, Encoder, set_epsilon
from PaddleNLP.models.heads import SequenceClassification
from PaddleNLP.models.language_heads import MaskedLM, TiedDecoder


class RobertaEmbeddings(Embeddings):
    """BERT's embeddings with positions that count from ``pad_token_id + 1`` over what is no padding.

    Args:
        padding_idx: the token that always becomes zeros; its position is its own number.
        **settings: of :class:`PaddleNLP.models.encoder.Embeddings`.
    """

    def __init__(self, *, padding_idx: int, **settings: Any) -> None:
        super().__init__(padding_idx=padding_idx, **settings)
        self.padding_idx = padding_idx
        self.positions -= padding_idx + 1  # no text reaches the first ones

    def default_positions(self, input_ids: Any, words: Any) -> Any:
        """Return the positions of tokens, int64 (N, L), or (L,) where only vectors are given.

        Args:
            input_ids: int64 (N, L) or None.
            words: float32 (N, L, hidden_size).
        """
        positions = super().default_positions(input_ids, words)
        if input_ids is None:
            return positions + (self.padding_idx + 1)
        kept = (input_ids != self.padding_idx).astype("int64")
        return kept.cumsum(axis=1) * kept + self.padding_idx


class ClassificationHead(nn.Layer):
    """A hidden layer with tanh on the first token, and a linear layer.

    Args:
        hidden_size: length of a token's vector.
        num_classes: results.
        dropout: the probability of dropping a number.
        weight_attr: initialiser of the weights.
    """

    def __init__(self, hidden_size: int, num_classes: int, dropout: float, weight_attr: Any) -> None:
        super().__init__()
        self.dense = nn.Linear(hidden_size, hidden_size, weight_attr=weight_attr)
        self.dropout = nn.Dropout(dropout)
        self.out_proj = nn.Linear(hidden_size, num_classes, weight_attr=weight_attr)

    def forward(self, sequence: Any) -> Any:
        """Return (N, num_classes) of (N, L, hidden_size)."""
        hidden = F.tanh(self.dense(self.dropout(sequence[:, 0])))
        return self.out_proj(self.dropout(hidden))


class RobertaForSequenceClassification(SequenceClassification):
    """A class, or numbers, for each text, from the first token through a hidden layer."""

    uses_pooler = False

    def _classifier(self, num_classes: int) -> Any:
        encoder = self.encoder
        return ClassificationHead(encoder.hidden_size, num_classes, self.dropout.p, encoder.weight_attr())

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, num_classes).

        Args:
            sequence: float32 (N, L, hidden_size).
            pooled: not used.
        """
        return self.classifier(self.dropout(sequence))


class RobertaLMHead(nn.Layer):
    """A hidden layer with gelu, normalised, and the table of words as decoder.

    Args:
        encoder: whose table it shares.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.dense = nn.Linear(encoder.hidden_size, encoder.hidden_size, weight_attr=encoder.weight_attr())
        self.layer_norm = nn.LayerNorm(encoder.hidden_size)
        self.decoder = TiedDecoder(encoder.word_embeddings.weight)
        self.bias = self.decoder.bias
        set_epsilon(self, encoder.layer_norm_eps)

    def forward(self, sequence: Any) -> Any:
        """Return logits (..., vocab_size) of (..., hidden_size)."""
        return self.decoder(self.layer_norm(F.gelu(self.dense(sequence))))


class RobertaForMaskedLM(MaskedLM):
    """The token that a masked one was."""

    head_names = ("lm_head",)

    def _head(self) -> None:
        self.lm_head = RobertaLMHead(self.encoder)

    def _predictions(self) -> Any:
        return self.lm_head


class RobertaModel(Encoder):
    """Vectors of words, positions and sentences through layers of attention.

    Args:
        vocab_size: tokens of the vocabulary.
        hidden_size: length of a token's vector.
        num_hidden_layers: Transformer layers.
        num_attention_heads: heads of attention, whose number divides ``hidden_size``.
        intermediate_size: units of the feed-forward blocks.
        hidden_act: activation there, a function of :mod:`core.nn.functional`.
        hidden_dropout_prob: the probability of dropping a number.
        attention_probs_dropout_prob: the probability of dropping a weight of attention.
        max_position_embeddings: rows of the table of positions; the longest text has ``pad_token_id + 1`` tokens fewer.
        type_vocab_size: how many sentences a text may be of.
        initializer_range: standard deviation of fresh weights.
        pad_token_id: the token that fills short texts; it becomes zeros.
        layer_norm_eps: what is added to variances.
    """

    base_model_prefix = "roberta"
    optional_pooler = True
    heads: ClassVar[dict[str, Any]] = {
        "sequence_classification": RobertaForSequenceClassification,
        "masked_lm": RobertaForMaskedLM,
    }

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
        max_position_embeddings: int = 512,
        type_vocab_size: int = 16,
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
        embeddings = RobertaEmbeddings(
            vocab_size=vocab_size,
            hidden_size=hidden_size,
            max_position_embeddings=max_position_embeddings,
            type_vocab_size=type_vocab_size,
            padding_idx=pad_token_id,
            dropout=hidden_dropout_prob,
            weight_attr=self.weight_attr(),
        )
        layers = (num_hidden_layers, num_attention_heads, intermediate_size)
        self._build(embeddings, *layers, attention_probs_dropout_prob)
