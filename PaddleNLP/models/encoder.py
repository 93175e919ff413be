"""What encoders of BERT's kind share: the sum of embeddings, layers of attention, the pooled first token.

Paper: BERT: pre-training of deep bidirectional Transformers, Devlin et al. 2018, arXiv:1810.04805.
Names and shapes of parameters are those of paddlenlp 2.8.1 (``paddlenlp/transformers/bert/modeling.py``). Keys that are
padding get -10000 added to their scores: their weight is 0 in float32, so padding changes no result.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

import core
from core import nn
from core.nn.initializer import Normal
from PaddleNLP.models.layers.pooler import Pooler

HIDDEN = -10000.0
"""What is added to the scores of keys that must not be seen, as in all official models."""


class Embeddings(nn.Layer):
    """Word, position, sentence and task vectors, added up, normalised, dropped.

    Args:
        vocab_size: rows of the table of words.
        hidden_size: length of a vector.
        max_position_embeddings: rows of the table of positions; 0: there is none.
        type_vocab_size: rows of the table of sentences; 0: there is none.
        task_type_vocab_size: rows of the table of tasks; 0: there is none.
        task_id: the task where none is given.
        padding_idx: the token that always becomes zeros; None: there is none.
        dropout: the probability of dropping a number.
        weight_attr: initialiser of the tables.
        position_attr: initialiser of the table of positions; None: as of the others.
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        max_position_embeddings: int,
        type_vocab_size: int = 2,
        task_type_vocab_size: int = 0,
        task_id: int = 0,
        padding_idx: Optional[int] = None,
        dropout: float = 0.1,
        weight_attr: Any = None,
        position_attr: Any = None,
    ) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, padding_idx, weight_attr=weight_attr)
        if max_position_embeddings:
            attr = weight_attr if position_attr is None else position_attr
            self.position_embeddings = nn.Embedding(max_position_embeddings, hidden_size, weight_attr=attr)
        self.positions = max_position_embeddings
        self.type_vocab_size = type_vocab_size
        self.task_type_vocab_size = task_type_vocab_size
        self.task_id = task_id
        if type_vocab_size:
            self.token_type_embeddings = nn.Embedding(type_vocab_size, hidden_size, weight_attr=weight_attr)
        if task_type_vocab_size:
            self.task_type_embeddings = nn.Embedding(task_type_vocab_size, hidden_size, weight_attr=weight_attr)
        self.layer_norm: nn.Layer = nn.LayerNorm(hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        input_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        task_type_ids: Any = None,
        inputs_embeds: Any = None,
    ) -> Any:
        """Return float32 (N, L, hidden_size).

        Args:
            input_ids: int64 (N, L), or None where ``inputs_embeds`` is given.
            token_type_ids: int64 (N, L), the sentence of each token; None: 0.
            position_ids: int64 (N, L); None: 0, 1, 2, ...
            task_type_ids: int64 (N, L); None: ``task_id``.
            inputs_embeds: float32 (N, L, hidden_size), used instead of the words' vectors.
        """
        words = self.word_embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        total = words
        if self.positions:
            places = self.default_positions(input_ids, words) if position_ids is None else position_ids
            total = total + self.position_embeddings(places)
        if self.type_vocab_size:
            total = total + self.token_type_embeddings(_or_constant(token_type_ids, 0))
        if self.task_type_vocab_size:
            total = total + self.task_type_embeddings(_or_constant(task_type_ids, self.task_id))
        return self.dropout(self.layer_norm(total))

    def default_positions(self, input_ids: Any, words: Any) -> Any:
        """Return the positions of tokens for which none are given, (L,) or (N, L).

        Args:
            input_ids: int64 (N, L) or None.
            words: float32 (N, L, hidden_size).

        Raises:
            ValueError: the texts are longer than the table of positions.
        """
        length = words.shape[1]
        if isinstance(length, int) and length > self.positions:
            raise ValueError(
                f"texts of {length} tokens, but the model knows {self.positions} positions: cut them"
                f" (max_length={self.positions}), or build it with a larger max_position_embeddings"
            )
        return core.arange(length, dtype="int64")


