"""Text files of columns: read within limits, with the delimiter that their names imply, line by line."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from core.weights.compressed import ArchiveError, read_limited
from PGL.data.source import PathLike

_LARGEST_ID = 2**63


def read_text(path: PathLike, maximum_bytes: Optional[int] = None) -> str:
    """Return the text of a file.

    Args:
        path: the file, plain or gzipped.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the file's size, whichever is more.

    Raises:
        FileNotFoundError: there is no file.
        ValueError: it is no UTF-8 text, damaged, or unpacks to too much.
    """
    where = repr(os.fspath(path))
    if not Path(path).is_file():
        raise FileNotFoundError(f"no file {where}")
    try:
        return read_limited(path, maximum_bytes).decode("utf-8-sig")
    except ArchiveError as error:
        raise ValueError(f"{where} is a damaged gzip file") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{where} is a file of other than UTF-8 text") from error


def lines(text: str) -> io.StringIO:
    r"""Return the lines of a text; \r\n ends one as \n does."""
    return io.StringIO(text, newline=None)


def delimiter_of(path: PathLike, delimiter: Optional[str]) -> Optional[str]:
    """Return what is between columns: as given; a comma in .csv files, a tab in .tsv files, blanks (None) elsewhere."""
    stem = os.fspath(path).removesuffix(".gz")
    if delimiter is not None:
        return delimiter
    return "," if stem.endswith(".csv") else "\t" if stem.endswith(".tsv") else None


def fields(line: str, delimiter: Optional[str]) -> list[str]:
    """Return the columns of a line, none of an empty one; what follows a ``#`` is left out."""
    content = line.partition("#")[0]
    return [field.strip() for field in content.split(delimiter)] if content.strip() else []


def is_id(field: str) -> bool:
    """Return whether a column is a whole number from 0 to below 2^63."""
    return field.isascii() and field.isdigit() and len(field) < 20 and int(field) < _LARGEST_ID


def numbered_rows(text: str, delimiter: Optional[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that hold columns, numbered from 1; a first line that begins with a word is a header."""
    first = True
    for number, line in enumerate(lines(text), 1):
        row = fields(line, delimiter)
        if row and not (first and not _is_number(row[0])):
            yield number, row
        first = first and not row


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
