"""Byte pair encoding for translation: one vocabulary of pieces that both languages share."""

from __future__ import annotations

import collections
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Optional, Union

from core.text import SubwordBPE, Vocab, learn_bpe
from core.text.tokenizers import PretrainedTokenizer
from core.text.tokenizers.pieces import Offsets
from core.text.tokenizers.subword_nmt import read_codes, write_codes
from core.weights.messages import shown
from PaddleNLP.translation import joined_words

START, END, UNKNOWN = "<s>", "<e>", "<unk>"
"""The first three tokens, as official vocabularies have them; the first one fills batches, too."""

MARK = "@@"
VOCAB, CODES = "vocab.txt", "codes.bpe"
Words = Literal["raw", "spaces", "pieces"]


class SubwordTokenizer(PretrainedTokenizer):
    """Cuts texts into pieces of words, as subword-nmt does, and puts them together again.

    Args:
        vocab_file: a piece in each line, ``<s>``, ``<e>`` and ``<unk>`` first.
        codes_file: the merges; None where texts are pieces already.
        words: what a text is: "raw", as people write; "spaces", words and signs with spaces between them; or "pieces",
            cut by subword-nmt before.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is damaged, or the two are not of one vocabulary.
    """

    resource_files_names: ClassVar[dict[str, str]] = {"vocab_file": VOCAB, "codes_file": CODES}
    model_input_names: ClassVar[tuple[str, ...]] = ("input_ids",)

    def __init__(
        self,
        vocab_file: Union[str, os.PathLike[str]],
        codes_file: Union[str, os.PathLike[str], None] = None,
        words: Words = "raw",
    ) -> None:
        ids = dict(Vocab.load_vocabulary(vocab_file).token_to_idx)
        for number, token in enumerate((START, END, UNKNOWN)):
            if ids.get(token) != number:
                raise ValueError(
                    f"{os.fspath(vocab_file)}, line {number + 1}: must be {token}, as in {START}, {END}, {UNKNOWN}"
                )
        vocab = Vocab(token_to_idx=ids, unk_token=UNKNOWN)
        none = {"sep_token": None, "cls_token": None, "mask_token": None}
        super().__init__(vocab, unk_token=UNKNOWN, pad_token=START, bos_token=START, eos_token=END, **none)
        if (codes_file is None) != (words == "pieces"):
            text = "are pieces already: leave out codes_file" if words == "pieces" else "need codes_file, the merges"
            raise ValueError(f"SubwordTokenizer: texts of words: {words} {text}")
        self.words = words
        self._codes = None if codes_file is None else read_codes(codes_file)[1]
        self._bpe: Optional[SubwordBPE] = None
        if codes_file is not None and self._codes is not None:
            _check_goes_with(self._codes, ids, os.fspath(codes_file), os.fspath(vocab_file))
            self._bpe = SubwordBPE(codes_file, vocab=ids)

    bos_token_id: int
    eos_token_id: int

    def pieces(self, text: str) -> list[str]:
        """Return the pieces of a text."""
        if self._bpe is None:
            return text.split()
        return self._bpe.tokenize(joined_words.cut(text) if self.words == "raw" else " ".join(text.split()))

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of the pieces of a text."""
        known, unknown = self.vocab.token_to_idx, self.unk_token_id
        return [known.get(piece, unknown) for piece in self.pieces(text)]

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Refuse: pieces do not follow from their characters."""
        raise NotImplementedError("SubwordTokenizer gives no offsets")

    def _rows_of_ids(self, texts: Sequence[Any]) -> list[list[int]]:
        return [self._pieces(text, False, False).ids for text in texts]

    def _parts(self, text: str) -> Any:
        """Return the text as one part: nothing in it means a special token."""
        yield text, 0, False

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return the ids of a text with the end token behind it, or of two."""
        end = [self.eos_token_id]
        return token_ids_0 + end + ([] if token_ids_1 is None else token_ids_1 + end)

    def around(self, pair: bool) -> tuple[int, int, int]:
        """Return that the end token follows each text."""
        return 0, 1, int(pair)

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return 0 for the first text, 1 for the second."""
        return [0] * (len(token_ids_0) + 1) + ([] if token_ids_1 is None else [1] * (len(token_ids_1) + 1))

    def text_of(self, ids: Iterable[int]) -> str:
        """Return ids as a text, to the first end token: raw, or words and signs with spaces between them.

        Args:
            ids: numbers of pieces.
        """
        found = []
        for number in ids:
            if number == self.eos_token_id:
                break
            if number != self.bos_token_id:
                found.append(self.vocab.idx_to_token[int(number)])
        return self.without_marks(found)

    def without_marks(self, pieces: Sequence[str]) -> str:
        """Return pieces as a text."""
        text = " ".join(pieces).replace(f"{MARK} ", "")
        text = text[: -len(MARK)] if text.endswith(MARK) else text
        return joined_words.joined(text) if self.words == "raw" else text

    def save_resources(self, folder: str) -> None:
        """Write vocabulary and merges into a folder."""
        Learnt(self._codes, self.vocab).write(folder)


