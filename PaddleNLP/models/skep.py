"""SKEP: ERNIE or RoBERTa pretrained further on sentiment: its words, their polarity, and pairs of aspect and opinion.

Paper: SKEP: sentiment knowledge enhanced pre-training, Tian et al. 2020, arXiv:2005.05635.
Official file: ``paddlenlp/transformers/skep/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from typing import Any, ClassVar

from PaddleNLP.models.encoder import Embeddings, Encoder
from PaddleNLP.models.layers.crf import CrfTokenClassification


class SkepModel(Encoder):
    """BERT's encoder, with or without vectors of sentences.

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
        type_vocab_size: how many sentences a text may be of; 0 for the English RoBERTa, which knows none.
        initializer_range: standard deviation of fresh weights.
        pad_token_id: the token that fills short texts; it becomes zeros.
        layer_norm_eps: what is added to variances.
    """

    base_model_prefix = "skep"
    heads: ClassVar[dict[str, Any]] = {"crf_token_classification": CrfTokenClassification}

    def __init__(
        self,
        vocab_size: int = 12800,
        hidden_size: int = 1024,
        num_hidden_layers: int = 24,
        num_attention_heads: int = 16,
        intermediate_size: int = 4096,
        hidden_act: str = "relu",
        hidden_dropout_prob: float = 0.1,
        attention_probs_dropout_prob: float = 0.1,
        max_position_embeddings: int = 512,
        type_vocab_size: int = 4,
        initializer_range: float = 0.02,
        pad_token_id: int = 0,
        layer_norm_eps: float = 1e-5,
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
            padding_idx=pad_token_id,
            dropout=hidden_dropout_prob,
            weight_attr=self.weight_attr(),
        )
        self._build(embeddings, num_hidden_layers, num_attention_heads, intermediate_size, attention_probs_dropout_prob)
