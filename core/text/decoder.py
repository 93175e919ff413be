"""A layer that finds the best sequence of tags."""

from __future__ import annotations

from typing import Optional

from core.nn import Layer
from core.operators.sequences.viterbi import viterbi_decode
from core.tensor import Tensor


class ViterbiDecoder(Layer):
    """Finds the sequence of tags with the highest score (Viterbi 1967, doi:10.1109/TIT.1967.1054010).

    Args:
        transitions: The score of each tag (columns) behind each tag (rows), (tags, tags). A Parameter is one of the
            layer's too.
        include_bos_eos_tag: Whether the last tag stands for the start and the one before it for the end.
        name: Unused, as in Paddle.

    Shapes:
        potentials (batch, steps, tags), lengths (batch,) of int64; scores (batch,), paths (batch, longest length).
    """

    def __init__(self, transitions: Tensor, include_bos_eos_tag: bool = True, name: Optional[str] = None) -> None:
        super().__init__()
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag
        self.name = name

    def forward(self, potentials: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return scores and paths; see :func:`core.text.viterbi_decode`."""
        return viterbi_decode(potentials, self.transitions, lengths, self.include_bos_eos_tag)