def _check_goes_with(codes: Sequence[tuple[str, str]], ids: dict[str, int], codes_file: str, vocab_file: str) -> None:
    """Refuse merges whose pieces are mostly not in the vocabulary: they were learned with another one."""
    parts = {part for pair in codes for part in pair}
    made = [first + second for first, second in codes if first + second not in parts]  # what no later merge takes
    ended = [piece[: -len("</w>")] if piece.endswith("</w>") else piece + MARK for piece in made]
    missing = [piece for piece in ended if piece not in ids]
    if made and 2 * len(missing) >= len(made):
        message = f"{len(missing):,} of {len(made):,} merges make pieces that are not in {vocab_file}"
        raise ValueError(f"{codes_file}: {message}, such as {shown(missing[0])}: they are of another vocabulary")


class Learnt(NamedTuple):
    """Merges, and the vocabulary of the pieces that they make of a text.

    Attributes:
        codes: the merges, in their order; None where texts are pieces already.
        vocab: ``<s>``, ``<e>``, ``<unk>``, and pieces from frequent to rare.
    """

    codes: Optional[list[tuple[str, str]]]
    vocab: Vocab

    def write(self, folder: Union[str, os.PathLike[str]]) -> None:
        """Write vocab.txt, and codes.bpe with the merges, into a folder."""
        self.vocab.save_vocabulary(os.path.join(folder, VOCAB))
        if self.codes is not None:
            write_codes(self.codes, os.path.join(folder, CODES))


def learn_subwords(texts: Iterable[str], size: int, words: Words = "raw", min_frequency: int = 2) -> Learnt:
    """Learn merges and a vocabulary of texts of all languages together.

    Args:
        texts: the texts.
        size: tokens of the vocabulary at most; characters are all in it, whatever the size.
        words: what a text is; see :class:`SubwordTokenizer`. Of pieces only the vocabulary is learned.
        min_frequency: how often a pair must occur to be merged.

    Raises:
        ValueError: the texts have no word of two characters.
    """
    counts: collections.Counter[str] = collections.Counter()
    for text in texts:
        counts.update((joined_words.cut(text) if words == "raw" else text).split())
    single = {} if words == "pieces" else _characters(counts)
    room = size - 3 - len(single)
    codes = None if words == "pieces" else learn_bpe(counts, max(room, 0), min_frequency)
    bpe = None if codes is None else SubwordBPE(codes)
    pieces: collections.Counter[str] = collections.Counter()
    for word, count in counts.items():
        for piece in [word] if bpe is None else bpe.tokenize(word):
            pieces[piece] += count
    for token in (START, END, UNKNOWN):
        pieces.pop(token, None)
    ordered = sorted((piece for piece in pieces if piece not in single), key=lambda piece: (-pieces[piece], piece))
    kept = [*ordered[: max(room, 0)], *single]
    kept.sort(key=lambda piece: (-pieces[piece], piece))
    names = [START, END, UNKNOWN, *kept]
    return Learnt(codes, Vocab(token_to_idx={name: number for number, name in enumerate(names)}, unk_token=UNKNOWN))


def learned_subwords(texts: Iterable[str], size: int, settings: Mapping[str, Any]) -> SubwordTokenizer:
    """Return a tokeniser whose merges and vocabulary are learned from texts.

    Args:
        texts: what to learn from.
        size: tokens of the vocabulary at most.
        settings: of :class:`SubwordTokenizer`.
    """
    found = learn_subwords(texts, size, settings.get("words", "raw"))
    with tempfile.TemporaryDirectory() as folder:
        found.write(folder)
        codes: dict[str, Any] = {"codes_file": os.path.join(folder, CODES)} if found.codes is not None else {}
        return SubwordTokenizer(os.path.join(folder, VOCAB), **codes, **settings)


def _characters(counts: Iterable[str]) -> dict[str, None]:
    """Return the characters of words as pieces, within and at the end of a word."""
    inner = {letter + MARK for word in counts for letter in word[:-1]}
    return dict.fromkeys(sorted(inner | {word[-1] for word in counts}))
