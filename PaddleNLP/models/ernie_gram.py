"""ERNIE-Gram: ERNIE pretrained by guessing whole n-grams, each as one entry of a vocabulary of n-grams.

Paper: ERNIE-Gram, Xiao et al. 2020, arXiv:2010.12148.
Official file: ``paddlenlp/transformers/ernie_gram/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from typing import Optional

from core import nn
from PaddleNLP.models.encoder import Embeddings, Encoder


class ErnieGramModel(Encoder):
    """BERT's encoder; the vocabulary of n-grams serves pretraining alone.

    Args:
        vocab_size: tokens of the vocabulary.
        embedding_size: length of the tables' vectors; that of a token's vector in all checkpoints.
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
        pad_token_id: the token that fills short texts; it becomes zeros.
        layer_norm_eps: what is added to variances.
        rel_pos_size: rows of a table of distances that some files hold and no layer reads; None: there is none.

    Raises:
        ValueError: ``embedding_size`` is not ``hidden_size``.
    """

    base_model_prefix = "ernie_gram"

    def __init__(
        self,
        vocab_size: int = 18018,
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
        layer_norm_eps: float = 1e-5,
        rel_pos_size: Optional[int] = None,
    ) -> None:
        super().__init__()
        if embedding_size != hidden_size:
            raise ValueError(f"ErnieGramModel: embedding_size={embedding_size} must be hidden_size={hidden_size}")
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
        if rel_pos_size:
            embeddings.rel_pos_embeddings = nn.Embedding(
                rel_pos_size, num_attention_heads, weight_attr=self.weight_attr()
            )
        self._build(embeddings, num_hidden_layers, num_attention_heads, intermediate_size, attention_probs_dropout_prob)