def _or_constant(ids: Any, value: int) -> Any:
    """Return ids, or those of one row that broadcasts."""
    return core.full([1, 1], value, "int64") if ids is None else ids


class Encoder(nn.Layer):
    """Embeddings, Transformer layers and, where a family has one, a pooler.

    A family of BERT's kind derives from it and writes its constructor; another one may be any layer with the attributes
    below and the same ``forward``: that is all that :mod:`PaddleNLP.models.heads` asks for.

    Attributes:
        base_model_prefix: the attribute under which a head holds it: what precedes its names in official files.
        heads: tasks for which the family has a head of its own.
        optional_pooler: whether the family's heads that do not read the pooler leave it away.
        hidden_size: length of a token's vector.
        hidden_act: the activation's name in :mod:`core.nn.functional`.
        hidden_dropout_prob: the probability of dropping a number, heads included.
        initializer_range: standard deviation of fresh weights.
        layer_norm_eps: what is added to variances.
        pad_token_id: the token that fills short texts.
        pooler: gives the whole text's vector, or None.
    """

    base_model_prefix: ClassVar[str]
    heads: ClassVar[dict[str, Any]] = {}
    optional_pooler: ClassVar[bool] = False
    hidden_size: int
    hidden_act: str
    hidden_dropout_prob: float
    initializer_range: float
    layer_norm_eps: float
    pad_token_id: int

    def _build(
        self,
        embeddings: Any,
        num_hidden_layers: int,
        num_attention_heads: int,
        intermediate_size: int,
        attention_probs_dropout_prob: float,
        pool_act: Optional[str] = "tanh",
    ) -> None:
        """Build the layers; the attributes above are set before.

        Args:
            embeddings: the first layer.
            num_hidden_layers: Transformer layers.
            num_attention_heads: heads of attention, whose number divides hidden_size.
            intermediate_size: units of the feed-forward blocks.
            attention_probs_dropout_prob: the probability of dropping a weight of attention.
            pool_act: the pooler's activation; None: there is no pooler.
        """
        self.embeddings = embeddings
        layer = nn.TransformerEncoderLayer(
            self.hidden_size,
            num_attention_heads,
            intermediate_size,
            dropout=self.hidden_dropout_prob,
            activation=self.hidden_act,
            attn_dropout=attention_probs_dropout_prob,
            act_dropout=0.0,
            weight_attr=self.weight_attr(),
        )
        self.encoder: Any = nn.TransformerEncoder(layer, num_hidden_layers)
        self.pooler: Any = None if pool_act is None else Pooler(self.hidden_size, pool_act, self.weight_attr())
        set_epsilon(self, self.layer_norm_eps)

    def weight_attr(self) -> Any:
        """Return how the family's fresh weights are drawn."""
        return nn.ParamAttr(initializer=Normal(0.0, self.initializer_range))

    @property
    def word_embeddings(self) -> Any:
        """The table of words, which the decoder of a masked language model shares."""
        return self.embeddings.word_embeddings

    @property
    def vocab_size(self) -> int:
        """How many tokens the table of words has."""
        return int(self.word_embeddings.weight.shape[0])

    @property
    def max_position_embeddings(self) -> Optional[int]:
        """How many positions the table of positions has; None: there is none."""
        return int(self.embeddings.position_embeddings.weight.shape[0]) if self.embeddings.positions else None

    @property
    def max_length(self) -> Optional[int]:
        """How many tokens a text may have; None: any number."""
        return self.embeddings.positions or None

    def forward(
        self,
        input_ids: Any = None,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
        inputs_embeds: Any = None,
        output_hidden_states: bool = False,
    ) -> tuple[Any, ...]:
        """Return the vectors of all tokens, and one of the whole text.

        Args:
            input_ids: int64 (N, L).
            token_type_ids: int64 (N, L), the sentence of each token; None: 0.
            position_ids: int64 (N, L); None: by the family's rule.
            attention_mask: (N, L), 1 where there is a token and 0 where there is padding; or what broadcasts to
                (N, heads, L, L): bool, integers, or numbers that are added to the scores. None: padding is
                ``pad_token_id``.
            task_type_ids: int64 (N, L), for encoders that know tasks.
            inputs_embeds: float32 (N, L, hidden_size), used instead of the words' vectors.
            output_hidden_states: whether all layers' vectors are returned too.

        Returns:
            float32 (N, L, hidden_size); float32 (N, hidden_size), or None without a pooler; with
            ``output_hidden_states`` a tuple of (N, L, hidden_size), the embeddings' and each layer's.
        """
        mask = self.mask(input_ids, attention_mask)
        embedded = self.embedded(input_ids, token_type_ids, position_ids, task_type_ids, inputs_embeds)
        states = self.encoded(embedded, mask)
        pooled = None if self.pooler is None else self.pooler(states[-1])
        return (states[-1], pooled, tuple(states)) if output_hidden_states else (states[-1], pooled)

    def embedded(self, *ids: Any) -> Any:
        """Return what the first layer reads.

        Args:
            *ids: the arguments of :class:`Embeddings`.
        """
        return self.embeddings(*ids)

    def encoded(self, embedded: Any, mask: Any) -> list[Any]:
        """Return the hidden states of all layers, what the first one reads before them, (N, L, hidden_size) each.

        Args:
            embedded: result of :meth:`embedded`.
            mask: result of :meth:`mask`.
        """
        states = [embedded]
        for layer in self.encoder.layers:
            states.append(layer(states[-1], src_mask=mask))
        return states

    def mask(self, input_ids: Any, attention_mask: Any = None) -> Any:
        """Return what is added to the scores of attention, (N, 1, 1, L) for padding; None: nothing.

        Args:
            input_ids: int64 (N, L) or None.
            attention_mask: as in :meth:`forward`.
        """
        return padding_mask(input_ids, attention_mask, self.pad_token_id)


