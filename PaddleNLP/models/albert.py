"""ALBERT: a BERT whose layers share their weights, and whose table of words is narrower than its hidden states.

Paper: ALBERT: a lite BERT, Lan et al. 2019, arXiv:1909.11942.
Official file: ``paddlenlp/transformers/albert/modeling.py`` of paddlenlp 2.8.1, whose question answering gives the
start's logits for the end too; here the end has its own.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

import core
from core import nn
from PaddleNLP.models.encoder import Embeddings, Encoder, set_epsilon
from PaddleNLP.models.heads import QuestionAnswering, SequenceClassification, TokenClassification
from PaddleNLP.models.language_heads import MaskedLM, Pretraining, TiedDecoder
from PaddleNLP.models.layers.albert import AlbertPooler, AlbertTransformer, activation
from PaddleNLP.models.weights import hugging_face_families


class AlbertForSequenceClassification(SequenceClassification):
    """A class for each text or pair of texts, with a dropout of its own.

    Args:
        encoder: an :class:`AlbertModel`.
        num_classes: results; 1: a number (regression).
        dropout: the probability of dropping a number; None: the encoder's ``classifier_dropout_prob``.
    """

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, num_classes, encoder.classifier_dropout_prob if dropout is None else dropout)


class AlbertForTokenClassification(TokenClassification):
    """A class for each token; nothing is dropped unless ``dropout`` says so."""

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, num_classes, 0.0 if dropout is None else dropout)


class AlbertForQuestionAnswering(QuestionAnswering):
    """How likely an answer begins, and ends, at each token."""

    head_names = ("qa_outputs",)

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        del self.classifier
        self.qa_outputs = self._linear(2)

    def compute(self, sequence: Any, pooled: Any) -> tuple[Any, Any]:
        """Return logits of the start and of the end, (N, L) each.

        Args:
            sequence: float32 (N, L, hidden_size).
            pooled: not used.
        """
        logits = self.qa_outputs(sequence)
        return logits[:, :, 0], logits[:, :, 1]


class AlbertMLMHead(nn.Layer):
    """Logits of tokens: a hidden layer down to the embeddings' size, normalised, and the table of words as decoder.

    Args:
        encoder: whose table it shares.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.layer_norm = nn.LayerNorm(encoder.embedding_size)
        self.dense = nn.Linear(encoder.hidden_size, encoder.embedding_size, encoder.weight_attr())
        self.decoder = TiedDecoder(encoder.word_embeddings.weight)
        self.bias = self.decoder.bias  # its second name in official files
        self.activation = activation(encoder.hidden_act)

    def forward(self, hidden: Any) -> Any:
        """Return logits (..., vocab_size) of (..., hidden_size)."""
        return self.decoder(self.layer_norm(self.activation(self.dense(hidden))))


class AlbertForMaskedLM(MaskedLM):
    """The token that a masked one was."""

    head_names = ("predictions",)

    def _head(self) -> None:
        self.predictions = AlbertMLMHead(self.encoder)

    def _predictions(self) -> Any:
        return self.predictions


