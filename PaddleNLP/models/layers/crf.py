"""A linear chain of tags: the loss of a conditional random field, and the best path through one.

Paper: Conditional random fields, Lafferty et al. 2001, https://repository.upenn.edu/cis_papers/159. Names and numbers
are those of paddlenlp 2.8.1 (``paddlenlp/layers/crf.py``), whose normaliser reads ``transitions`` as [to, from], where
scores of paths and the decoder read [from, to].
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Uniform
from core.text.decoder import ViterbiDecoder
from PaddleNLP.models.heads import Head

UNITS = 128
"""Of the recurrent layers below the chain, in each direction."""


class LinearChainCrf(nn.Layer):
    """Scores of sequences of tags.

    Args:
        num_labels: how many tags there are.
        crf_lr: the learning rate of the transitions, as a multiple of the network's.
    """

    def __init__(self, num_labels: int, crf_lr: float = 0.1) -> None:
        super().__init__()
        self.transitions: Any = self.create_parameter(
            [num_labels, num_labels], attr=nn.ParamAttr(learning_rate=crf_lr), dtype="float32"
        )

    def forward(self, inputs: Any, lengths: Any) -> Any:
        """Return the logarithm of the sum over all paths of their exponentiated scores, float32 (N,).

        Args:
            inputs: float32 (N, L, num_labels), the score of each tag at each token.
            lengths: int64 (N,), tokens of each sequence, from 1 on.
        """
        reached = inputs[:, 0]
        for step in range(1, inputs.shape[1]):
            through = inputs[:, step].unsqueeze(-1) + self.transitions + reached.unsqueeze(1)
            inside = (lengths > step).astype("float32").unsqueeze(-1)
            reached = inside * core.logsumexp(through, axis=2) + (1.0 - inside) * reached
        return core.logsumexp(reached, axis=1)

    def gold_score(self, inputs: Any, labels: Any, lengths: Any) -> Any:
        """Return the score of a path, float32 (N,).

        Args:
            inputs: as in :meth:`forward`.
            labels: int64 (N, L), the path; what is behind the length is not read.
            lengths: as in :meth:`forward`.
        """
        count = inputs.shape[2]
        inside = (core.arange(inputs.shape[1], dtype="int64") < lengths.unsqueeze(-1)).astype("int64")
        tags = F.one_hot(labels * inside, count) * inside.unsqueeze(-1).astype("float32")
        steps = core.matmul(tags[:, :-1], self.transitions) * tags[:, 1:]
        return (inputs * tags).sum(axis=[1, 2]) + steps.sum(axis=[1, 2])


class LinearChainCrfLoss(nn.Layer):
    """The negative logarithm of a path's probability.

    Args:
        crf: gives the scores.
    """

    def __init__(self, crf: LinearChainCrf) -> None:
        super().__init__()
        self.crf = crf

    def forward(self, inputs: Any, lengths: Any, labels: Any) -> Any:
        """Return it for each sequence, at least 0, float32 (N,); arguments are those of :class:`LinearChainCrf`."""
        return F.relu(self.crf(inputs, lengths) - self.crf.gold_score(inputs, labels, lengths))


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
        self.crf = LinearChainCrf(num_classes, crf_lr=0.2)
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
