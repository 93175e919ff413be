"""A tokeniser of whole words, or characters: it knows what cuts texts, and refuses those that are cut otherwise."""

from __future__ import annotations

import collections
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Optional, Union

from core.text.tokenizers import PretrainedTokenizer
from core.text.tokenizers.pieces import Offsets, Pieces
from core.text.vocabulary import Vocab
from core.text.vocabulary_files import decode_lines
from core.weights.messages import shown
from PaddleNLP.segmenting import Segmenter, segmentation

NARROW = {0x3000: 0x20, **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}}
"""Unicode's characters of full width to their narrow kin, from ``！`` to ``～``, and the wide space."""

UNKNOWN = ("<unk>", "[UNK]", "OOV")
"""Tokens that stand for unknown words in official vocabularies; where there is none, "<unk>" is put behind the last."""

CHINESE = re.compile("[\u4e00-\u9fff]")
LOOKED_AT = 500
"""Texts of a split by which it is known how these are cut."""

_NUMBERED = re.compile(r"(\d{1,9})\t(.+)")


class WordLevelTokenizer(PretrainedTokenizer):
    """Words looked up in a vocabulary, without special tokens around texts: Senta's, EmoTect's, SimNet's and LAC's.

    A vocabulary needs no token for padding: then ``pad_token_id`` is the number behind the last word, of which a
    network needs no row.

    Args:
        vocab_file: a word in each line; lines of a word, a tab and its number; or of number, tab and word, as LAC's
            ``word.dic``.
        segmenter: what cuts texts into words.
        word_dict: the dictionary that cuts texts: a word in each line, perhaps its frequency behind a space.
        lac: the exported folder of a run of lexical analysis that cuts texts, or an archive of one.
        do_lower_case: whether words are looked up in lower case.
        half_width: whether characters of full width are looked up as their narrow kin, as LAC does.

    Raises:
        OSError: a file cannot be read.
        ValueError: one is damaged, or the segmenter and its dictionary do not go together.
    """

    resource_files_names: ClassVar[dict[str, str]] = {
        "vocab_file": "vocab.txt",
        "word_dict": "words.txt",
        "lac": "lac.zip",
    }
    model_input_names: ClassVar[tuple[str, ...]] = ("input_ids",)

    def __init__(
        self,
        vocab_file: Union[str, os.PathLike[str]],
        segmenter: Segmenter = "spaces",
        word_dict: Union[str, os.PathLike[str], None] = None,
        lac: Union[str, os.PathLike[str], None] = None,
        do_lower_case: bool = False,
        half_width: bool = False,
    ) -> None:
        ids = read_words(vocab_file)
        unknown = next((token for token in UNKNOWN if token in ids), None)
        if unknown is None:
            unknown = UNKNOWN[0]
            ids[unknown] = max(ids.values()) + 1
        pad = "[PAD]" if "[PAD]" in ids else None
        tokens = {"sep_token": None, "cls_token": None, "mask_token": None}
        super().__init__(Vocab(token_to_idx=ids, unk_token=unknown), unk_token=unknown, pad_token=pad, **tokens)
        if pad is None:
            self.pad_token_id = len(self.vocab)
        self.segmenter = segmenter
        self.do_lower_case, self.half_width = do_lower_case, half_width
        self.segmentation = segmentation(segmenter, word_dict, lac)

    def words(self, text: str) -> list[str]:
        """Return the words of a text."""
        return self.segmentation.place(text)[0]

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of the words of a text."""
        return self._ids(self.segmentation.place(text)[0])

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of the words of a text, and the characters that each covers."""
        words, offsets = self.segmentation.place(text)
        return self._ids(words), offsets

    def _word_pieces(self, words: Any, placed: bool) -> Pieces:
        """Return words as they are given: none is cut again."""
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise TypeError(f"WordLevelTokenizer: is_split_into_words takes lists of strings, not {words!r:.60}")
        offsets = [(0, len(word)) for word in words] if placed else None
        return Pieces(self._ids(list(words)), offsets, list(range(len(words))))

    def _ids(self, words: list[str]) -> list[int]:
        words = looked_up(words, self.do_lower_case, self.half_width)
        known, unknown = self.vocab.token_to_idx, self.unk_token_id
        return [known.get(word, unknown) for word in words]

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return the ids of one text, or of two one behind the other."""
        return token_ids_0 + (token_ids_1 or [])

    def around(self, pair: bool) -> tuple[int, int, int]:
        """Return that no special tokens stand around texts."""
        return 0, 0, 0

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return 0 for the first text, 1 for the second."""
        return [0] * len(token_ids_0) + [1] * len(token_ids_1 or ())

    def check_texts(self, texts: Iterable[tuple[str, str]], whose: str) -> None:
        """Refuse texts of which most are cut into words in another way than this tokeniser's.

        Args:
            texts: texts with their places, such as "train.tsv:3"; the first 500 are looked at.
            whose: what they are of, for the message, such as "data.train".

        Raises:
            ValueError: they are; the message names the first one.
        """
        odd, count, first = 0, 0, None
        for text, place in texts:
            if count == LOOKED_AT:
                break
            count += 1
            problem = self.problem(text)
            if problem:
                odd += 1
                first = first or (place, problem)
        if first is not None and 2 * odd > count:
            raise ValueError(f"{whose}: {odd} of {count} texts are cut otherwise; {first[0]}: {first[1]}")

    def problem(self, text: str) -> str:
        """Return what is wrong with how a text is cut; "": nothing.

        Args:
            text: with spaces or without.
        """
        chinese, parts = len(CHINESE.findall(text)), text.split()
        if self.segmenter == "spaces":
            if chinese >= 12 and len(parts) * 12 <= chinese:
                description = "words are separated by spaces, and there are none in"
                return f"{description} {shown(text)}; put some, or choose another tokenizer.segmenter and train anew"
        elif self.segmenter != "characters" and chinese >= 4 and len(parts) * 4 >= chinese and len(parts) > 1:
            own = self.words("".join(parts))
            if own != parts:
                cut = f"{shown(' '.join(parts))} is cut into words, but by {self.segmenter} it would be"
                return f"{cut} {shown(' '.join(own))}; give texts without spaces, or set tokenizer.segmenter: spaces"
        return ""

    def save_resources(self, folder: str) -> None:
        """Write the vocabulary, and what cuts texts."""
        self.vocab.save_vocabulary(os.path.join(folder, "vocab.txt"))
        for name, content in self.segmentation.files.items():
            Path(folder, name).write_bytes(content)


