"""Reading the records of a large JSON file one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from core.io.files import open_path

CHUNK = 1 << 20
"""Characters that are read at a time."""


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
            elif not text.follows("["):
                text.value()
                text.follows(",")
                continue
            while not text.follows("]"):  # also of lists that are not wanted: one of them as a whole is gigabytes
                record = text.value()
                if name in names:
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
            while self.place < len(self.text) and self.text[self.place] in " \t\r\n":
                self.place += 1
            if self.place < len(self.text) or not self._more(CHUNK):
                return

    def _more(self, size: int) -> bool:
        try:
            read = self.file.read(size)
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.path}: byte {error.start} is not UTF-8") from None
        self.text, self.place = self.text[self.place :] + read, 0
        return bool(read)
