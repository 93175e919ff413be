"""ErnieTokenizer, and the tokenisers of networks that took over its rules."""

from __future__ import annotations

import os
from typing import Union

from core.text.tokenizers.bert import BertTokenizer

PathLike = Union[str, "os.PathLike[str]"]


class ErnieTokenizer(BertTokenizer):
    """Of ERNIE 1.0, 2.0 and 3.0 (Sun et al. 2019, arXiv:1904.09223): BERT's rules, with a vocabulary of its own.

    Its files are lines ``token<TAB>id`` (Fluid 1.x) or a token a line (2.x), with [PAD] 0, [CLS] 1, [SEP] 2, [MASK] 3.

    Args:
        vocab_file: the vocabulary.
        do_lower_case: lower case, without accents.
        unk_token: the token for unknown words.
        sep_token: the token behind a text.
        pad_token: the token that fills batches.
        cls_token: the token for the whole.
        mask_token: the token in place of one that is to be guessed.

    Raises:
        OSError: the vocabulary cannot be read.
        ValueError: it is damaged, or a special token is not in it.
    """

    _special_words = False

    def __init__(
        self,
        vocab_file: PathLike,
        do_lower_case: bool = True,
        unk_token: str = "[UNK]",
        sep_token: str = "[SEP]",
        pad_token: str = "[PAD]",
        cls_token: str = "[CLS]",
        mask_token: str = "[MASK]",
    ) -> None:
        super().__init__(
            vocab_file,
            do_lower_case,
            unk_token=unk_token,
            sep_token=sep_token,
            pad_token=pad_token,
            cls_token=cls_token,
            mask_token=mask_token,
        )


class ErnieGramTokenizer(ErnieTokenizer):
    """Of ERNIE-Gram (Xiao et al. 2020, arXiv:2010.12148): ERNIE's rules."""
