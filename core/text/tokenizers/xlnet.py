"""XLNetTokenizer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar, Optional

from core.text.tokenizers.sentencepiece import PathLike, SentencePieceTokenizer


class XLNetTokenizer(SentencePieceTokenizer):
    """Of XLNet (Yang et al. 2019, arXiv:1906.08237): a sentencepiece model; special tokens are behind the texts.

    Args:
        vocab_file: the sentencepiece model.
        do_lower_case: lower case.
        remove_space: one space for each run of white space.
        keep_accents: leave compatibility characters and accents as they are.
        bos_token: the token for the beginning.
        eos_token: the token for the end.
        unk_token: the token for what is unknown.
        sep_token: the token behind a text.
        pad_token: the token that fills batches, on the left.
        cls_token: the token for the whole.
        mask_token: the token in place of one that is to be guessed.
        additional_special_tokens: further tokens that texts are not cut inside of.

    Raises:
        OSError: the model cannot be read.
        ValueError: it is no model, or is cut off.
    """

    resource_files_names: ClassVar[dict[str, str]] = {"vocab_file": "spiece.model"}
    padding_side: ClassVar[str] = "left"
    pad_token_type_id: ClassVar[int] = 3

    def __init__(
        self,
        vocab_file: PathLike,
        do_lower_case: bool = False,
        remove_space: bool = True,
        keep_accents: bool = False,
        bos_token: str = "<s>",
        eos_token: str = "</s>",
        unk_token: str = "<unk>",
        sep_token: str = "<sep>",
        pad_token: str = "<pad>",
        cls_token: str = "<cls>",
        mask_token: str = "<mask>",
        additional_special_tokens: Sequence[str] = ("<eop>", "<eod>"),
    ) -> None:
        super().__init__(
            vocab_file,
            do_lower_case,
            remove_space,
            keep_accents,
            additional_special_tokens,
            bos_token=bos_token,
            eos_token=eos_token,
            unk_token=unk_token,
            sep_token=sep_token,
            pad_token=pad_token,
            cls_token=cls_token,
            mask_token=mask_token,
        )
        self.vocab_file = os.fspath(vocab_file)

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return the ids of one text or two with special tokens: ``A <sep> <cls>`` or ``A <sep> B <sep> <cls>``."""
        sep = [self.sep_token_id]
        return token_ids_0 + sep + ([] if token_ids_1 is None else token_ids_1 + sep) + [self.cls_token_id]

    def around(self, pair: bool) -> tuple[int, int, int]:
        """Return how many special tokens stand before the first text, behind it, and behind the second."""
        return (0, 1, 2) if pair else (0, 2, 0)

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return 0 for the first text, 1 for the second, each with what separates it, and 2 for the last token."""
        second = [] if token_ids_1 is None else [1] * (len(token_ids_1) + 1)
        return [0] * (len(token_ids_0) + 1) + second + [2]