def read_words(path: Union[str, os.PathLike[str]]) -> dict[str, int]:
    """Return the number of each word of a vocabulary's file.

    Args:
        path: as ``vocab_file`` of :class:`WordLevelTokenizer`.

    Raises:
        OSError: it cannot be read.
        ValueError: it is none of a vocabulary.
    """
    lines = decode_lines(os.fspath(path))
    numbered = [_NUMBERED.fullmatch(line) for line in lines[:3]]
    if not lines or not all(numbered):
        return dict(Vocab.load_vocabulary(path).token_to_idx)
    words: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        found = _NUMBERED.fullmatch(line)
        if found is None:
            raise ValueError(f"{path}, line {number}: {line[:60]!r} is not id<TAB>word, as the first lines are")
        if found[2] in words:
            raise ValueError(f"{path}, line {number}: {found[2]!r} is there twice")
        words[found[2]] = int(found[1])
    if len(set(words.values())) < len(words) or max(words.values()) > 10 * len(words) + 1000:
        raise ValueError(f"{path}: ids must be 0, 1, 2, ..., each of one word")
    return words


def learned_words(texts: Iterable[str], size: int, settings: Mapping[str, Any]) -> Vocab:
    """Return the most frequent words of texts as a vocabulary, whose last one stands for the others.

    Args:
        texts: what to count in.
        size: how many words there are at most, "<unk>" included.
        settings: of :class:`WordLevelTokenizer`.
    """
    place = segmentation(settings.get("segmenter", "spaces"), settings.get("word_dict"), settings.get("lac")).place
    how = (settings.get("do_lower_case", False), settings.get("half_width", False))
    counts: collections.Counter[str] = collections.Counter()
    for text in texts:
        counts.update(looked_up(place(text)[0], *how))
    for token in (*UNKNOWN, "[PAD]"):
        counts.pop(token, None)
    words = sorted(counts, key=lambda word: (-counts[word], word))[: size - 1]
    return Vocab(token_to_idx={word: number for number, word in enumerate([*words, UNKNOWN[0]])})


def looked_up(words: list[str], lower: bool, narrow: bool) -> list[str]:
    """Return words as a vocabulary has them.

    Args:
        words: as a text has them.
        lower: whether in lower case.
        narrow: whether without characters of full width.
    """
    if lower:
        words = [word.lower() for word in words]
    return [word if word.isascii() else half_width(word) for word in words] if narrow else words


def half_width(text: str) -> str:
    """Return a text with its characters of full width as their narrow kin: ``Ａ１，`` is ``A1,``.

    Args:
        text: the text.
    """
    return text.translate(NARROW)
