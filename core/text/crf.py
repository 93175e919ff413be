"""Conditional random fields over chains of tags, under paddlenlp's names.

Paper: Conditional random fields, Lafferty et al. 2001, https://repository.upenn.edu/cis_papers/159.
"""

from __future__ import annotations

from typing import NamedTuple

from core.nn import Layer, ParamAttr
from core.nn import functional as F
from core.operators import zeros
from core.operators.sequences.linear_chain import crf_log_norm, crf_path_score
from core.operators.sequences.viterbi import best_chain
from core.tensor import Tensor


class ChainScores(NamedTuple):
    """Scores of a chain: moves (K, K) from the row's tag to the column's; start and stop (K,), added at the ends."""

    moves: Tensor
    start: Tensor
    stop: Tensor


class LinearChainCrf(Layer):
    """Scores of sequences of tags, learned.

    Its one parameter, ``transitions``, has one of three layouts, in which official weights load unchanged:

    - (num_labels + 2, num_labels + 2), paddlenlp's: the last tag stands for the start, the one before it for the end;
      their rows are added at the ends, as :class:`core.text.ViterbiDecoder` reads them;
    - (num_labels, num_labels), without start and end;
    - (num_labels + 2, num_labels), Fluid's ``linear_chain_crf``: two rows, for start and end, then the moves.

    Args:
        num_labels: How many tags there are.
        crf_lr: The learning rate of the transitions, as a multiple of the network's.
        with_start_stop_tag: Whether there are two more tags, for start and end, each with a score at every step.
        layout: ``square``, one of the first two, or ``fluid``.
        official_normalizer: Compute what paddlenlp 2.8.1 does, for its weights: the sum over all paths reads
            ``transitions`` as [to, from], and the score of a path leaves out its end. The loss is then no logarithm of
            a probability.

    Raises:
        ValueError: ``num_labels`` is not positive, or the layout is unknown, or contradicts the other arguments.
    """

    def __init__(
        self,
        num_labels: int,
        crf_lr: float = 0.1,
        with_start_stop_tag: bool = True,
        layout: str = "square",
        official_normalizer: bool = False,
    ) -> None:
        super().__init__()
        if num_labels < 1:
            raise ValueError(f"LinearChainCrf: num_labels counts tags, from 1 on, got {num_labels}")
        if layout not in ("square", "fluid"):
            raise ValueError(f"LinearChainCrf: layout is 'square' or 'fluid', not {layout!r}")
        if layout == "fluid" and (official_normalizer or not with_start_stop_tag):
            raise ValueError(
                "LinearChainCrf: in Fluid's layout start and end have scores, and paths are summed up as they are"
                " scored: leave with_start_stop_tag and official_normalizer out"
            )
        self.with_start_stop_tag = with_start_stop_tag
        self.layout = layout
        self.official_normalizer = official_normalizer
        self.num_tags = num_labels + 2 if with_start_stop_tag and layout == "square" else num_labels
        rows = num_labels + 2 if layout == "fluid" else self.num_tags
        self.transitions = self.create_parameter(
            [rows, self.num_tags], attr=ParamAttr(learning_rate=crf_lr), dtype="float32"
        )

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """Return the logarithm of the sum over all paths of their exponentiated scores, (N,), 0 for an empty sequence.

        Args:
            inputs: The score of each tag at each step, float32 (N, L, num_tags); num_tags counts start and end in
                paddlenlp's layout.
            lengths: Steps of each sequence, integers (N,), from 0 to L.

        Raises:
            OperatorError: shapes do not fit each other, or a length is beyond the padding.
        """
        scores = self.chain_scores()
        if self.official_normalizer:
            start = self.transitions[:, -1] if self.with_start_stop_tag else scores.start
            scores = ChainScores(scores.moves.transpose([1, 0]), start, scores.stop)
        return crf_log_norm(inputs, *scores, lengths)

    def gold_score(self, inputs: Tensor, labels: Tensor, lengths: Tensor) -> Tensor:
        """Return the score of a path, (N,), 0 for an empty sequence.

        Args:
            inputs: As in :meth:`forward`, as are the lengths.
            labels: The tags of the path, integers (N, L); what is behind the length is not read.
            lengths: See there.

        Raises:
            OperatorError: as in :meth:`forward`.
            OperatorIndexError: a label is no tag.
        """
        scores = self.chain_scores()
        if self.official_normalizer and self.with_start_stop_tag:
            scores = scores._replace(stop=self._nothing())
        return crf_path_score(inputs, *scores, labels, lengths)

    def decode(self, inputs: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of the best paths (N,) and the paths, int64 (N, longest length), 0 behind their ends.

        An empty sequence has the score 0. In a compiled program paths have L steps. No gradient flows through either.

        Args:
            inputs, lengths: As in :meth:`forward`.

        Raises:
            OperatorError: as in :meth:`forward`.
        """
        return best_chain(inputs, *self.chain_scores(), lengths)

    def chain_scores(self) -> ChainScores:
        """Return the parts of the transitions, as the decoder reads them."""
        if self.layout == "fluid":
            return ChainScores(self.transitions[2:], self.transitions[0], self.transitions[1])
        if self.with_start_stop_tag:
            return ChainScores(self.transitions, self.transitions[-1], self.transitions[-2])
        return ChainScores(self.transitions, self._nothing(), self._nothing())

    def _nothing(self) -> Tensor:
        return zeros([self.num_tags])


class LinearChainCrfLoss(Layer):
    """Minus the logarithm of a path's probability.

    Args:
        crf: Gives the scores.

    Raises:
        ValueError: ``crf`` is no layer, but its transitions, say.
    """

    def __init__(self, crf: LinearChainCrf) -> None:
        super().__init__()
        if isinstance(crf, Tensor):
            raise ValueError("LinearChainCrfLoss: crf is a LinearChainCrf, not its transitions: pass the layer")
        self.crf = crf

    def forward(self, inputs: Tensor, lengths: Tensor, labels: Tensor) -> Tensor:
        """Return it for each sequence, at least 0, 0 for an empty one, float32 (N,).

        Args:
            inputs, lengths, labels: As for :meth:`LinearChainCrf.gold_score`.

        Raises:
            OperatorError, OperatorIndexError: see there.
        """
        return F.relu(self.crf(inputs, lengths) - self.crf.gold_score(inputs, labels, lengths))
