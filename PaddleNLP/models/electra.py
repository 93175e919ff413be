"""ELECTRA: an encoder pretrained to find the tokens that a small masked language model replaced.

Paper: ELECTRA: pre-training text encoders as discriminators, Clark et al. 2020, arXiv:2003.10555.
Official file: ``paddlenlp/transformers/electra/modeling.py`` of paddlenlp 2.8.1. The discriminator there gives (L,) for
a batch of one text; here it is (N, L) always.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import Embeddings, Encoder
from PaddleNLP.models.heads import Head, MultipleChoice, SequenceClassification
from PaddleNLP.models.language_heads import MaskedLM
from PaddleNLP.models.weights import hugging_face_families


class ElectraClassificationHead(nn.Layer):
    """Two linear layers on the first token's vector.

    Args:
        encoder: whose vectors come in.
        num_classes: results.
        dropout: the probability of dropping a number.
    """

    def __init__(self, encoder: Any, num_classes: int, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(encoder.hidden_size, encoder.hidden_size, encoder.weight_attr())
        self.dropout = nn.Dropout(dropout)
        self.out_proj = nn.Linear(encoder.hidden_size, num_classes, encoder.weight_attr())
        self.activation = getattr(F, encoder.hidden_act)

    def forward(self, sequence: Any) -> Any:
        """Return logits (N, num_classes) of (N, L, hidden_size)."""
        hidden = self.activation(self.dense(self.dropout(sequence[:, 0])))
        return self.out_proj(self.dropout(hidden))


class ElectraForSequenceClassification(SequenceClassification):
    """A class for each text or pair of texts, by two layers on the first token's vector.

    Args:
        encoder: an :class:`ElectraModel`.
        num_classes: results; 1: a number (regression).
        dropout: the probability of dropping a number; None: the encoder's own.
    """

    uses_pooler = False

    def _classifier(self, num_classes: int) -> Any:
        return ElectraClassificationHead(self.encoder, num_classes, self.dropout.p)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, num_classes).

        Args:
            sequence: float32 (N, L, hidden_size).
            pooled: not used.
        """
        return self.classifier(sequence)


class ElectraPooler(nn.Layer):
    """A linear layer on the first token's vector, through the encoder's activation.

    Args:
        encoder: whose vectors come in.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.dense = nn.Linear(encoder.hidden_size, encoder.hidden_size, encoder.weight_attr())
        self.activation = getattr(F, encoder.hidden_act)

    def forward(self, sequence: Any) -> Any:
        """Return (N, hidden_size) of (N, L, hidden_size)."""
        return self.activation(self.dense(sequence[:, 0]))


class ElectraForMultipleChoice(MultipleChoice):
    """How well each of several texts fits.

    Args:
        encoder: an :class:`ElectraModel`.
        dropout: the probability of dropping a number; None: the encoder's own.
    """

    head_names = ("sequence_summary", "classifier")
    uses_pooler = False

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.sequence_summary = ElectraPooler(encoder)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N * choices, 1).

        Args:
            sequence: float32 (N * choices, L, hidden_size).
            pooled: not used.
        """
        return super().compute(sequence, self.sequence_summary(sequence))


class ElectraGeneratorPredictions(nn.Layer):
    """A hidden layer down to the embeddings' size, normalised.

    Args:
        encoder: whose vectors come in.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.layer_norm = nn.LayerNorm(encoder.embedding_size, epsilon=1e-12)
        self.dense = nn.Linear(encoder.hidden_size, encoder.embedding_size, encoder.weight_attr())
        self.activation = getattr(F, encoder.hidden_act)

    def forward(self, sequence: Any) -> Any:
        """Return (..., embedding_size) of (..., hidden_size)."""
        return self.layer_norm(self.activation(self.dense(sequence)))


class ElectraGenerator(MaskedLM):
    """The token that a masked one was; the decoder is the table of words.

    Args:
        encoder: an :class:`ElectraModel`.
        dropout: not used, as in the official model.
    """

    head_names = ("generator_predictions", "generator_lm_head_bias")

    def _head(self) -> None:
        table = self.encoder.word_embeddings.weight
        self.generator_predictions = ElectraGeneratorPredictions(self.encoder)
        self.generator_lm_head_bias = self.create_parameter([table.shape[0]], is_bias=True)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (..., vocab_size).

        Args:
            sequence: float32 (..., hidden_size).
            pooled: not used.
        """
        table = self.encoder.word_embeddings.weight
        hidden = self.generator_predictions(sequence)
        return hidden.matmul(table, transpose_y=True) + self.generator_lm_head_bias


