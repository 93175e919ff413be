"""XLNet: a language model over permuted orders, with relative positions, two streams and a memory of earlier segments.

Paper: XLNet: generalized autoregressive pretraining for language understanding, Yang et al. 2019, arXiv:1906.08237.
Official file: ``paddlenlp/transformers/xlnet/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Optional

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Normal
from PaddleNLP.models.albert import AlbertForQuestionAnswering, AlbertForTokenClassification
from PaddleNLP.models.heads import MultipleChoice, SequenceClassification
from PaddleNLP.models.language_heads import MaskedLM
from PaddleNLP.models.layers.xlnet import XLNetLayer, different_texts, distances, hidden_keys
from PaddleNLP.models.weights import hugging_face_families


class XLNetClassificationHead(nn.Layer):
    """Two linear layers on the text's vector, with tanh between them.

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

    def forward(self, pooled: Any) -> Any:
        """Return logits (N, num_classes) of (N, d_model)."""
        return self.out_proj(self.dropout(F.tanh(self.dense(self.dropout(pooled)))))


class XLNetForSequenceClassification(SequenceClassification):
    """A class for each text or pair of texts, by two layers on the last token's vector."""

    def _classifier(self, num_classes: int) -> Any:
        return XLNetClassificationHead(self.encoder, num_classes, self.dropout.p)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, num_classes).

        Args:
            sequence: not used.
            pooled: float32 (N, d_model).
        """
        return self.classifier(pooled)


class XLNetForMultipleChoice(MultipleChoice):
    """How well each of several texts fits, by two layers on its last token's vector."""

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.classifier = XLNetClassificationHead(encoder, 1, self.dropout.p)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N * choices, 1).

        Args:
            sequence: not used.
            pooled: float32 (N * choices, d_model).
        """
        return self.classifier(pooled)


class XLNetLMHeadModel(MaskedLM):
    """The tokens at given places, each of which sees those that come before it in a drawn order.

    Args:
        encoder: an :class:`XLNetModel`.
        dropout: not used, as in the official model.
    """

    head_names = ("decoder_weight", "decoder_bias")

    def _head(self) -> None:
        self.decoder_weight = self.encoder.word_embeddings.weight
        self.decoder_bias = self.create_parameter([self.decoder_weight.shape[0]], is_bias=True)

    def forward(  # type: ignore[override]  # other inputs
        self,
        input_ids: Any = None,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        perm_mask: Any = None,
        target_mapping: Any = None,
        mems: Optional[Sequence[Any]] = None,
        use_mems: bool = False,
    ) -> Any:
        """Return logits of all tokens, (N, L, vocab_size), or of the targets, (N, targets, vocab_size).

        Arguments are those of :meth:`XLNetModel.forward`; with ``use_mems`` the new memory is returned too.
        """
        ids = (input_ids, token_type_ids, position_ids, attention_mask)
        outputs = self.encoder(*ids, mems=mems, perm_mask=perm_mask, target_mapping=target_mapping, use_mems=use_mems)
        logits = self.compute(outputs[0], None)
        return (logits, outputs[2]) if use_mems else logits

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (..., vocab_size).

        Args:
            sequence: float32 (..., d_model).
            pooled: not used.
        """
        return sequence.matmul(self.decoder_weight, transpose_y=True) + self.decoder_bias


