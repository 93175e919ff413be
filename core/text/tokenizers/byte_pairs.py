"""Byte-level byte pair encoding: words as bytes, each written as a character, merged as a table says.

Paper: A. Radford et al., "Language Models are Unsupervised Multitask Learners", 2019.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any, Union

from tokenizers.models import BPE

from core.io.files import open_path
from core.text.tokenizers.pieces import Offsets
from core.text.tokenizers.remembered import Remembered
from core.text.tokenizers.subword_nmt import merged
from core.text.vocabulary_files import decode_lines

PathLike = Union[str, "os.PathLike[str]"]
MAXIMUM_BYTES = 1 << 28
_LONGEST_REMEMBERED = 64
_PRINTED = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_HIDDEN = [byte for byte in range(256) if byte not in _PRINTED]
CHARACTERS = {byte: chr(byte) for byte in _PRINTED} | {byte: chr(256 + n) for n, byte in enumerate(_HIDDEN)}  # 2019's
"""The character that stands for each byte."""
BYTES = {ord(char): byte for byte, char in CHARACTERS.items()}


def word_pattern() -> re.Pattern[str]:
    """Return what a text is cut by: letters, numbers, other characters, each with a space before, and white space.

    ``re`` has no classes of Unicode's categories: letters are what is left of its word characters without the numbers.
    """
    numeric = [char for char in map(chr, range(0x80, 0x20000)) if char.isnumeric()]
    numbers = "".join([char for char in numeric if not char.isdecimal() and not char.isalpha()])
    letter, number = rf"[^\W\d_{numbers}]", rf"[\d{numbers}]"
    other = r"(?:[^\s\w]|[_\x1c-\x1f])"  # Python alone takes these four controls for white space
    space, no_space = r"[^\S\x1c-\x1f]", r"[\S\x1c-\x1f]"
    return re.compile(
        rf"'s|'t|'re|'ve|'m|'ll|'d| ?{letter}+| ?{number}+| ?{other}+|{space}+(?!{no_space})|{space}+"
    )


_ASCII = re.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^A-Za-z0-9\t-\r ]+|[\t-\r ]+(?![^\t-\r ])|[\t-\r ]+"
)


class BytePairs:
    """Cuts words into pieces.

    Args:
        vocab: the id of each piece.
        merges: pairs of pieces, in their order.
        unknown: the id of what has none.

    Attributes:
        ids: the ids of the pieces of each word, worked out when it first occurs.
        placed: the same with the first character of each and the one behind its last, counted inside the word.
    """

    def __init__(self, vocab: dict[str, int], merges: list[tuple[str, str]], unknown: int) -> None:
        self.vocab, self.merges, self.unknown = vocab, merges, unknown
        self._prepare()

    def _prepare(self) -> None:
        self.ids = Remembered(self._ids_of, _LONGEST_REMEMBERED)
        self.placed = Remembered(self._placed_of, _LONGEST_REMEMBERED)
        self._pattern = word_pattern()
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        ordered = all(char in self.vocab for char in CHARACTERS.values()) and _in_order(self.merges)
        self._model = BPE(self.vocab, self.merges) if ordered else None

    def __getstate__(self) -> tuple[Any, ...]:
        return self.vocab, self.merges, self.unknown

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.vocab, self.merges, self.unknown = state
        self._prepare()

    def words(self, text: str) -> list[str]:
        """Return the words of a text, with the spaces before them; together they are the text."""
        return (_ASCII if text.isascii() else self._pattern).findall(text)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's pieces."""
        return list(chain.from_iterable(map(self.ids.__getitem__, self.words(text))))

    def place(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of a text's pieces, and the characters that each covers.

        A space before a word belongs to none of its pieces; of a character of several pieces each covers all.
        """
        ids: list[int] = []
        offsets: Offsets = []
        place = 0
        for word in self.words(text):
            for index, start, end in self.placed[word]:
                ids.append(index)
                offsets.append((place + start, place + end))
            place += len(word)
        return ids, offsets

    def cut(self, word: str) -> list[tuple[int, int]]:
        """Return id and number of bytes of each piece of a word."""
        text = word.encode("utf-8", "replace").decode("latin-1").translate(CHARACTERS)
        if self._model is not None:
            return [(token.id, len(token.value)) for token in self._model.tokenize(text)]
        return [(self.vocab.get(piece, self.unknown), len(piece)) for piece in merged([*text], self._ranks)]

    def _ids_of(self, word: str) -> list[int]:
        return [index for index, _ in self.cut(word)]

    def _placed_of(self, word: str) -> list[tuple[int, int, int]]:
        """Return the pieces of a word as id, first character, and the one behind the last, without a space before."""
        places = [place for place, char in enumerate(word) for _ in char.encode("utf-8", "replace")]
        found, start = [], 0
        for index, length in self.cut(word):
            first, last = places[start], places[start + length - 1] + 1
            found.append((index, first + (first == 0 and last > 1 and word[0] == " "), last))
            start += length
        return found


def text_of(tokens: Sequence[str], special: Collection[str], errors: str) -> str:
    """Return pieces as a text; special tokens stand as they are.

    Args:
        tokens: the pieces.
        special: the special tokens.
        errors: what becomes of bytes that are not UTF-8: "replace", "ignore" or "strict".
    """
    content = bytearray()
    for token in tokens:
        codes = [] if token in special else [BYTES.get(ord(char), -1) for char in token]
        content += bytes(codes) if codes and -1 not in codes else token.encode("utf-8")
    return content.decode("utf-8", errors)


def write_files(pairs: BytePairs, vocab_file: str, merges_file: str) -> None:
    """Write pieces as JSON and merges line by line, below a heading."""
    with open(vocab_file, "w", encoding="utf-8") as stream:
        json.dump(pairs.vocab, stream, ensure_ascii=False)
    with open(merges_file, "w", encoding="utf-8", newline="\n") as stream:
        stream.write("#version: 0.2\n")
        stream.writelines(f"{first} {second}\n" for first, second in pairs.merges)


def _in_order(merges: list[tuple[str, str]]) -> bool:
    """Return whether each merge makes a new piece of characters and of pieces that are made before.

    If so, merging place by place, as the library does, is the same as all places of a pair at once, as in Paddle.
    """
    made: set[str] = set()
    for pair in merges:
        if "".join(pair) in made or any(len(piece) > 1 and piece not in made for piece in pair):
            return False
        made.add("".join(pair))
    return True


def read_pieces(path: PathLike) -> dict[str, int]:
    """Return the ids of the pieces of a JSON file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no JSON of pieces and their ids.
    """
    name = os.fspath(path)
    with open_path(name, decompress=False) as stream:
        content = stream.read(MAXIMUM_BYTES + 1)
    try:
        found = json.loads(content) if len(content) <= MAXIMUM_BYTES else None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: no JSON of a vocabulary: {type(error).__name__}") from None
    if not isinstance(found, dict) or not found:
        raise ValueError(f"{name}: no JSON of a vocabulary: it is no mapping of pieces to ids")
    for piece, index in found.items():
        if not isinstance(index, int) or isinstance(index, bool):
            raise ValueError(f"{name}: no JSON of a vocabulary: the id of {piece[:40]!r} is {index!r:.40}")
    return found


def read_merges(path: PathLike, vocab: dict[str, int]) -> list[tuple[str, str]]:
    """Return the merges of a file, whose first line is a heading, as in Paddle.

    Args:
        path: a local path or a URL.
        vocab: the id of each piece.

    Raises:
        OSError: it cannot be read.
        ValueError: a line of it is no merge of two pieces that are in the vocabulary, nor is what they become.
    """
    name = os.fspath(path)
    merges = []
    for number, line in enumerate(decode_lines(name)[1:], 2):
        pair = line.split(" ")
        if len(pair) != 2 or not all(pair):
            raise ValueError(f"{name}, line {number}: {line[:60]!r} is no merge: two pieces with a space between them")
        for piece in (*pair, "".join(pair)):
            if piece not in vocab:
                raise ValueError(f"{name}, line {number}: {piece[:60]!r} is not in the vocabulary")
        merges.append((pair[0], pair[1]))
    return merges
