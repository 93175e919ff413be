"""GPTTokenizer and RobertaBPETokenizer: byte-level byte pair encoding."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Optional

from core.text.tokenizers.base import PretrainedTokenizer
from core.text.tokenizers.byte_pairs import BytePairs, PathLike, read_merges, read_pieces, text_of, write_files
from core.text.tokenizers.pieces import Offsets, Pieces
from core.text.vocabulary import Vocab


class BytePairTokenizer(PretrainedTokenizer):
    """Base of tokenisers by byte-level byte pair encoding (Radford et al. 2019).

    Args:
        vocab_file: JSON of pieces and their ids.
        merges_file: a heading, then a merge of two pieces in each line.
        errors: what becomes of bytes that are not UTF-8 when tokens are made text: "replace", "ignore" or "strict".
        add_prefix_space: a space before each text.
        **special: the special tokens.

    Raises:
        OSError: a file cannot be read.
        ValueError: one is damaged, or a special token is not in the vocabulary.
    """

    resource_files_names: ClassVar[dict[str, str]] = {"vocab_file": "vocab.json", "merges_file": "merges.txt"}

    def __init__(
        self, vocab_file: PathLike, merges_file: PathLike, errors: str, add_prefix_space: bool, **special: Optional[str]
    ) -> None:
        pieces = read_pieces(vocab_file)
        unknown = special.get("unk_token")
        if unknown not in pieces:
            raise ValueError(f"{os.fspath(vocab_file)}: unk_token {unknown!r} is not in the vocabulary")
        self.pairs = BytePairs(pieces, read_merges(merges_file, pieces), pieces[unknown])
        ids = dict(pieces)
        free = max(pieces.values()) + 1
        for token in special.values():  # one that is missing comes behind the vocabulary, as in Paddle
            if token is not None and token not in ids:
                ids[token], free = free, free + 1
        self._size = max(pieces.values()) + 1
        super().__init__(Vocab(token_to_idx=ids, unk_token=unknown), **special)
        self.errors = errors
        self.add_prefix_space = add_prefix_space

    @property
    def vocab_size(self) -> int:
        """How many rows a table of embeddings needs, added tokens not counted."""
        return self._size

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens in it."""
        return self.pairs.encode(text)

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of a text without special tokens in it, and the characters that each token covers.

        A space before a word belongs to none of its tokens; of a character of several tokens each covers all.
        """
        return self.pairs.place(text)

    def prefix(self, text: str) -> str:
        """Return what is put before a text."""
        return " "

    def _rows_of_ids(self, texts: Sequence[Any]) -> list[list[int]]:
        return [self._pieces(text, False, False).ids for text in texts]

    def _pieces(self, text: Any, placed: bool, split: bool) -> Pieces:
        if split or not self.add_prefix_space or not isinstance(text, str):
            return super()._pieces(text, placed, split)
        before = self.prefix(text)
        found = super()._pieces(before + text, placed, False)
        return found._replace(offsets=_moved(found.offsets, len(before)))

    def _word_pieces(self, words: Any, placed: bool) -> Pieces:
        if self.add_prefix_space or isinstance(words, str) or not all(isinstance(word, str) for word in words):
            return super()._word_pieces(words, placed)
        before = [self.prefix(word) for word in words]
        found = super()._word_pieces([first + word for first, word in zip(before, words)], placed)
        if found.offsets is None or found.words is None:
            return found
        moved = [_moved([place], len(before[word]))[0] for place, word in zip(found.offsets, found.words)]  # type: ignore[index]  # words come with offsets
        return found._replace(offsets=moved)

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """Return tokens as a text; special ones stand as they are."""
        return text_of(tokens, set(self.all_special_tokens), self.errors)

    def convert_ids_to_string(self, ids: Sequence[int]) -> str:
        """Return ids as a text."""
        return self.decode(ids)

    def save_resources(self, folder: str) -> None:
        """Write vocabulary and merges into a folder."""
        write_files(self.pairs, os.path.join(folder, "vocab.json"), os.path.join(folder, "merges.txt"))


def _moved(offsets: Optional[Offsets], count: int) -> Optional[Offsets]:
    """Return offsets without so many characters at the beginning."""
    return None if offsets is None else [(max(start - count, 0), max(end - count, 0)) for start, end in offsets]


class GPTTokenizer(BytePairTokenizer):
    """Of GPT-2 and GPT-3 (Radford et al. 2019; Brown et al. 2020, arXiv:2005.14165): no special tokens around texts.

    Args:
        vocab_file: JSON of pieces and their ids.
        merges_file: a heading, then a merge of two pieces in each line.
        errors: what becomes of bytes that are not UTF-8 when tokens are made text: "replace", "ignore" or "strict".
        max_len: unused.
        pad_token: the token that fills batches.
        eos_token: the token for the end.
        unk_token: the token for what is unknown.
        eol_token: the piece for a line's end.
        add_prefix_space: a space before each text.
        add_bos_token: ``bos_token`` before each text.
        bos_token: the token for the beginning; None: ``pad_token``.

    Raises:
        OSError: a file cannot be read.
        ValueError: one is damaged, or ``unk_token`` is not in the vocabulary.
    """

    bos_token: str
    bos_token_id: int

    def __init__(
        self,
        vocab_file: PathLike,
        merges_file: PathLike,
        errors: str = "replace",
        max_len: Optional[int] = None,
        pad_token: str = "<|endoftext|>",
        eos_token: str = "<|endoftext|>",
        unk_token: str = "<|endoftext|>",
        eol_token: str = "\u010a",
        add_prefix_space: bool = False,
        add_bos_token: bool = False,
        bos_token: Optional[str] = None,
    ) -> None:
        super().__init__(
            vocab_file,
            merges_file,
            errors,
            add_prefix_space,
            bos_token=bos_token or pad_token,
            eos_token=eos_token,
            unk_token=unk_token,
            pad_token=pad_token,
        )
        self.max_len = max_len
        self.eol_token = eol_token
        self.add_bos_token = add_bos_token

    @property
    def eol_token_id(self) -> int:
        """The id of a line's end."""
        index: int = self.convert_tokens_to_ids(self.eol_token)
        return index

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return the ids of one text or two, each behind ``bos_token`` if ``add_bos_token``."""
        bos = [self.bos_token_id] if self.add_bos_token else []
        return bos + token_ids_0 + ([] if token_ids_1 is None else bos + token_ids_1)

    def around(self, pair: bool) -> tuple[int, int, int]:
        """Return how many special tokens stand before the first text, behind it, and behind the second."""
        return int(self.add_bos_token), int(self.add_bos_token and pair), 0

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return 0 for the first text, 1 for the second."""
        more = int(self.add_bos_token)
        return [0] * (len(token_ids_0) + more) + ([] if token_ids_1 is None else [1] * (len(token_ids_1) + more))


