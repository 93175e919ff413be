"""AlbertTokenizer, the English and the Chinese one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar, Optional

from core.text.tokenizers.base import PretrainedTokenizer
from core.text.tokenizers.bert import BertTokenizer
from core.text.tokenizers.pieces import Offsets
from core.text.tokenizers.sentencepiece import PathLike, SentencePieceTokenizer


class AlbertEnglishTokenizer(SentencePieceTokenizer):
    """The English tokeniser of ALBERT: a sentencepiece model.

    Args:
        sentencepiece_model_file: the model.
        do_lower_case: lower case.
        remove_space: one space for each run of white space.
        keep_accents: leave compatibility characters and accents as they are.
        bos_token: the token for the beginning.
        eos_token: the token for the end.
        unk_token: the token for what is unknown.
        sep_token: the token behind a text.
        pad_token: the token that fills batches.
        cls_token: the token for the whole.
        mask_token: the token in place of one that is to be guessed.

    Raises:
        OSError: the model cannot be read.
        ValueError: it is no model, or is cut off.
    """

    resource_files_names: ClassVar[dict[str, str]] = {"sentencepiece_model_file": "spiece.model"}

    def __init__(
        self,
        sentencepiece_model_file: PathLike,
        do_lower_case: bool = True,
        remove_space: bool = True,
        keep_accents: bool = False,
        bos_token: str = "[CLS]",
        eos_token: str = "[SEP]",
        unk_token: str = "<unk>",
        sep_token: str = "[SEP]",
        pad_token: str = "<pad>",
        cls_token: str = "[CLS]",
        mask_token: str = "[MASK]",
    ) -> None:
        super().__init__(
            sentencepiece_model_file,
            do_lower_case,
            remove_space,
            keep_accents,
            bos_token=bos_token,
            eos_token=eos_token,
            unk_token=unk_token,
            sep_token=sep_token,
            pad_token=pad_token,
            cls_token=cls_token,
            mask_token=mask_token,
        )
        self.sentencepiece_model_file = os.fspath(sentencepiece_model_file)


class AlbertChineseTokenizer(BertTokenizer):
    """The Chinese tokeniser of ALBERT: BERT's rules."""


class AlbertTokenizer(PretrainedTokenizer):
    """Of ALBERT (Lan et al. 2020, arXiv:1909.11942): English on a sentencepiece model, Chinese by BERT's rules.

    Args:
        vocab_file: the vocabulary of a Chinese one.
        sentencepiece_model_file: the sentencepiece model of an English one; unused with ``vocab_file``.
        do_lower_case: lower case.
        remove_space: English: one space for each run of white space.
        keep_accents: English: leave compatibility characters and accents as they are.
        bos_token: English: the token for the beginning.
        eos_token: English: the token for the end.
        unk_token: the token for what is unknown; None: "<unk>" in English, "[UNK]" in Chinese.
        sep_token: the token behind a text.
        pad_token: the token that fills batches; None: "<pad>" in English, "[PAD]" in Chinese.
        cls_token: the token for the whole.
        mask_token: the token in place of one that is to be guessed.

    Attributes:
        tokenizer: the English or the Chinese one.

    Raises:
        OSError: the file cannot be read.
        ValueError: there is none, it is damaged, or a special token is not in the vocabulary.
    """

    resource_files_names: ClassVar[dict[str, str]] = {
        "vocab_file": "vocab.txt",
        "sentencepiece_model_file": "spiece.model",
    }

    def __init__(
        self,
        vocab_file: Optional[PathLike] = None,
        sentencepiece_model_file: Optional[PathLike] = None,
        do_lower_case: bool = True,
        remove_space: bool = True,
        keep_accents: bool = False,
        bos_token: str = "[CLS]",
        eos_token: str = "[SEP]",
        unk_token: Optional[str] = None,
        sep_token: str = "[SEP]",
        pad_token: Optional[str] = None,
        cls_token: str = "[CLS]",
        mask_token: str = "[MASK]",
    ) -> None:
        special: dict[str, Any] = {"sep_token": sep_token, "cls_token": cls_token, "mask_token": mask_token}
        if vocab_file is not None:
            special.update(unk_token=unk_token or "[UNK]", pad_token=pad_token or "[PAD]")
            self.tokenizer: PretrainedTokenizer = AlbertChineseTokenizer(vocab_file, do_lower_case, **special)
        elif sentencepiece_model_file is not None:
            special.update(unk_token=unk_token or "<unk>", pad_token=pad_token or "<pad>")
            special.update(bos_token=bos_token, eos_token=eos_token)
            self.tokenizer = AlbertEnglishTokenizer(
                sentencepiece_model_file, do_lower_case, remove_space, keep_accents, **special
            )
        else:
            raise ValueError("AlbertTokenizer needs vocab_file (Chinese) or sentencepiece_model_file (English)")
        self.do_lower_case = do_lower_case
        self.remove_space = remove_space
        self.keep_accents = keep_accents
        super().__init__(self.tokenizer.vocab, **special)

    @property
    def vocab_size(self) -> int:
        """How many rows a table of embeddings needs, added tokens not counted."""
        return self.tokenizer.vocab_size

    def _find_special(self, apart: Sequence[str] = ()) -> None:
        self.tokenizer._find_special(apart)
        self._apart, self._starts = self.tokenizer._apart, self.tokenizer._starts
        self._special = self.tokenizer._special

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens in it."""
        return self.tokenizer.encode_text(text)

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of a text without special tokens in it, and the characters that each token covers."""
        return self.tokenizer.place_text(text)

    def convert_tokens_to_string(self, tokens: list[str]) -> str:  # type: ignore[override]  # lists alone
        """Return tokens as a text, pieces put together to words."""
        return self.tokenizer.convert_tokens_to_string(tokens)

    def save_resources(self, folder: str) -> None:
        """Write the vocabulary or the model into a folder."""
        self.tokenizer.save_resources(folder)
