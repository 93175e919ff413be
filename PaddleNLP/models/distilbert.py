"""DistilBERT: half of BERT's layers, trained to answer as BERT does; it knows no sentences and pools nothing.

Paper: DistilBERT, Sanh et al. 2019, arXiv:1910.01108.
Official file: ``paddlenlp/transformers/distilbert/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import Embeddings, Encoder
from PaddleNLP.models.heads import QuestionAnswering, SequenceClassification
from PaddleNLP.models.language_heads import MaskedLM
from PaddleNLP.models.weights import hugging_face_families


class DistilBertForSequenceClassification(SequenceClassification):
    """A class for each text or pair of texts, by two layers on the first token's vector."""

    head_names = ("pre_classifier", "classifier")
    uses_pooler = False

    def _classifier(self, num_classes: int) -> Any:
        self.pre_classifier = self._linear(self.encoder.hidden_size)
        return self._linear(num_classes)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, num_classes).

        Args:
            sequence: float32 (N, L, hidden_size).
            pooled: not used.
        """
        return super().compute(sequence, F.relu(self.pre_classifier(sequence[:, 0])))


class DistilBertForQuestionAnswering(QuestionAnswering):
    """How likely an answer begins, and ends, at each token; tokens' vectors are dropped in training."""

    def compute(self, sequence: Any, pooled: Any) -> tuple[Any, Any]:
        """Return logits of the start and of the end, (N, L) each.

        Args:
            sequence: float32 (N, L, hidden_size).
            pooled: not used.
        """
        return super().compute(self.dropout(sequence), pooled)


class DistilBertForMaskedLM(MaskedLM):
    """The token that a masked one was; the decoder has a weight of its own.

    Args:
        encoder: a :class:`DistilBertModel`.
        dropout: not used, as in the official model.
    """

    head_names = ("vocab_transform", "vocab_layer_norm", "vocab_projector")

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.vocab_transform = self._linear(encoder.hidden_size)
        self.vocab_layer_norm = nn.LayerNorm(encoder.hidden_size, epsilon=encoder.layer_norm_eps)
        self.vocab_projector = self._linear(encoder.word_embeddings.weight.shape[0])

    def _head(self) -> None:
        """Build nothing: the layers are not under one name."""

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (..., vocab_size).

        Args:
            sequence: float32 (..., hidden_size).
            pooled: not used.
        """
        return self.vocab_projector(self.vocab_layer_norm(F.gelu(self.vocab_transform(sequence))))


class DistilBertModel(Encoder):
    """Vectors of words and positions through layers of attention.

    Args:
        vocab_size: tokens of the vocabulary.
        hidden_size: length of a token's vector.
        num_hidden_layers: Transformer layers.
        num_attention_heads: heads of attention, whose number divides ``hidden_size``.
        intermediate_size: units of the feed-forward blocks.
        hidden_act: activation there, a function of :mod:`core.nn.functional`.
        hidden_dropout_prob: the probability of dropping a number.
        attention_probs_dropout_prob: the probability of dropping a weight of attention.
        max_position_embeddings: the longest text, in tokens.
        initializer_range: standard deviation of fresh weights.
        pad_token_id: the token that fills short texts.
        layer_norm_eps: what is added to variances.
    """

    base_model_prefix = "distilbert"
    heads: ClassVar[dict[str, Any]] = {
        "sequence_classification": DistilBertForSequenceClassification,
        "question_answering": DistilBertForQuestionAnswering,
        "masked_lm": DistilBertForMaskedLM,
    }
    renamed = staticmethod(hugging_face_families.distilbert)

    def __init__(
        self,
        vocab_size: int = 30522,
        hidden_size: int = 768,
        num_hidden_layers: int = 6,
        num_attention_heads: int = 12,
        intermediate_size: int = 3072,
        hidden_act: str = "gelu",
        hidden_dropout_prob: float = 0.1,
        attention_probs_dropout_prob: float = 0.1,
        max_position_embeddings: int = 512,
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
        embeddings = Embeddings(
            vocab_size,
            hidden_size,
            max_position_embeddings,
            type_vocab_size=0,
            dropout=hidden_dropout_prob,
            weight_attr=self.weight_attr(),
        )
        layers = (num_hidden_layers, num_attention_heads, intermediate_size)
        self._build(embeddings, *layers, attention_probs_dropout_prob, pool_act=None)
