"""Heads of pretraining: masked tokens, whose decoder is the encoder's table of words, and next sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Optional

import core
from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import set_epsilon
from PaddleNLP.models.heads import Head


class TiedDecoder(nn.Layer):
    """A linear layer whose weight is a table of vectors, (vocab_size, hidden_size).

    Args:
        table: the parameter that it shares.
    """

    def __init__(self, table: Any) -> None:
        super().__init__()
        self.weight = table
        self.bias = self.create_parameter([table.shape[0]], is_bias=True)

    def forward(self, hidden: Any) -> Any:
        """Return (..., vocab_size) of (..., hidden_size)."""
        return core.matmul(hidden, self.weight, transpose_y=True) + self.bias


class Predictions(nn.Layer):
    """Logits of tokens: a hidden layer, normalised, and the table of words as decoder.

    Args:
        encoder: whose table it shares.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.transform = nn.Linear(encoder.hidden_size, encoder.hidden_size, weight_attr=encoder.weight_attr())
        self.activation = getattr(F, encoder.hidden_act)
        self.layer_norm = nn.LayerNorm(encoder.hidden_size)
        self.decoder = TiedDecoder(encoder.word_embeddings.weight)
        self.decoder_bias = self.decoder.bias  # its second name in official files
        set_epsilon(self, encoder.layer_norm_eps)

    def forward(self, hidden: Any) -> Any:
        """Return logits (..., vocab_size) of (..., hidden_size)."""
        return self.decoder(self.layer_norm(self.activation(self.transform(hidden))))


class PretrainingHeads(nn.Layer):
    """What is under ``cls`` in official files: masked tokens, next sentences, or both.

    Args:
        encoder: whose table of words is shared.
        predictions: whether tokens are predicted.
        seq_relationship: whether next sentences are.
    """

    def __init__(self, encoder: Any, predictions: bool, seq_relationship: bool) -> None:
        super().__init__()
        if predictions:
            self.predictions: Any = Predictions(encoder)
        if seq_relationship:
            self.seq_relationship = nn.Linear(encoder.hidden_size, 2, weight_attr=encoder.weight_attr())


class MaskedLM(Head):
    """The token that a masked one was.

    Args:
        encoder: as in :class:`PaddleNLP.models.heads.Head`.
        dropout: not used, as in the official models.
    """

    head_names: ClassVar[tuple[str, ...]] = ("cls",)

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self._head()

    def _head(self) -> None:
        self.cls = PretrainingHeads(self.encoder, predictions=True, seq_relationship=False)

    def _predictions(self) -> Any:
        return self.cls.predictions

    def forward(
        self,
        input_ids: Any = None,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
        inputs_embeds: Any = None,
        output_hidden_states: bool = False,
        masked_positions: Any = None,
    ) -> Any:
        """Return logits of all tokens, or of some; arguments but the last are the encoder's.

        Args:
            masked_positions: int64 (M,), tokens of the batch, counted through all rows (row * L + column): only they
                are decoded; None: all.

        Returns:
            float32 (N, L, vocab_size), or (M, vocab_size); with ``output_hidden_states`` the hidden states besides.
        """
        ids = (input_ids, token_type_ids, position_ids, attention_mask, task_type_ids, inputs_embeds)
        outputs = self.encoder(*ids, output_hidden_states=output_hidden_states)
        return self._with_states(self.compute(chosen(outputs[0], masked_positions), outputs[1]), outputs[2:])

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (..., vocab_size).

        Args:
            sequence: float32 (..., hidden_size).
            pooled: not used.
        """
        return self._predictions()(sequence)

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy over the tokens with a label.

        Args:
            logits: float32 (N, L, vocab_size) or (M, vocab_size).
            labels: int64 (N, L) or (M,), the tokens' ids; -100: none.
        """
        return token_loss(logits, labels)


