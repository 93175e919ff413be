"""paddlenlp's InferTransformerModel: the Transformer that searches, with paddlenlp's two kinds of beam search.

Names follow paddlenlp 2.8.1 (``paddlenlp/transformers/transformer/modeling.py``).
"""

from __future__ import annotations

from typing import Any, Literal, Optional

import core
from core import nn
from core.text.generation import Generation
from PaddleNLP.models.translation.transformer import TransformerModel


class InferTransformerModel(TransformerModel):
    """A :class:`TransformerModel` whose ``forward`` translates.

    Args:
        *args: of :class:`TransformerModel`.
        beam_size: sequences that are followed for each sentence.
        max_out_len: tokens of a translation at most.
        output_time_major: whether results have the tokens' axis first.
        beam_search_version: "v1", as ``paddle.nn.dynamic_decode`` searches; or "v2", with finished sequences apart and
            a penalty of length, as tensor2tensor does.
        alpha: of v2, the power of (5 + length) / 6 that scores are divided by.
        rel_len: of v2, ``max_out_len`` counts from the source's length.
        **kwargs: of :class:`TransformerModel`.
    """

    def __init__(
        self,
        *args: Any,
        beam_size: int = 4,
        max_out_len: int = 256,
        output_time_major: bool = False,
        beam_search_version: Literal["v1", "v2"] = "v1",
        alpha: float = 0.6,
        rel_len: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if beam_search_version not in ("v1", "v2"):
            raise ValueError(f"beam_search_version is 'v1' or 'v2', not {beam_search_version!r}")
        self.beam_size, self.max_out_len = beam_size, max_out_len
        self.output_time_major = output_time_major
        self.beam_search_version = beam_search_version
        self.alpha, self.rel_len = alpha, rel_len

    def forward(self, src_word: Any, trg_word: Optional[Any] = None) -> Any:
        """Return translations, int64 (N, T, beams), best first; of v2 the start token is part of them.

        Args:
            src_word: int64 (N, S), the end token behind each sentence.
            trg_word: of v2, int64 (N, P), tokens that translations begin with, padded.

        Raises:
            ValueError: v1 is given such tokens.
        """
        if self.beam_search_version == "v2":
            return self._with_penalty(src_word, trg_word)
        if trg_word is not None:
            raise ValueError("InferTransformerModel: trg_word goes with beam_search_version='v2'")
        decoder = nn.BeamSearchDecoder(self._cell(src_word), self.bos_id, self.eos_id, self.beam_size)
        found, _ = nn.dynamic_decode(
            decoder, self._states(src_word), self.max_out_len, output_time_major=self.output_time_major
        )
        return found

    def _states(self, src_word: Any) -> Any:
        """Return the number of the step for each sentence, and empty keys and values."""
        batch = src_word.shape[0]
        return core.zeros([batch, 1], "int64"), self.empty_caches(batch, self.max_out_len + 1)

    def _cell(self, src_word: Any) -> Any:
        step = self.stepper(src_word, self.beam_size)
        rows, length = src_word.shape[0] * self.beam_size, self.max_out_len + 1
        own = core.arange(rows, dtype="int64").unsqueeze(1) + core.zeros([rows, length], "int64")  # caches follow beams

        def cell(last: Any, states: Any) -> tuple[Any, Any]:
            time, caches = states
            scores, caches = step(last, time[0], caches, own)
            return scores, (time + 1, caches)

        return cell

    def _with_penalty(self, src_word: Any, trg_word: Optional[Any]) -> Any:
        length = src_word.shape[1] + self.max_out_len if self.rel_len else self.max_out_len
        settings = Generation(self.bos_id, self.eos_id, length, "beam", self.beam_size, length_penalty=self.alpha)
        forced = None
        if trg_word is not None:
            forced = core.where(trg_word == self.pad_id, core.full_like(trg_word, -1), trg_word)
        tokens = self.generate(src_word, settings, forced).tokens
        start = core.full([src_word.shape[0], self.beam_size, 1], self.bos_id, "int64")
        found = core.concat([start, tokens], axis=2)
        return found.transpose([2, 0, 1] if self.output_time_major else [0, 2, 1])
