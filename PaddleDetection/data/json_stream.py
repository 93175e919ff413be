"""Reading the records of a large JSON file one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from core.io.files import open_path

CHUNK = 1 << 20
"""Characters that are read at a time."""

_BLANK = re.compile(r"[ \t\r\n]*")
_NO_BRACKET = re.compile(r'[^"\[\]{}]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"\[\]{}]*)*', re.DOTALL)


def records(path: str, names: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Iterate over the records of a JSON file whose top is an object with lists of records.

    Args:
        path: the file, or its URL.
        names: the lists that are wanted.

    Yields:
        The list's name, and a record.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no such JSON file.
    """
    with open_path(path, "r") as file:
        text = _Text(file, path)
        text.expect("{")
        while not text.follows("}"):
            name = text.value()
            text.expect(":")
            if name in names:
                text.expect("[")
            else:
                if text.follows("["):
                    text.leave_list()
                else:
                    text.value()
                text.follows(",")
                continue
            while not text.follows("]"):
                record = text.value()
                if not isinstance(record, dict):
                    raise ValueError(f"{path}: {name!r} must hold records, not {str(record)[:80]!r}")
                yield str(name), record
                text.follows(",")
            text.follows(",")


class _Text:
    """A JSON text, of which a little is in memory."""

    def __init__(self, file: Any, path: str) -> None:
        self.file, self.path = file, path
        self.text, self.place = "", 0
        self.decoder = json.JSONDecoder()

    def value(self) -> Any:
        """Return the next value."""
        self._skip()
        size = CHUNK
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.place)
            except (ValueError, RecursionError) as error:  # also of a number of too many digits
                if not self._more(size):
                    raise ValueError(f"{self.path}: not a whole JSON file: {str(error)[:200]}") from None
            else:
                if end < len(self.text) or not self._more(size):
                    self.place = end
                    return value
            size *= 2  # so that a large value is not tried too often

    def leave_list(self) -> None:
        """Step over the rest of a list, which as a whole may be gigabytes; its values are not looked at."""
        depth, size = 1, CHUNK
        while depth:
            begin, self.place = self.place, _NO_BRACKET.match(self.text, self.place).end()  # type: ignore[union-attr]  # matches
            sign = self.text[self.place : self.place + 1]
            if sign in ("", '"'):  # the text that is here ends, perhaps within a string
                size = CHUNK if self.place > begin else 2 * size
                if not self._more(size):
                    raise ValueError(f"{self.path}: not a whole JSON file: a list does not end")
            else:
                depth += 1 if sign in "[{" else -1
                self.place += 1

    def follows(self, sign: str) -> bool:
        """Return whether a sign is next, and step over it."""
        self._skip()
        found = self.text.startswith(sign, self.place)
        self.place += found
        return found

    def expect(self, sign: str) -> None:
        """Step over a sign."""
        if not self.follows(sign):
            found = self.text[self.place : self.place + 20]
            raise ValueError(f"{self.path}: not such a JSON file: {sign!r} is expected, not {found!r}")

    def _skip(self) -> None:
        while True:
            self.place = _BLANK.match(self.text, self.place).end()  # type: ignore[union-attr]  # matches
            if self.place < len(self.text) or not self._more(CHUNK):
                return

    def _more(self, size: int) -> bool:
        try:
            read = self.file.read(size)
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.path}: byte {error.start} is not UTF-8") from None
        self.text, self.place = self.text[self.place :] + read, 0
        return bool(read)