class NextSentencePrediction(Head):
    """Whether the second text follows the first: class 0 is yes in BERT's data.

    Args:
        encoder: as in :class:`PaddleNLP.models.heads.Head`.
        dropout: not used, as in the official models.
    """

    head_names: ClassVar[tuple[str, ...]] = ("cls",)
    uses_pooler = True

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.cls = PretrainingHeads(encoder, predictions=False, seq_relationship=True)

    def compute(self, sequence: Any, pooled: Any) -> Any:
        """Return logits (N, 2).

        Args:
            sequence: not used.
            pooled: float32 (N, hidden_size).
        """
        return self.cls.seq_relationship(pooled)

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy.

        Args:
            logits: float32 (N, 2).
            labels: int64 (N,).
        """
        return F.cross_entropy(logits, labels.reshape([-1]))


class Pretraining(MaskedLM):
    """Masked tokens and next sentences at once, as BERT and ERNIE are pretrained.

    Args:
        encoder: as in :class:`PaddleNLP.models.heads.Head`.
        dropout: not used, as in the official models.
    """

    uses_pooler = True

    def _head(self) -> None:
        self.cls = PretrainingHeads(self.encoder, predictions=True, seq_relationship=True)

    def compute(self, sequence: Any, pooled: Any) -> tuple[Any, Any]:
        """Return logits of tokens (..., vocab_size), and of next sentences (N, 2).

        Args:
            sequence: float32 (..., hidden_size).
            pooled: float32 (N, hidden_size).
        """
        return self._predictions()(sequence), self.cls.seq_relationship(pooled)

    def loss(self, logits: tuple[Any, Any], labels: tuple[Any, Any]) -> Any:
        """Return the sum of both mean cross entropies.

        Args:
            logits: of tokens and next sentences.
            labels: of tokens, int64, -100: none; of next sentences, int64 (N,).
        """
        return token_loss(logits[0], labels[0]) + F.cross_entropy(logits[1], labels[1].reshape([-1]))


class ContinualPretraining(MaskedLM):
    """ERNIE 2.0's tasks of words and sentences: masked tokens, capitals, tokens of the document, orders, distances.

    Args:
        encoder: as in :class:`PaddleNLP.models.heads.Head`, with vectors of tasks.
        num_classes: how many orders of the parts of a paragraph there are.
        dropout: not used, as in the official models.
    """

    head_names = ("cls", "capitalisation", "document_relation", "reordering", "distance")
    uses_pooler = True

    def __init__(self, encoder: Any, num_classes: int, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.capitalisation = self._linear(2)
        self.document_relation = self._linear(2)
        self.reordering = self._linear(num_classes)
        self.distance = self._linear(3)
        self.pair_names: list[str] = []

    def add_pairs(self, classes: Mapping[str, int]) -> None:
        """Add tasks on pairs of texts.

        Args:
            classes: how many classes each task has, by its name.
        """
        for name, count in classes.items():
            setattr(self, name, self._linear(count))
            self.pair_names.append(name)

    def forward(self, *arguments: Any, masked_positions: Any = None, **named: Any) -> tuple[Any, ...]:
        """Return logits of masked tokens (M, vocab_size), of all tokens (N, L, 2) twice, of texts (N, classes) each.

        Args:
            *arguments: of the encoder, as the named ones.
            masked_positions: as in :class:`MaskedLM`.
            **named: see there.
        """
        sequence, pooled = self.encoder(*arguments, **named)[:2]
        return (
            self._predictions()(chosen(sequence, masked_positions)),
            self.capitalisation(sequence),
            self.document_relation(sequence),
            self.reordering(pooled),
            self.distance(pooled),
            *(getattr(self, name)(pooled) for name in self.pair_names),
        )

    def loss(self, logits: tuple[Any, ...], labels: tuple[Any, ...]) -> Any:
        """Return the sum of the mean cross entropies of the tasks that have labels.

        Args:
            logits: as :meth:`forward` gives them.
            labels: of each task, int64; -100: none.
        """
        total = 0.0
        for one, target in zip(logits, labels):
            target = target.reshape([-1])
            losses = F.cross_entropy(one.reshape([-1, one.shape[-1]]), target, reduction="none").reshape([-1])
            there = (target != -100).astype("float32")
            total = total + (losses * there).sum() / there.sum().clip(min=1.0)
        return total


def chosen(sequence: Any, positions: Any) -> Any:
    """Return the vectors of some tokens, (M, hidden_size); all, (N, L, hidden_size), where none are named.

    Args:
        sequence: float32 (N, L, hidden_size).
        positions: int64 (M,), counted through all rows; or None.
    """
    if positions is None:
        return sequence
    return core.gather(sequence.reshape([-1, sequence.shape[-1]]), positions)


def token_loss(logits: Any, labels: Any) -> Any:
    """Return the mean cross entropy over the tokens with a label.

    Args:
        logits: float32 (..., vocab_size).
        labels: int64 (...), -100: none.
    """
    return F.cross_entropy(logits.reshape([-1, logits.shape[-1]]), labels.reshape([-1]))