class XLNetModel(nn.Layer):
    """The layers on top of each other, with word embeddings below.

    The vector of a whole text is that of its last token, where XLNet's texts have their [CLS]: the last one that is no
    padding, on whichever side padding is.

    Args:
        vocab_size: tokens of the vocabulary.
        d_model: length of a token's vector.
        n_layer: number of layers.
        n_head: heads of attention, whose number divides ``d_model``.
        d_inner: units of the feed-forward blocks.
        ff_activation: activation there, a function of :mod:`core.nn.functional`.
        dropout: the probability of dropping a number.
        classifier_dropout: the same in the heads.
        initializer_range: standard deviation of fresh weights.
        layer_norm_eps: what is added to variances.
        mem_len: steps that the memory keeps; None: all.
        reuse_len: steps of a segment that enter the memory; None: all.
        clamp_len: larger distances count as this one; -1: no limit.
        pad_token_id: the token that no other sees, unless a mask is given.
    """

    base_model_prefix = "transformer"
    optional_pooler = False
    heads: ClassVar[dict[str, Any]] = {
        "sequence_classification": XLNetForSequenceClassification,
        "token_classification": AlbertForTokenClassification,
        "question_answering": AlbertForQuestionAnswering,
        "multiple_choice": XLNetForMultipleChoice,
        "language_model": XLNetLMHeadModel,
    }
    renamed = staticmethod(hugging_face_families.xlnet)

    def __init__(
        self,
        vocab_size: int = 32000,
        d_model: int = 768,
        n_layer: int = 12,
        n_head: int = 12,
        d_inner: int = 3072,
        ff_activation: str = "gelu",
        dropout: float = 0.1,
        classifier_dropout: float = 0.1,
        initializer_range: float = 0.02,
        layer_norm_eps: float = 1e-12,
        mem_len: Optional[int] = None,
        reuse_len: Optional[int] = None,
        clamp_len: int = -1,
        pad_token_id: int = 5,
    ) -> None:
        super().__init__()
        self.vocab_size = vocab_size
        self.hidden_size = d_model
        self.hidden_act = ff_activation
        self.hidden_dropout_prob = classifier_dropout
        self.initializer_range = initializer_range
        self.layer_norm_eps = layer_norm_eps
        self.pad_token_id = pad_token_id
        self.mem_len, self.reuse_len, self.clamp_len = mem_len, reuse_len, clamp_len
        self.word_embedding = nn.Embedding(vocab_size, d_model, weight_attr=self.weight_attr())
        self.mask_emb = self.create_parameter([1, 1, d_model], attr=self.weight_attr())
        settings = (d_model, n_head, d_inner, ff_activation, dropout, initializer_range, layer_norm_eps)
        self.layer = nn.LayerList([XLNetLayer(*settings) for _ in range(n_layer)])
        self.dropout = nn.Dropout(dropout)

    def weight_attr(self) -> Any:
        """Return how the family's fresh weights are drawn."""
        return nn.ParamAttr(initializer=Normal(0.0, self.initializer_range))

    @property
    def word_embeddings(self) -> Any:
        """The table of words, which the language model's decoder shares."""
        return self.word_embedding

    def forward(
        self,
        input_ids: Any = None,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
        inputs_embeds: Any = None,
        mems: Optional[Sequence[Any]] = None,
        perm_mask: Any = None,
        target_mapping: Any = None,
        use_mems: bool = False,
        output_hidden_states: bool = False,
    ) -> tuple[Any, ...]:
        """Return the vectors of all tokens, or those of the targets, and one of the whole text.

        Args:
            input_ids: int64 (N, L).
            token_type_ids: int64 (N, L): which text a token belongs to.
            position_ids: not used: positions are relative.
            attention_mask: (N, L), 1 where there is a token and 0 where there is padding; None: padding is
                ``pad_token_id``.
            task_type_ids: not used.
            inputs_embeds: float32 (N, L, d_model), used instead of the words' vectors.
            mems: from an earlier call with ``use_mems``, for each layer (N, earlier, d_model).
            perm_mask: (N, L, L), 1 where a token (second axis) must not see another one (third).
            target_mapping: (N, targets, L), one-hot: which token each target is. It turns the second stream on, which
                knows a target's place but not the token.
            use_mems: whether the new memory is returned too.
            output_hidden_states: whether all layers' vectors are returned too, those of the first stream.

        Returns:
            float32 (N, L or targets, d_model); float32 (N, d_model); with ``use_mems`` a list of (N, earlier, d_model)
            for each layer; with ``output_hidden_states`` a tuple of (N, L, d_model), the embeddings' and each layer's.
        """
        words = self.word_embedding(input_ids) if inputs_embeds is None else inputs_embeds
        kept = self.kept(input_ids, words, attention_mask)
        earlier = None if mems is None else mems[0]
        hidden = hidden_keys(kept, perm_mask, earlier)
        different = different_texts(token_type_ids, earlier)
        steps = words.shape[1]
        content, query = self.dropout(words), None
        if target_mapping is not None:
            target_mapping = target_mapping.astype("float32")
            query = self.dropout(core.zeros_like(target_mapping[:, :, :1]) + self.mask_emb)
        keys = steps if earlier is None else earlier.shape[1] + steps
        places = self.dropout(distances(keys, steps, self.hidden_size, self.clamp_len))
        states, memory = [content], []
        for number, layer in enumerate(self.layer):
            before = None if mems is None else mems[number]
            if use_mems:
                memory.append(self.remembered(content, before))
            content, query = layer(content, query, places, hidden, different, before, target_mapping)
            states.append(content)
        result = self.dropout(content if query is None else query)
        last = (kept * core.arange(1, steps + 1, dtype="float32")).argmax(axis=1)
        pooled = (content * F.one_hot(last, steps).unsqueeze(-1)).sum(axis=1)
        outputs = (result, pooled, memory) if use_mems else (result, pooled)
        return (*outputs, tuple(states)) if output_hidden_states else outputs

    def kept(self, input_ids: Any, words: Any, attention_mask: Any) -> Any:
        """Return 1 for tokens and 0 for padding, float32 (N, L).

        Args:
            input_ids: int64 (N, L) or None.
            words: float32 (N, L, d_model).
            attention_mask: (N, L) or None.
        """
        if attention_mask is not None:
            return attention_mask.astype("float32")
        if input_ids is None:
            return core.ones_like(words[:, :, 0])
        return (input_ids != self.pad_token_id).astype("float32")

    def remembered(self, state: Any, earlier: Any) -> Any:
        """Return a layer's memory after this segment, through which no gradient flows, (N, steps, d_model).

        Args:
            state: the layer's input (N, L, d_model).
            earlier: its memory before, or None.
        """
        if self.reuse_len:
            state = state[:, : self.reuse_len]
        joined = state if earlier is None else core.concat([earlier, state], axis=1)
        return (joined[:, -self.mem_len :] if self.mem_len else joined).detach()