class ElectraDiscriminatorPredictions(nn.Layer):
    """Two linear layers on each token's vector.

    Args:
        encoder: whose vectors come in.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.dense = nn.Linear(encoder.hidden_size, encoder.hidden_size, encoder.weight_attr())
        self.dense_prediction = nn.Linear(encoder.hidden_size, 1, encoder.weight_attr())
        self.activation = getattr(F, encoder.hidden_act)

    def forward(self, sequence: Any) -> Any:
        """Return logits (N, L) of (N, L, hidden_size)."""
        return self.dense_prediction(self.activation(self.dense(sequence))).squeeze(-1)


class ElectraDiscriminator(Head):
    """Whether each token was replaced.

    Args:
        encoder: an :class:`ElectraModel`.
        dropout: not used, as in the official model.
    """

    head_names = ("discriminator_predictions",)

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.discriminator_predictions = ElectraDiscriminatorPredictions(encoder)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, L).

        Args:
            sequence: float32 (N, L, hidden_size).
            pooled: not used.
        """
        return self.discriminator_predictions(sequence)

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean binary cross entropy over the tokens with a label.

        Args:
            logits: float32 (N, L).
            labels: int64 (N, L), 1: replaced, 0: not, -100: none.
        """
        return replaced_loss(logits, labels)


def replaced_loss(logits: Any, labels: Any) -> Any:
    """Return the mean binary cross entropy over the tokens with a label.

    Args:
        logits: float32 (N, L).
        labels: int64 (N, L), 1: replaced, 0: not, -100: none.
    """
    known = (labels != -100).astype("float32")
    each = F.binary_cross_entropy_with_logits(logits, labels.astype("float32") * known, reduction="none")
    return (each * known).sum() / known.sum().clip(min=1.0)


class ElectraModel(Encoder):
    """BERT's encoder without a pooler; embeddings may be narrower than hidden states.

    Args:
        vocab_size: tokens of the vocabulary.
        embedding_size: length of the tables' vectors.
        hidden_size: length of a token's vector.
        num_hidden_layers: Transformer layers.
        num_attention_heads: heads of attention, whose number divides ``hidden_size``.
        intermediate_size: units of the feed-forward blocks.
        hidden_act: activation there and in heads, a function of :mod:`core.nn.functional`.
        hidden_dropout_prob: the probability of dropping a number.
        attention_probs_dropout_prob: the probability of dropping a weight of attention.
        max_position_embeddings: the longest text, in tokens.
        type_vocab_size: how many sentences a text may be of.
        initializer_range: standard deviation of fresh weights.
        pad_token_id: the token that fills short texts.
        layer_norm_eps: what is added to variances.
    """

    base_model_prefix = "electra"
    heads: ClassVar[dict[str, Any]] = {
        "sequence_classification": ElectraForSequenceClassification,
        "multiple_choice": ElectraForMultipleChoice,
        "masked_lm": ElectraGenerator,
        "discriminator": ElectraDiscriminator,
        "pretraining": "PaddleNLP.models.combined.electra_pretraining:ElectraForTotalPretraining",
        "health_pretraining": "PaddleNLP.models.ernie_health:ErnieHealthForTotalPretraining",
    }
    renamed = staticmethod(hugging_face_families.electra)

    def __init__(
        self,
        vocab_size: int = 30522,
        embedding_size: int = 768,
        hidden_size: int = 768,
        num_hidden_layers: int = 12,
        num_attention_heads: int = 12,
        intermediate_size: int = 3072,
        hidden_act: str = "gelu",
        hidden_dropout_prob: float = 0.1,
        attention_probs_dropout_prob: float = 0.1,
        max_position_embeddings: int = 512,
        type_vocab_size: int = 2,
        initializer_range: float = 0.02,
        pad_token_id: int = 0,
        layer_norm_eps: float = 1e-12,
    ) -> None:
        super().__init__()
        self.settings = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        self.embedding_size = embedding_size
        self.hidden_size = hidden_size
        self.hidden_act = hidden_act
        self.hidden_dropout_prob = hidden_dropout_prob
        self.initializer_range = initializer_range
        self.layer_norm_eps = layer_norm_eps
        self.pad_token_id = pad_token_id
        embeddings = Embeddings(
            vocab_size,
            embedding_size,
            max_position_embeddings,
            type_vocab_size,
            dropout=hidden_dropout_prob,
            weight_attr=self.weight_attr(),
        )
        if embedding_size != hidden_size:
            self.embeddings_project = nn.Linear(embedding_size, hidden_size, self.weight_attr())
        layers = (num_hidden_layers, num_attention_heads, intermediate_size)
        self._build(embeddings, *layers, attention_probs_dropout_prob, pool_act=None)

    def embedded(self, *ids: Any) -> Any:
        """Return what the first layer reads, (N, L, hidden_size).

        Args:
            *ids: the arguments of :class:`PaddleNLP.models.encoder.Embeddings`.
        """
        vectors = self.embeddings(*ids)
        return vectors if self.embedding_size == self.hidden_size else self.embeddings_project(vectors)
