"""A head that tags tokens by the best path through a chain, with paddlenlp 2.8.1's numbers."""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn.initializer import Uniform
from core.text import LinearChainCrf, LinearChainCrfLoss, ViterbiDecoder
from PaddleNLP.models.heads import Head

UNITS = 128
"""Of the recurrent layers below the chain, in each direction."""


class CrfTokenClassification(Head):
    """A tag for each token, by the best path through a chain: two recurrent layers, then a conditional random field.

    Official class: ``SkepCrfForTokenClassification``.

    Args:
        encoder: as in :class:`Head`.
        num_classes: how many tags there are.
        dropout: not used, as in the official model.
    """

    head_names = ("gru", "fc", "crf", "crf_loss", "viterbi_decoder")

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Any = None) -> None:
        super().__init__(encoder, dropout)
        self.num_classes = num_classes
        self.gru = nn.GRU(encoder.hidden_size, UNITS, num_layers=2, direction="bidirect")
        decay = core.regularizer.L2Decay(1e-4)
        self.fc = nn.Linear(
            2 * UNITS, num_classes, weight_attr=nn.ParamAttr(initializer=Uniform(-0.1, 0.1), regularizer=decay)
        )
        self.crf = LinearChainCrf(num_classes, 0.2, with_start_stop_tag=False, official_normalizer=True)
        self.crf_loss = LinearChainCrfLoss(self.crf)
        self.viterbi_decoder = ViterbiDecoder(self.crf.transitions, False)

    def forward(  # type: ignore[override]  # no hidden states
        self,
        input_ids: Any = None,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        seq_lens: Any = None,
    ) -> Any:
        """Return the number of each token's tag, int64 (N, L), 0 behind the length.

        Args:
            input_ids: as in :meth:`PaddleNLP.models.encoder.Encoder.forward`, as are the next three.
            token_type_ids: see there.
            position_ids: see there.
            attention_mask: see there.
            seq_lens: int64 (N,), tokens of each text; None: the sum of ``attention_mask``, and L without one.
        """
        scores = self.emissions(input_ids, token_type_ids, position_ids, attention_mask)
        return self.viterbi_decoder(scores, self.lengths(input_ids, attention_mask, seq_lens))[1]

    def emissions(self, *inputs: Any) -> Any:
        """Return the score of each tag at each token, float32 (N, L, num_classes).

        Args:
            *inputs: the first four of :meth:`forward`.
        """
        return self.fc(self.gru(self.encoder(*inputs)[0])[0])

    def lengths(self, input_ids: Any, attention_mask: Any = None, seq_lens: Any = None) -> Any:
        """Return the tokens of each text, int64 (N,); arguments are those of :meth:`forward`."""
        if seq_lens is None and attention_mask is None:
            seq_lens = core.ones_like(input_ids).sum(axis=1)
        elif seq_lens is None:
            seq_lens = attention_mask.astype("int64").sum(axis=1)
        return seq_lens

    def loss(self, scores: Any, labels: Any, lengths: Any) -> Any:
        """Return the mean loss.

        Args:
            scores: result of :meth:`emissions`.
            labels: int64 (N, L), a tag for each token.
            lengths: result of :meth:`lengths`.
        """
        return self.crf_loss(scores, lengths, labels).mean()
