"""Tokenisers on a sentencepiece model, which is given simplified texts, as XLNet's and ALBERT's are."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

from core.text.tokenizers.base import PretrainedTokenizer
from core.text.tokenizers.pieces import Offsets
from core.text.tokenizers.sentencepiece_model import SPACE, SentencePieceModel
from core.text.vocabulary import Vocab

PathLike = Union[str, "os.PathLike[str]"]
_QUOTES = re.compile("``|''")
_UNCOMMON = re.compile(r"[^\x00-\x7f\u3001\u3002\u3008-\u3011\u2018-\u201d\u4e00-\u9fff]")  # may be an accent
_COMMA = re.compile(r"[^\sA-Za-z\u4e00-\u9fff][,\uff0c\ufe50\ufe10]")  # perhaps behind a digit


class Aligned(NamedTuple):
    """A text made of another one: for each of its characters the first one there, and the one behind the last."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return what a part of it was made of; an empty part is at the character that follows it."""
        if start == end:
            place = self.starts[start] if start < len(self.starts) else (self.ends[-1] if self.ends else 0)
            return place, place
        return self.starts[start], self.ends[end - 1]


class SentencePieceTokenizer(PretrainedTokenizer):
    """Base of tokenisers on a sentencepiece model.

    A special token that the model has not gets an id behind the model's, as in paddlenlp.

    Args:
        model_file: the model.
        do_lower_case: lower case.
        remove_space: one space for each run of white space.
        keep_accents: leave compatibility characters and accents as they are.
        additional_special_tokens: further tokens that texts are not cut inside of.
        **special: the special tokens.

    Raises:
        OSError: the model cannot be read.
        ValueError: it is no model, or is cut off.
    """

    def __init__(
        self,
        model_file: PathLike,
        do_lower_case: bool,
        remove_space: bool,
        keep_accents: bool,
        additional_special_tokens: Sequence[str] = (),
        **special: Optional[str],
    ) -> None:
        self.model = SentencePieceModel(model_file)
        self.do_lower_case = do_lower_case
        self.remove_space = remove_space
        self.keep_accents = keep_accents
        self.additional_special_tokens = list(additional_special_tokens)
        ids = dict(self.model.ids_of)
        for token in [*special.values(), *self.additional_special_tokens]:
            if token is not None:
                ids.setdefault(token, len(ids))
        super().__init__(Vocab(token_to_idx=ids, unk_token=self.model.pieces[self.model.unknown]), **special)
        rest = [*self.model.never_given(), *(token for token in ids if token not in self.model.ids_of)]
        self._never_given = re.compile("|".join(map(re.escape, rest)) or r"(?!)")
        self._numbers = {
            number: self._without_comma(piece)
            for number, piece in enumerate(self.model.pieces)
            if piece[-1] == "," and piece[-2:-1].isdigit()
        }

    @property
    def vocab_size(self) -> int:
        """How many pieces the model has."""
        return len(self.model)

    @property
    def all_special_tokens(self) -> list[str]:
        """The special tokens, each once."""
        return list(dict.fromkeys([*self.special_tokens_map.values(), *self.additional_special_tokens]))

    def _find_special(self, apart: Sequence[str] = ()) -> None:
        super()._find_special(apart)
        if self.do_lower_case:  # texts are in lower case before special tokens are looked for
            tokens = sorted({*self.all_special_tokens, *apart}, key=len, reverse=True)
            escaped = [re.escape(token) for token in tokens]
            self._special = re.compile(
                "|".join(f"(?i:{text})" if token.islower() else text for token, text in zip(tokens, escaped))
            )
            self._starts = ""

    def _without_comma(self, piece: str) -> list[str]:
        """Return the pieces of a number and the comma behind it."""
        found = self.model.cut(piece[:-1].replace(SPACE, ""))
        if not piece.startswith(SPACE) and found[0].startswith(SPACE):
            found[:1] = [found[0][1:]] if len(found[0]) > 1 else []
        return [*found, ","]

    def simplified(self, text: str) -> str:
        """Return what the model is given for a text."""
        if self.do_lower_case:
            text = _lower(text)
        if self.remove_space:
            text = " ".join(text.split())
        text = text.replace("``", '"').replace("''", '"')
        if not self.keep_accents and not text.isascii():
            text = unicodedata.normalize("NFKD", text)
            if _UNCOMMON.search(text):
                text = "".join([char for char in text if not unicodedata.combining(char)])
        return text.lower() if self.do_lower_case else text

    def aligned(self, text: str) -> Aligned:
        """Return what the model is given for a text, and where it is from."""
        rows = [(char, place, place + 1) for place, char in enumerate(text)]
        if self.do_lower_case:
            rows = [(part, start, end) for char, start, end in rows for part in char.lower()]
        if self.remove_space:
            rows = _one_space(rows)
        rows = _one_quote(rows)
        if not self.keep_accents:
            rows = _without_accents(rows)
        text = "".join([row[0] for row in rows])
        if self.do_lower_case:
            rows = [(part, start, end) for char, start, end in rows for part in char.lower()]
            text = text.lower()
        return Aligned(text, [row[1] for row in rows], [row[2] for row in rows])

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens in it."""
        text = self.simplified(text)
        ids = self.model.ids(text)
        if not self._needs_pieces(text):
            return ids
        if self.model.unknown in ids:
            pieces: list[str] = []
            for piece in self.model.cut(text):
                pieces += self._parts_of(piece)
            return self._ids(pieces)
        if self._numbers and not self._numbers.keys().isdisjoint(ids):
            return self._ids([part for number in ids for part in self._parts_of(self.model.pieces[number])])
        return ids

    def _needs_pieces(self, text: str) -> bool:
        """Return whether there may be numbers with a comma, or tokens that the model never gives, spelt out."""
        if self.keep_accents and not text.isascii():
            return True
        return _COMMA.search(text) is not None or self._never_given.search(text) is not None

    def _parts_of(self, piece: str) -> list[str]:
        return self._without_comma(piece) if piece[-1] == "," and piece[-2:-1].isdigit() else [piece]

    def _ids(self, pieces: list[str]) -> list[int]:
        known, unknown = self.vocab.token_to_idx, self.model.unknown
        return [known.get(piece, unknown) for piece in pieces]

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of a text without special tokens in it, and the characters that each token covers."""
        made = self.aligned(text)
        pieces: list[str] = []
        offsets: Offsets = []
        for piece, (start, end) in zip(*self.model.place(made.text)):
            parts = self._parts_of(piece)
            for number, part in enumerate(parts, 1):
                stop = end if number == len(parts) else min(start + len(part.lstrip(SPACE)), end)
                pieces.append(part)
                offsets.append(made.origin(start, stop))
                start = stop
        return self._ids(pieces), offsets

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """Return tokens as a text, pieces put together to words."""
        return "".join(tokens).replace(SPACE, " ").strip()

    def save_resources(self, folder: str) -> None:
        """Write the model into a folder."""
        (name,) = self.resource_files_names.values()
        with open(os.path.join(folder, name), "wb") as stream:
            stream.write(self.model.content)


def _lower(text: str) -> str:
    """Return a text in lower case, character by character: a capital sigma at a word's end becomes the common one."""
    return "".join([char.lower() for char in text]) if "Σ" in text else text.lower()


def _without_accents(rows: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for char, start, end in rows:
        for part in char if char.isascii() else unicodedata.normalize("NFKD", char):
            if not unicodedata.combining(part):
                found.append((part, start, end))
            elif found:  # it was a part of the character before
                found[-1] = (found[-1][0], found[-1][1], end)
    return found


def _one_quote(rows: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    place = 0
    for quotes in _QUOTES.finditer("".join([row[0] for row in rows])):
        start, end = quotes.span()
        found += [*rows[place:start], ('"', rows[start][1], rows[end - 1][2])]
        place = end
    return found + rows[place:]


def _one_space(rows: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    found: list[Any] = []
    gap = None
    for row in rows:
        if row[0].isspace():
            gap = gap or row
        else:
            if gap is not None and found:
                found.append((" ", gap[1], row[1]))
            gap = None
            found.append(row)
    return found
