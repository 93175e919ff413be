"""Model files of sentencepiece, checked before the library reads them (Kudo & Richardson 2018, arXiv:1808.06226)."""

from __future__ import annotations

import os
import re
from typing import Any, Union

import sentencepiece

from core.io.files import open_path
from core.text.tokenizers.pieces import Offsets
from core.weights.formats.fluid_program import fields
from core.weights.messages import one_line

SPACE = "▁"
MAXIMUM_BYTES = 1 << 28
_HALVES = re.compile("[\ud800-\udfff]")
_PARTS = {1: "pieces", 2: "settings of the trainer", 3: "settings of the normaliser"}


class SentencePieceModel:
    """A model of sentencepiece.

    Args:
        path: the file, a local path or a URL.

    Attributes:
        content: the file's bytes.
        pieces: the piece of each id.
        ids_of: the id of each piece.
        unknown: the id of what is unknown.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such model, or is cut off.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        name = os.fspath(path)
        with open_path(name, decompress=False) as stream:
            content = stream.read(MAXIMUM_BYTES + 1)
        if len(content) > MAXIMUM_BYTES:
            raise ValueError(f"{name}: no sentencepiece model: larger than {MAXIMUM_BYTES >> 20} MB")
        try:
            found = {number for number, value in fields(content) if isinstance(value, bytes)}
        except ValueError:
            raise ValueError(f"{name}: no sentencepiece model, or one that is cut off") from None
        missing = [part for number, part in _PARTS.items() if number not in found]
        if missing:
            raise ValueError(f"{name}: no sentencepiece model, or one that is cut off: it has no {missing[0]}")
        self.content = content
        try:
            self._prepare()
        except RuntimeError as error:
            raise ValueError(f"{name}: no sentencepiece model: {one_line(error)}") from None

    def _prepare(self) -> None:
        self._processor: Any = sentencepiece.SentencePieceProcessor(model_proto=self.content)
        self.pieces: list[str] = self._processor.id_to_piece(list(range(self._processor.get_piece_size())))
        self.ids_of = {piece: number for number, piece in enumerate(self.pieces)}
        self.unknown: int = self._processor.unk_id()

    def __getstate__(self) -> bytes:
        return self.content

    def __setstate__(self, content: bytes) -> None:
        self.content = content
        self._prepare()

    def __len__(self) -> int:
        return len(self.pieces)

    def never_given(self) -> list[str]:
        """Return the pieces that no text has: control symbols and such."""
        kinds = (self._processor.is_control, self._processor.is_unknown, self._processor.is_unused)
        return [piece for number, piece in enumerate(self.pieces) if any(kind(number) for kind in kinds)]

    def _encode(self, text: str, kind: Any) -> Any:
        try:
            return self._processor.encode(text, out_type=kind)
        except (RuntimeError, UnicodeError):  # halves of surrogate pairs are no characters
            return self._processor.encode(_HALVES.sub("\ufffd", text), out_type=kind)

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's pieces."""
        found: list[int] = self._encode(text, int)
        return found

    def cut(self, text: str) -> list[str]:
        """Return a text's pieces; unknown characters stand for themselves."""
        found: list[str] = self._encode(text, str)
        return found

    def place(self, text: str) -> tuple[list[str], Offsets]:
        """Return a text's pieces, and the first character and the one behind the last that each covers.

        White space before a word belongs to no piece, unless the piece is nothing else.
        """
        found = self._encode(text, "offset_mapping")
        pieces: list[str] = found["pieces"]
        offsets: Offsets = []
        for piece, (start, end) in zip(pieces, found["offsets"]):
            if piece != SPACE:
                if start == end and end < len(text):  # one character has become several
                    end += 1
                while piece.startswith(SPACE) and start < end - 1 and _is_gap(text[start]):
                    start += 1
            offsets.append((start, end))
        return pieces, offsets


def _is_gap(char: str) -> bool:
    return char == " " or not char.isprintable()
