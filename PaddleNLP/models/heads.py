"""Heads: what turns an encoder's vectors into classes, spans, choices or words; one of each for all families.

A head holds its encoder under the family's prefix (``ernie``, ``bert``), so that its names are those of the official
files: ``ernie.embeddings.word_embeddings.weight``, ``classifier.weight``. A family that does something in another way
names its own class in ``heads`` of its encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Optional

import core
from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import kept_tokens


class Head(nn.Layer):
    """An encoder with layers on top.

    Args:
        encoder: a :class:`PaddleNLP.models.encoder.Encoder`, or what has its attributes.
        dropout: the probability of dropping a number of the encoder's result; None: the encoder's own.

    Raises:
        ValueError: the head reads the whole text's vector, and the encoder has none.

    Attributes:
        head_names: the layers on top, which stay fresh where a file has none or others.
        uses_pooler: whether it reads the whole text's vector; an optional pooler is left away where it does not.
    """

    head_names: ClassVar[tuple[str, ...]] = ("classifier",)
    uses_pooler: ClassVar[bool] = False

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__()
        if encoder.optional_pooler and not self.uses_pooler:
            encoder.pooler = None
        if self.uses_pooler and getattr(encoder, "pooler", self) is None:
            raise ValueError(
                f"{type(encoder).__name__} has no vector of a whole text, which {type(self).__name__} reads"
            )
        self.base_model_prefix: str = encoder.base_model_prefix
        setattr(self, self.base_model_prefix, encoder)
        self.dropout = nn.Dropout(encoder.hidden_dropout_prob if dropout is None else dropout)

    @property
    def encoder(self) -> Any:
        """The encoder, whatever the family calls it."""
        return getattr(self, self.base_model_prefix)

    def forward(
        self,
        input_ids: Any = None,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
        inputs_embeds: Any = None,
        output_hidden_states: bool = False,
    ) -> Any:
        """Return what the head computes; arguments are those of :meth:`PaddleNLP.models.encoder.Encoder.forward`.

        Returns:
            What :meth:`compute` returns; with ``output_hidden_states`` a tuple of that and the encoder's hidden states.
        """
        ids = (input_ids, token_type_ids, position_ids, attention_mask, task_type_ids, inputs_embeds)
        outputs = self.encoder(*ids, output_hidden_states=output_hidden_states)
        return self._with_states(self.compute(outputs[0], outputs[1]), outputs[2:])

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return the head's results.

        Args:
            sequence: float32 (N, L, hidden_size), the tokens' vectors.
            pooled: float32 (N, hidden_size), the text's.
        """
        raise NotImplementedError

    def _linear(self, results: int, inputs: Optional[int] = None) -> Any:
        return nn.Linear(inputs or self.encoder.hidden_size, results, weight_attr=self.encoder.weight_attr())

    @staticmethod
    def _with_states(results: Any, states: Sequence[Any]) -> Any:
        if not states:
            return results
        return (*results, *states) if isinstance(results, tuple) else (results, *states)


class SequenceClassification(Head):
    """A class for each text or pair of texts; also several labels, or a number.

    Args:
        encoder: as in :class:`Head`.
        num_classes: results; 1: a number (regression).
        dropout: as in :class:`Head`.
    """

    uses_pooler = True

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.num_classes = num_classes
        self.classifier = self._classifier(num_classes)

    def _classifier(self, num_classes: int) -> Any:
        return self._linear(num_classes)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, num_classes).

        Args:
            sequence: not used.
            pooled: float32 (N, hidden_size).
        """
        return self.classifier(self.dropout(pooled))

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean loss.

        Args:
            logits: float32 (N, num_classes).
            labels: with one result, numbers (N,) or (N, 1): squared error; integers (N,): cross entropy; numbers
                (N, num_classes), 1 for each label that holds: binary cross entropy of each.
        """
        if self.num_classes == 1:
            return F.mse_loss(logits.squeeze(-1), labels.reshape([-1]))
        if labels.dtype.is_floating:
            return F.binary_cross_entropy_with_logits(logits, labels)
        return F.cross_entropy(logits, labels.reshape([-1]))