class RobertaBPETokenizer(BytePairTokenizer):
    """Of RoBERTa (Liu et al. 2019, arXiv:1907.11692): ``<s> A </s>`` or ``<s> A </s></s> B </s>``.

    Args:
        vocab_file: JSON of pieces and their ids.
        merges_file: a heading, then a merge of two pieces in each line.
        errors: what becomes of bytes that are not UTF-8 when tokens are made text: "replace", "ignore" or "strict".
        bos_token: the token for the beginning.
        eos_token: the token for the end.
        sep_token: the token behind a text.
        cls_token: the token for the whole.
        unk_token: the token for what is unknown.
        pad_token: the token that fills batches.
        mask_token: the token in place of one that is to be guessed; a space before it in a text belongs to it.
        add_prefix_space: a space before each text that begins with none.

    Raises:
        OSError: a file cannot be read.
        ValueError: one is damaged, or ``unk_token`` is not in the vocabulary.
    """

    def __init__(
        self,
        vocab_file: PathLike,
        merges_file: PathLike,
        errors: str = "replace",
        bos_token: str = "<s>",
        eos_token: str = "</s>",
        sep_token: str = "</s>",
        cls_token: str = "<s>",
        unk_token: str = "<unk>",
        pad_token: str = "<pad>",
        mask_token: str = "<mask>",
        add_prefix_space: bool = False,
    ) -> None:
        super().__init__(
            vocab_file,
            merges_file,
            errors,
            add_prefix_space,
            bos_token=bos_token,
            eos_token=eos_token,
            unk_token=unk_token,
            sep_token=sep_token,
            pad_token=pad_token,
            cls_token=cls_token,
            mask_token=mask_token,
        )

    def prefix(self, text: str) -> str:
        """Return what is put before a text."""
        return " " if text and not text[0].isspace() else ""

    def _parts(self, text: str) -> Iterator[tuple[str, int, bool]]:
        parts = list(super()._parts(text))
        for number, (part, start, special) in enumerate(parts):
            before_mask = number + 1 < len(parts) and parts[number + 1][2] and parts[number + 1][0] == self.mask_token
            part = part.rstrip() if before_mask and not special else part
            if part:
                yield part, start, special

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return the ids of one text or two with special tokens: ``<s> A </s>`` or ``<s> A </s></s> B </s>``."""
        sep = [self.sep_token_id]
        return [self.cls_token_id] + token_ids_0 + sep + ([] if token_ids_1 is None else sep + token_ids_1 + sep)

    def around(self, pair: bool) -> tuple[int, int, int]:
        """Return how many special tokens stand before the first text, behind it, and behind the second."""
        return (1, 2, 1) if pair else (1, 1, 0)

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return 0 for every token."""
        return [0] * (len(token_ids_0) + (2 if token_ids_1 is None else len(token_ids_1) + 4))