class AlbertSOPHead(nn.Layer):
    """Whether two texts are in their right order.

    Args:
        encoder: whose vectors come in.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.dropout = nn.Dropout(encoder.classifier_dropout_prob)
        self.classifier = nn.Linear(encoder.hidden_size, 2, encoder.weight_attr())

    def forward(self, pooled: Any) -> Any:
        """Return logits (N, 2) of (N, hidden_size)."""
        return self.classifier(self.dropout(pooled))


class AlbertForPretraining(Pretraining):
    """Masked tokens and the order of sentences at once."""

    head_names = ("predictions", "sop_classifier")

    def _head(self) -> None:
        self.predictions = AlbertMLMHead(self.encoder)
        self.sop_classifier = AlbertSOPHead(self.encoder)

    def compute(self, sequence: Any, pooled: Any) -> tuple[Any, Any]:
        """Return logits of tokens (..., vocab_size), and of the sentences' order (N, 2).

        Args:
            sequence: float32 (..., hidden_size).
            pooled: float32 (N, hidden_size).
        """
        return self.predictions(sequence), self.sop_classifier(pooled)


class AlbertModel(Encoder):
    """Narrow embeddings, a few layers used many times, and the first token's vector through tanh.

    Args:
        vocab_size: tokens of the vocabulary.
        embedding_size: length of the tables' vectors.
        hidden_size: length of a token's vector.
        num_hidden_layers: how often groups of layers are used.
        num_hidden_groups: groups of layers.
        num_attention_heads: heads of attention, whose number divides ``hidden_size``.
        intermediate_size: units of the feed-forward blocks.
        inner_group_num: layers of a group.
        hidden_act: activation there, a function of :mod:`core.nn.functional` or ``"gelu_new"``.
        hidden_dropout_prob: the probability of dropping a number.
        attention_probs_dropout_prob: the probability of dropping a weight of attention.
        classifier_dropout_prob: the probability of dropping a number in classifiers of texts.
        max_position_embeddings: the longest text, in tokens.
        type_vocab_size: how many sentences a text may be of.
        initializer_range: standard deviation of fresh weights.
        layer_norm_eps: what is added to variances.
        pad_token_id: the token that fills short texts; it becomes zeros.
        add_pooling_layer: whether there is a vector of the whole text.
    """

    base_model_prefix = "transformer"
    heads: ClassVar[dict[str, Any]] = {
        "sequence_classification": AlbertForSequenceClassification,
        "token_classification": AlbertForTokenClassification,
        "question_answering": AlbertForQuestionAnswering,
        "masked_lm": AlbertForMaskedLM,
        "pretraining": AlbertForPretraining,
    }
    renamed = staticmethod(hugging_face_families.albert)

    def __init__(
        self,
        vocab_size: int = 30000,
        embedding_size: int = 128,
        hidden_size: int = 768,
        num_hidden_layers: int = 12,
        num_hidden_groups: int = 1,
        num_attention_heads: int = 12,
        intermediate_size: int = 3072,
        inner_group_num: int = 1,
        hidden_act: str = "gelu",
        hidden_dropout_prob: float = 0.0,
        attention_probs_dropout_prob: float = 0.0,
        classifier_dropout_prob: float = 0.1,
        max_position_embeddings: int = 512,
        type_vocab_size: int = 2,
        initializer_range: float = 0.02,
        layer_norm_eps: float = 1e-12,
        pad_token_id: int = 0,
        add_pooling_layer: bool = True,
    ) -> None:
        super().__init__()
        self.embedding_size = embedding_size
        self.hidden_size = hidden_size
        self.hidden_act = hidden_act
        self.hidden_dropout_prob = hidden_dropout_prob
        self.classifier_dropout_prob = classifier_dropout_prob
        self.initializer_range = initializer_range
        self.layer_norm_eps = layer_norm_eps
        self.pad_token_id = pad_token_id
        attr = self.weight_attr()
        self.embeddings = Embeddings(
            vocab_size,
            embedding_size,
            max_position_embeddings,
            type_vocab_size,
            padding_idx=pad_token_id,
            dropout=hidden_dropout_prob,
            weight_attr=attr,
        )
        positions = core.arange(max_position_embeddings, dtype="int64").unsqueeze(0)
        self.embeddings.register_buffer("position_ids", positions)
        dropouts = (hidden_dropout_prob, attention_probs_dropout_prob)
        layer = (hidden_size, num_attention_heads, intermediate_size, hidden_act, *dropouts, attr)
        groups = (num_hidden_layers, num_hidden_groups, inner_group_num)
        self.encoder = AlbertTransformer(embedding_size, *groups, *layer)
        self.pooler = AlbertPooler(hidden_size, hidden_size, attr) if add_pooling_layer else None
        set_epsilon(self, layer_norm_eps)

    def encoded(self, embedded: Any, mask: Any) -> list[Any]:
        """Return the hidden states of all layers, the mapped embeddings first, (N, L, hidden_size) each.

        Args:
            embedded: (N, L, embedding_size).
            mask: what is added to the scores of attention.
        """
        return self.encoder(embedded, mask)
