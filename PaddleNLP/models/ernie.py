"""ERNIE: encoders pretrained by masking whole words, phrases and entities, and by several tasks one after another.

Papers: ERNIE, Sun et al. 2019, arXiv:1904.09223; ERNIE 2.0, Sun et al. 2019, arXiv:1907.12412; ERNIE 3.0, Sun et al.
2021, arXiv:2107.02137; ERNIE-Tiny (the small ones of 3.0), Su et al. 2021, arXiv:2106.02241.
Official file: ``paddlenlp/transformers/ernie/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from PaddleNLP.models.encoder import Embeddings, Encoder
from PaddleNLP.models.sinusoids import Sinusoids


class ErnieModel(Encoder):
    """BERT's encoder, with vectors of the task beside those of the sentence.

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
        use_task_id: whether there are vectors of tasks.
        task_type_vocab_size: how many tasks there are.
        task_id: the task where none is given.
        initializer_range: standard deviation of fresh weights.
        pad_token_id: the token that fills short texts; it becomes zeros.
        layer_norm_eps: what is added to variances: 1e-12 in paddlenlp, 1e-5 in files of Fluid 1.x.
        pool_act: activation of the whole text's vector.
        sinusoidal_positions: whether fresh vectors of positions are sinusoids instead of random numbers, which makes
            neighbours easy to find. They are learned as the others are; files of weights do not differ.
    """

    base_model_prefix = "ernie"

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
        use_task_id: bool = False,
        task_type_vocab_size: int = 3,
        task_id: int = 0,
        initializer_range: float = 0.02,
        pad_token_id: int = 0,
        layer_norm_eps: float = 1e-12,
        pool_act: str = "tanh",
        sinusoidal_positions: bool = False,
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
            task_type_vocab_size if use_task_id else 0,
            task_id,
            padding_idx=pad_token_id,
            dropout=hidden_dropout_prob,
            weight_attr=self.weight_attr(),
            position_attr=Sinusoids(initializer_range) if sinusoidal_positions else None,
        )
        layers = (num_hidden_layers, num_attention_heads, intermediate_size)
        self._build(embeddings, *layers, attention_probs_dropout_prob, pool_act)