def padding_mask(input_ids: Any, attention_mask: Any, pad_token_id: int) -> Any:
    """Return what is added to the scores of attention, (N, 1, 1, L) for padding; None: nothing.

    Args:
        input_ids: int64 (N, L) or None.
        attention_mask: (N, L), 1 where there is a token; another rank is returned as it is; None: see ``input_ids``.
        pad_token_id: the token that is padding.
    """
    if attention_mask is None:
        if input_ids is None:
            return None
        return (input_ids == pad_token_id).astype("float32").unsqueeze([1, 2]) * HIDDEN
    if attention_mask.ndim != 2:
        return attention_mask
    return (1.0 - attention_mask.astype("float32").unsqueeze([1, 2])) * HIDDEN


def kept_tokens(input_ids: Any, attention_mask: Any, pad_token_id: int, dtype: str = "float32") -> Any:
    """Return where there are tokens, and no padding: 1 and 0, (N, L).

    Args:
        input_ids: int64 (N, L).
        attention_mask: (N, L), what is returned; None: padding is ``pad_token_id``.
        pad_token_id: the token that fills short texts.
        dtype: of the result.
    """
    return ((input_ids != pad_token_id) if attention_mask is None else attention_mask).astype(dtype)


def set_epsilon(layer: Any, epsilon: float) -> None:
    """Set what the layer normalisations inside a layer add to variances; Paddle's Transformer layers have no argument.

    Args:
        layer: whose sublayers are changed.
        epsilon: the number.
    """
    for inner in layer.sublayers(include_self=True):
        if isinstance(inner, nn.LayerNorm):
            inner._epsilon = epsilon
