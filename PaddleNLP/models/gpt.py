"""GPT: a language model from left to right, with a memory of keys and values for writing token after token.

Papers: GPT-2, Radford et al. 2019, Language models are unsupervised multitask learners; GPT-3, Brown et al. 2020,
arXiv:2005.14165; CPM (Chinese), Zhang et al. 2020, arXiv:2012.00413.
Official file: ``paddlenlp/transformers/gpt/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Optional

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Normal
from PaddleNLP.models.encoder import HIDDEN
from PaddleNLP.models.heads import SequenceClassification
from PaddleNLP.models.language_heads import MaskedLM
from PaddleNLP.models.layers.gpt import GPTDecoder, GPTDecoderLayer, GPTEmbeddings
from PaddleNLP.models.weights import hugging_face_families


class GPTForSequenceClassification(SequenceClassification):
    """A class for each text, by a linear layer without bias on its last token's vector."""

    head_names = ("score",)

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, num_classes, dropout)
        del self.classifier
        self.score = nn.Linear(encoder.hidden_size, num_classes, encoder.weight_attr(), bias_attr=False)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, num_classes).

        Args:
            sequence: not used.
            pooled: float32 (N, hidden_size).
        """
        return self.score(pooled)


class GPTLMHead(nn.Layer):
    """The table of words as decoder.

    Args:
        table: the parameter that it shares.
    """

    def __init__(self, table: Any) -> None:
        super().__init__()
        self.weight = table

    def forward(self, hidden: Any) -> Any:
        """Return (..., vocab_size) of (..., hidden_size)."""
        return hidden.matmul(self.weight, transpose_y=True)


class GPTForCausalLM(MaskedLM):
    """The token after each one. Labels are the tokens that follow, as long as the inputs; -100: none.

    Args:
        encoder: a :class:`GPTModel`.
        dropout: not used, as in the official model.
    """

    head_names = ("lm_head",)

    def _head(self) -> None:
        self.lm_head = GPTLMHead(self.encoder.word_embeddings.weight)

    def _predictions(self) -> Any:
        return self.lm_head

    def step(self, input_ids: Any, past: Optional[Sequence[tuple[Any, Any]]] = None) -> tuple[Any, Any]:
        """Return logits of the tokens after these, (N, L, vocab_size), and what the next call takes as ``past``.

        Args:
            input_ids: int64 (N, L), the tokens after those that ``past`` knows.
            past: keys and values of earlier tokens.
        """
        sequence, _, present = self.encoder(input_ids, past=past, use_cache=True)
        return self.lm_head(sequence), present


class GPTModel(nn.Layer):
    """Vectors of words and positions through layers of attention that see no later token.

    The vector of a whole text is that of its last token: the last one that the mask knows or, without a mask, that is
    neither ``eos_token_id`` nor ``pad_token_id``. Padding belongs behind the text, where no token sees it.

    Args:
        vocab_size: tokens of the vocabulary.
        hidden_size: length of a token's vector.
        num_hidden_layers: layers.
        num_attention_heads: heads of attention, whose number divides ``hidden_size``.
        intermediate_size: units of the feed-forward blocks.
        hidden_act: activation there, a function of :mod:`core.nn.functional`; GELU is the approximate one.
        hidden_dropout_prob: the probability of dropping a number.
        attention_probs_dropout_prob: the probability of dropping a weight of attention.
        max_position_embeddings: the longest text, in tokens.
        initializer_range: standard deviation of fresh weights; that of what a layer adds is smaller.
        pad_token_id: the token that fills short texts.
        eos_token_id: the token that ends a text.
    """

    base_model_prefix = "gpt"
    optional_pooler = False
    heads: ClassVar[dict[str, Any]] = {
        "sequence_classification": GPTForSequenceClassification,
        "language_model": GPTForCausalLM,
    }
    renamed = staticmethod(hugging_face_families.gpt)

    def __init__(
        self,
        vocab_size: int = 50304,
        hidden_size: int = 768,
        num_hidden_layers: int = 12,
        num_attention_heads: int = 12,
        intermediate_size: int = 3072,
        hidden_act: str = "gelu",
        hidden_dropout_prob: float = 0.1,
        attention_probs_dropout_prob: float = 0.1,
        max_position_embeddings: int = 512,
        initializer_range: float = 0.02,
        pad_token_id: int = 0,
        eos_token_id: int = 7,
    ) -> None:
        super().__init__()
        self.vocab_size, self.max_position_embeddings = vocab_size, max_position_embeddings
        self.hidden_size = hidden_size
        self.hidden_act = hidden_act
        self.layer_norm_eps = 1e-5
        self.hidden_dropout_prob = hidden_dropout_prob
        self.initializer_range = initializer_range
        self.pad_token_id, self.eos_token_id = pad_token_id, eos_token_id
        attr = self.weight_attr()
        output = nn.ParamAttr(initializer=Normal(0.0, initializer_range / (2 * num_hidden_layers) ** 0.5))
        tables = (vocab_size, hidden_size, max_position_embeddings)
        self.embeddings = GPTEmbeddings(*tables, dropout=hidden_dropout_prob, weight_attr=attr)
        dropouts = (hidden_dropout_prob, attention_probs_dropout_prob)
        sizes = (hidden_size, num_attention_heads, intermediate_size, hidden_act)
        layers = [GPTDecoderLayer(*sizes, *dropouts, attr, output) for _ in range(num_hidden_layers)]
        self.decoder = GPTDecoder(layers, hidden_size)

    def weight_attr(self) -> Any:
        """Return how the family's fresh weights are drawn."""
        return nn.ParamAttr(initializer=Normal(0.0, self.initializer_range))

    @property
    def word_embeddings(self) -> Any:
        """The table of words, which the language model's decoder shares."""
        return self.embeddings.word_embeddings

    def forward(
        self,
        input_ids: Any = None,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
        inputs_embeds: Any = None,
        past: Optional[Sequence[tuple[Any, Any]]] = None,
        use_cache: bool = False,
        output_hidden_states: bool = False,
    ) -> tuple[Any, ...]:
        """Return the vectors of all tokens, and one of the whole text.

        Args:
            input_ids: int64 (N, L).
            token_type_ids: not used.
            position_ids: int64 (N, L); None: on from the earlier tokens.
            attention_mask: (N, earlier + L), 1 for tokens that later ones see; None: all.
            task_type_ids: not used.
            inputs_embeds: float32 (N, L, hidden_size), used instead of the words' vectors.
            past: from an earlier call with ``use_cache``: each layer's keys and values of the earlier tokens.
            use_cache: whether keys and values of all tokens are returned too.
            output_hidden_states: whether all layers' vectors are returned too.

        Returns:
            float32 (N, L, hidden_size); float32 (N, hidden_size); with ``use_cache`` a list of pairs of float32
            (N, earlier + L, heads, head size); with ``output_hidden_states`` a tuple of (N, L, hidden_size), the
            embeddings' and each layer's.
        """
        length = (input_ids if inputs_embeds is None else inputs_embeds).shape[1]
        earlier = 0 if past is None else past[0][0].shape[1]
        if position_ids is None and past is not None:
            position_ids = core.arange(earlier, earlier + length, dtype="int64")
        hidden = self.embeddings(input_ids, None, position_ids, None, inputs_embeds)
        mask = None
        if attention_mask is not None:
            mask = (1.0 - attention_mask.astype("float32").unsqueeze([1, 2])) * HIDDEN
        if past is not None:
            keys, queries = core.arange(0, earlier + length), core.arange(earlier, earlier + length)
            later = (keys.unsqueeze(0) > queries.unsqueeze(1)).astype("float32").unsqueeze([0, 1]) * HIDDEN
            mask = later if mask is None else mask + later
        states, present = [hidden], []
        for number, layer in enumerate(self.decoder.layers):
            hidden, pair = layer(hidden, mask, None if past is None else past[number])
            states.append(hidden)
            present.append(pair)
        sequence = self.decoder.norm(hidden)
        outputs: tuple[Any, ...] = (sequence, self.last(sequence, input_ids, attention_mask))
        outputs = (*outputs, present) if use_cache else outputs
        return (*outputs, tuple(states)) if output_hidden_states else outputs

    def last(self, sequence: Any, input_ids: Any, attention_mask: Any) -> Any:
        """Return the last token's vector of each text, (N, hidden_size).

        Args:
            sequence: float32 (N, L, hidden_size).
            input_ids: int64 (N, L) or None.
            attention_mask: (N, earlier + L) or None.
        """
        length = sequence.shape[1]
        if attention_mask is not None:
            kept = attention_mask[:, -length:].astype("float32")
        elif input_ids is not None:
            kept = core.logical_and(input_ids != self.eos_token_id, input_ids != self.pad_token_id).astype("float32")
        else:
            return sequence[:, -1]
        place = (kept * core.arange(1, length + 1, dtype="float32")).argmax(axis=1)
        return (sequence * F.one_hot(place, length).unsqueeze(-1)).sum(axis=1)
