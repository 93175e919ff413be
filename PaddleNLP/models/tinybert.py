"""TinyBERT: a small BERT trained layer by layer towards a large one's hidden states, attention and answers.

Paper: TinyBERT: distilling BERT for natural language understanding, Jiao et al. 2019, arXiv:1909.10351.
Official file: ``paddlenlp/transformers/tinybert/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from typing import Any, ClassVar

from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import Embeddings, Encoder
from PaddleNLP.models.heads import Head, SequenceClassification


class TinyBertForSequenceClassification(SequenceClassification):
    """A class for each text or pair of texts, by the positive part of its vector; nothing is dropped."""

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, num_classes).

        Args:
            sequence: not used.
            pooled: float32 (N, hidden_size).
        """
        return self.classifier(F.relu(pooled))


class TinyBertForPretraining(Head):
    """The tokens' vectors, which distillation without a task brings near to the teacher's."""

    head_names = ()

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return float32 (N, L, hidden_size).

        Args:
            sequence: float32 (N, L, hidden_size).
            pooled: not used.
        """
        return sequence


class TinyBertModel(Encoder):
    """BERT's encoder, with linear layers that bring hidden states to the teacher's size.

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
        type_vocab_size: how many sentences a text may be of.
        initializer_range: standard deviation of fresh weights.
        pad_token_id: the token that fills short texts.
        layer_norm_eps: what is added to variances.
        fit_size: length of the teacher's vectors.
    """

    base_model_prefix = "tinybert"
    heads: ClassVar[dict[str, Any]] = {
        "sequence_classification": TinyBertForSequenceClassification,
        "pretraining": TinyBertForPretraining,
    }

    def __init__(
        self,
        vocab_size: int = 30522,
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
        fit_size: int = 768,
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
            type_vocab_size,
            dropout=hidden_dropout_prob,
            weight_attr=self.weight_attr(),
        )
        self._build(embeddings, num_hidden_layers, num_attention_heads, intermediate_size, attention_probs_dropout_prob)
        self.fit_denses = nn.LayerList(
            [nn.Linear(hidden_size, fit_size, self.weight_attr()) for _ in range(num_hidden_layers + 1)]
        )
        self.fit_dense = nn.Linear(hidden_size, fit_size, self.weight_attr())

    def fitted(self, states: Any) -> tuple[Any, ...]:
        """Return hidden states in the teacher's size, each (N, L, fit_size).

        Args:
            states: those of all layers, the embeddings' first, as :meth:`forward` gives with ``output_hidden_states``.
        """
        return tuple(dense(state) for dense, state in zip(self.fit_denses, states))
