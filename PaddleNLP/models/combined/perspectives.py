"""Multi-perspective head: a text is classified by its vector, by n-grams, as a sequence, and by its weightiest words.

Liu, Wang and Sun, OleNet at SemEval-2019 Task 9: BERT based Multi-Perspective Models for Suggestion Mining, NAACL 2019,
https://aclanthology.org/S19-2216.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.heads import Head

WIDTHS = (3, 4, 5)
"""Tokens that the convolutions see at once."""

FILTERS = 100
"""Of each width."""


class MultiPerspective(Head):
    """Four classifiers on one encoder: of the pooled first token, of convolutions, of a GRU, and of attention.

    The published system trains a network for each, and lets the four vote; here they share the encoder, and their
    probabilities are averaged. Its convolutions are normalised by batch, which these are not.

    Args:
        encoder: as in :class:`Head`.
        num_classes: results of each.
        dropout: as in :class:`Head`.
    """

    head_names = ("convolutions", "gru", "attention", "classifiers")
    uses_pooler = True

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        size = encoder.hidden_size
        self.num_classes = num_classes
        self.convolutions = nn.LayerList([nn.Conv1D(size, FILTERS, width) for width in WIDTHS])
        self.gru = nn.GRU(size, size, direction="bidirect")
        self.attention = self._linear(1)
        inputs = (size, FILTERS * len(WIDTHS), 2 * size, size)
        self.classifiers = nn.LayerList([self._linear(num_classes, count) for count in inputs])

    def forward(  # type: ignore[override]  # other inputs
        self,
        input_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
    ) -> Any:
        """Return logits (N, 4, num_classes); arguments are those of the encoder."""
        sequence, pooled = self.encoder(input_ids, token_type_ids, position_ids, attention_mask, task_type_ids)[:2]
        kept = kept_tokens(input_ids, attention_mask, self.encoder.pad_token_id).unsqueeze(-1)
        hidden = (1.0 - kept) * -1e4
        read = (sequence * kept).transpose([0, 2, 1])
        grams = []
        for width, layer in zip(WIDTHS, self.convolutions):  # a convolution has as many results as there are tokens
            whole = F.pad(read, [width // 2, (width - 1) // 2], data_format="NCL")
            grams.append(core.max(F.relu(layer(whole)).transpose([0, 2, 1]) + hidden, axis=1))
        states, _ = self.gru(sequence, sequence_length=kept.sum(axis=[1, 2]).astype("int64"))
        weights = F.softmax(F.tanh(self.attention(sequence)) + hidden, axis=1)
        over_time, attended = core.max(states + hidden, axis=1), (sequence * weights).sum(axis=1)
        found = (pooled, core.concat(grams, axis=-1), over_time, attended)
        return core.stack([layer(self.dropout(one)) for layer, one in zip(self.classifiers, found)], axis=1)

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy of the classifiers.

        Args:
            logits: float32 (N, 4, num_classes).
            labels: int64 (N,).
        """
        each = [F.cross_entropy(logits[:, place], labels.reshape([-1])) for place in range(logits.shape[1])]
        return sum(each) / len(each)
