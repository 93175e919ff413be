"""BERT: an encoder pretrained by guessing masked tokens and whether a sentence follows another one.

Papers: BERT, Devlin et al. 2018, arXiv:1810.04805; whole-word masking for Chinese, Cui et al. 2019, arXiv:1906.08101.
Official file: ``paddlenlp/transformers/bert/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from PaddleNLP.models.encoder import Embeddings, Encoder


class BertModel(Encoder):
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
        max_position_embeddings: the longest text, in tokens.
        type_vocab_size: how many sentences a text may be of.
        initializer_range: standard deviation of fresh weights.
        pad_token_id: the token that fills short texts.
        layer_norm_eps: what is added to variances.
        pool_act: activation of the whole text's vector.
    """

    base_model_prefix = "bert"

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
        pool_act: str = "tanh",
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
        layers = (num_hidden_layers, num_attention_heads, intermediate_size)
        self._build(embeddings, *layers, attention_probs_dropout_prob, pool_act)
