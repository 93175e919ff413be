"""GPTChineseTokenizer: words that jieba finds, then pieces of a sentencepiece model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar, Optional

from core.text.tokenizers.base import PretrainedTokenizer
from core.text.tokenizers.pieces import Offsets
from core.text.tokenizers.sentencepiece import Aligned, PathLike
from core.text.tokenizers.sentencepiece_model import SentencePieceModel
from core.text.tokenizers.words import load_jieba
from core.text.vocabulary import Vocab

SPACE, LINE = "\u2582", "\u2583"
_MARKS = str.maketrans(" \n", SPACE + LINE)


class GPTChineseTokenizer(PretrainedTokenizer):
    """Of CPM (Zhang et al. 2020, arXiv:2012.00413): no special tokens around texts. Needs the extra jieba.

    Spaces and ends of lines are written as blocks, so that texts come back with them.

    Args:
        model_file: the sentencepiece model.
        max_len: unused.
        unk_token: the token for what is unknown.
        bos_token: the token for a document's beginning.
        eos_token: the token for its end.
        eol_token: the piece for a line's end.

    Raises:
        OSError: the model cannot be read.
        ValueError: it is no model, or is cut off.
        PackageError: a text is cut, and jieba is not installed.
    """

    resource_files_names: ClassVar[dict[str, str]] = {"model_file": "sentencepiece.model"}
    _spaces_count = False

    bos_token: str
    eos_token: str
    bos_token_id: int
    eos_token_id: int

    def __init__(
        self,
        model_file: PathLike,
        max_len: Optional[int] = 512,
        unk_token: str = "<unk>",
        bos_token: str = "<bod>",
        eos_token: str = "<eod>",
        eol_token: str = LINE,
    ) -> None:
        self.model = SentencePieceModel(model_file)
        ids = dict(self.model.ids_of)
        for token in (bos_token, eos_token, unk_token):
            ids.setdefault(token, len(ids))
        super().__init__(
            Vocab(token_to_idx=ids, unk_token=self.model.pieces[self.model.unknown]),
            bos_token=bos_token,
            eos_token=eos_token,
            unk_token=unk_token,
            sep_token=None,
            pad_token=None,
            cls_token=None,
            mask_token=None,
        )
        self.max_len = max_len
        self.eol_token = eol_token

    @property
    def vocab_size(self) -> int:
        """How many pieces the model has."""
        return len(self.model)

    @property
    def eol_token_id(self) -> int:
        """The id of a line's end."""
        index: int = self.convert_tokens_to_ids(self.eol_token)
        return index

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens in it."""
        return self.model.ids(" ".join(self._words(text)))

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of a text without special tokens in it, and the characters that each token covers."""
        words = self._words(text)
        starts: list[int] = []
        ends: list[int] = []
        for word in words:
            place = ends[-1] if ends else 0
            starts += [*range(place, place + len(word)), place + len(word)]
            ends += [*range(place + 1, place + len(word) + 1), place + len(word)]  # the space behind it covers nothing
        pieces, offsets = self.model.place(" ".join(words))
        made = Aligned("", starts, ends)
        ids: list[int] = self.vocab.to_indices(pieces)
        return ids, [made.origin(start, end) for start, end in offsets]

    def _words(self, text: str) -> list[str]:
        jieba = load_jieba("GPTChineseTokenizer", "the words of texts")
        return [word.translate(_MARKS) for word in jieba.lcut(text)]

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return the ids of one text or two, one behind the other."""
        return token_ids_0 + (token_ids_1 or [])

    def around(self, pair: bool) -> tuple[int, int, int]:
        """Return how many special tokens stand before the first text, behind it, and behind the second: none."""
        return 0, 0, 0

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return 0 for the first text, 1 for the second."""
        return [0] * len(token_ids_0) + [1] * len(token_ids_1 or [])

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """Return tokens as a text, with its spaces and ends of lines."""
        text = "".join(tokens).replace("\u2581", "")
        return text.replace(SPACE, " ").replace(LINE, "\n")

    def convert_ids_to_string(self, ids: Sequence[int]) -> str:
        """Return ids as a text."""
        return self.decode(ids)

    def save_resources(self, folder: str) -> None:
        """Write the model into a folder."""
        with open(os.path.join(folder, self.resource_files_names["model_file"]), "wb") as stream:
            stream.write(self.model.content)