class TokenClassification(Head):
    """A class for each token.

    Args:
        encoder: as in :class:`Head`.
        num_classes: results.
        dropout: as in :class:`Head`.
    """

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.num_classes = num_classes
        self.classifier = self._linear(num_classes)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, L, num_classes).

        Args:
            sequence: float32 (N, L, hidden_size).
            pooled: not used.
        """
        return self.classifier(self.dropout(sequence))

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy over the tokens with a label.

        Args:
            logits: float32 (N, L, num_classes).
            labels: int64 (N, L); -100: none.
        """
        return F.cross_entropy(logits.reshape([-1, self.num_classes]), labels.reshape([-1]))


class QuestionAnswering(Head):
    """How likely an answer begins, and ends, at each token.

    Args:
        encoder: as in :class:`Head`.
        dropout: not used, as in the official models.
    """

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.classifier = self._linear(2)

    def compute(self, sequence: Any, pooled: Any) -> tuple[Any, Any]:
        """Return logits of the start and of the end, (N, L) each.

        Args:
            sequence: float32 (N, L, hidden_size).
            pooled: not used.
        """
        logits = self.classifier(sequence)
        return logits[:, :, 0], logits[:, :, 1]

    def loss(self, logits: tuple[Any, Any], positions: tuple[Any, Any]) -> Any:
        """Return the mean of the cross entropies of start and end.

        Args:
            logits: of start and end, float32 (N, L) each.
            positions: of the first and the last token, int64 (N,) each; L and more: no answer, not counted.
        """
        parts = []
        for scores, position in zip(logits, positions):
            length = scores.shape[1]
            inside = (position < length).astype("int64")
            target = position.clip(min=0) * inside - 100 * (1 - inside)
            parts.append(F.cross_entropy(scores, target))
        return (parts[0] + parts[1]) / 2


class PairClassification(Head):
    """A class for each pair of texts that are encoded on their own: Sentence-BERT, arXiv:1908.10084.

    Inputs have an axis more, (N, 2, L). The vectors u and v of the two texts, means over their tokens, give the class
    as (u, v, abs(u - v)). Texts that are encoded together, one after the other, are sequence classification.

    Args:
        encoder: as in :class:`Head`.
        num_classes: results.
        dropout: as in :class:`Head`.
    """

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.num_classes = num_classes
        self.classifier = self._linear(num_classes, 3 * encoder.hidden_size)

    def forward(  # type: ignore[override]  # other inputs
        self,
        input_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
    ) -> Any:
        """Return logits (N, num_classes); arguments are those of the encoder with an axis of two texts, (N, 2, L)."""
        ids = [_merged(one) for one in (input_ids, token_type_ids, position_ids, attention_mask, task_type_ids)]
        sequence = self.dropout(self.encoder(*ids)[0])
        kept = kept_tokens(ids[0], ids[3], self.encoder.pad_token_id).unsqueeze(-1)
        mean = (sequence * kept).sum(axis=1) / kept.sum(axis=1).clip(min=1.0)
        both = mean.reshape([-1, 2, self.encoder.hidden_size])
        first, second = both[:, 0], both[:, 1]
        return self.classifier(core.concat([first, second, (first - second).abs()], axis=-1))

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy.

        Args:
            logits: float32 (N, num_classes).
            labels: int64 (N,).
        """
        return F.cross_entropy(logits, labels.reshape([-1]))


class MultipleChoice(Head):
    """How well each of several texts fits; inputs have an axis more, (N, choices, L).

    Args:
        encoder: as in :class:`Head`.
        dropout: as in :class:`Head`.
    """

    uses_pooler = True

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.classifier = self._linear(1)

    def forward(  # type: ignore[override]  # other inputs
        self,
        input_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
    ) -> Any:
        """Return logits (N, choices); arguments are those of the encoder with an axis more."""
        ids = (input_ids, token_type_ids, position_ids, attention_mask, task_type_ids)
        outputs = self.encoder(*[_merged(one) for one in ids])
        return self.compute(outputs[0], outputs[1]).reshape([-1, input_ids.shape[1]])

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N * choices, 1).

        Args:
            sequence: not used.
            pooled: float32 (N * choices, hidden_size).
        """
        return self.classifier(self.dropout(pooled))

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy.

        Args:
            logits: float32 (N, choices).
            labels: int64 (N,), which text is right.
        """
        return F.cross_entropy(logits, labels.reshape([-1]))


def _merged(ids: Any) -> Any:
    """Return (N * choices, L) of (N, choices, L)."""
    return None if ids is None else ids.reshape([-1, ids.shape[-1]])
