"""Texts and pairs of texts from tables: delimited files with or without a header, and JSON lines."""

from __future__ import annotations

import csv
import json
import warnings
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Optional, Union

from core.weights.messages import one_line, shown
from PaddleNLP.data.dataset import Labels, TextDataset, Texts, Transform
from PaddleNLP.data.labels import ClassLabels, NumberLabels, SeveralLabels
from PaddleNLP.data.lines import json_lines, text_lines

Column = Union[str, list[str]]
"""The name of a column; or several, of which a file has one."""

_JSON = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


class TableDataset(TextDataset):
    """Rows of a table as samples: "text", "text_pair" where it is asked for, "label", and "group".

    A header is one if it names the columns of the texts; then the order of its columns counts. Otherwise ``columns``
    says what the columns are. A file that ends with ``.json`` or ``.jsonl`` has a JSON object in each line, whose keys
    are the columns. A file without the column of labels, such as a test part, has samples without "label". Blank lines
    are passed over; Windows line ends and a byte order mark are put right.

    Args:
        path: the file, local or a URL; ``.gz``, ``.bz2`` and ``.xz`` are unpacked.
        text: the column of the text.
        text_pair: that of the second text; None: there is one text alone.
        label: that of the label.
        labels: a label file; or the names of the classes in order; or of each word of the file the class that it means;
            None: the words that occur, in alphabetical order.
        numeric: whether labels are numbers instead of classes.
        multi_label: columns that say by 1 or 0 whether a row belongs to the class of that name; instead of ``label``.
        group: the column that says which rows belong together, such as the answers of a question.
        columns: the names of the columns of a file without a header.
        only: rows count where these columns have these values, such as ``{language: zh}``; a file without such a column
            has none of other values.
        separator: what is between two columns.
        quoting: whether fields may be in double quotes, and then hold separators and line ends, as CSV files have it.
        bad_rows: what to do with a row with missing or extra columns, or with an empty text: "refuse"; or "skip", which
            warns of how many there are.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a row, its text or its label is wrong; names file and line.
    """

    def __init__(
        self,
        path: str,
        text: Column = "text",
        text_pair: Optional[Column] = None,
        label: Column = "label",
        labels: Labels = None,
        numeric: bool = False,
        multi_label: Optional[list[str]] = None,
        group: Optional[str] = None,
        columns: Optional[list[str]] = None,
        only: Optional[dict[str, str]] = None,
        separator: str = "\t",
        quoting: bool = False,
        bad_rows: Literal["refuse", "skip"] = "refuse",
        transform: Optional[Transform] = None,
    ) -> None:
        if numeric + (labels is not None) + (multi_label is not None) > 1:
            raise ValueError(f"{path}: of numeric, labels and multi_label only one can be given")
        wanted = {
            name: [column] if isinstance(column, str) else list(column)
            for name, column in (("text", text), ("text_pair", text_pair), ("group", group))
            if column is not None
        }
        marks = _Marks(path, [label] if isinstance(label, str) else list(label), labels, numeric, multi_label)
        found = {name: Texts() for name in wanted}
        lines = array("q")
        bad = _BadRows(path, bad_rows == "skip")
        headings = [wanted[name] for name in ("text", "text_pair") if name in wanted]
        for line, row in _rows(path, columns, headings, separator, quoting, bad):
            if any(row.get(column, value) != value for column, value in (only or {}).items()):
                continue
            values = {name: _picked(row, names, f"{path}:{line}") for name, names in wanted.items()}
            empty = next((name for name, value in values.items() if not value.strip()), None)
            if empty is not None:
                bad.add(line, f"the {empty.replace('_pair', ' of the pair')} is empty")
                continue
            marks.append(row, line)
            lines.append(line)
            for name, value in values.items():
                found[name].append(value)
        bad.report()
        super().__init__({**found, **marks.column()}, marks.names(), path, lines, transform)
        self.multi_label = multi_label is not None


class _BadRows:
    """Refuses rows, or counts those that are passed over."""

    def __init__(self, path: str, skip: bool) -> None:
        self.path, self.skip = path, skip
        self.found: list[int] = []

    def add(self, line: int, problem: str) -> None:
        if not self.skip:
            raise ValueError(f"{self.path}:{line}: {problem}; put it right, or pass over such rows (bad_rows: skip)")
        self.found.append(line)

    def report(self) -> None:
        if self.found:
            warnings.warn(
                f"{self.path}: {len(self.found)} rows with missing or extra columns or empty texts are left out, the "
                f"first is line {self.found[0]}",
                stacklevel=4,
            )


class _Marks:
    """The labels of the rows."""

    def __init__(
        self, path: str, names: list[str], labels: Labels, numeric: bool, several: Optional[list[str]]
    ) -> None:
        self.path, self.columns, self.several = path, names, several
        self.gathered: Any = NumberLabels() if numeric else ClassLabels(labels) if several is None else None
        if several is not None:
            self.columns, self.gathered = list(several), SeveralLabels(several)
        self.labelled: Optional[bool] = None

    def append(self, row: Mapping[str, Any], line: int) -> None:
        present = [name for name in self.columns if name in row]
        labelled = bool(present) if self.several is None else len(present) == len(self.columns)
        if present and not labelled or self.labelled not in (None, labelled):
            missing = next((name for name in self.columns if name not in row), self.columns[0])
            raise ValueError(f"{self.path}:{line}: the label {missing!r} is missing, which others have")
        self.labelled = labelled
        if labelled:
            where = f"{self.path}:{line}"
            if self.several is not None:
                self.gathered.append([row[name] for name in self.columns], where)
            else:
                self.gathered.append(_text(row[present[0]]), where)

    def column(self) -> dict[str, Any]:
        return {"label": self.gathered.values()} if self.labelled else {}

    def names(self) -> list[str]:
        return list(getattr(self.gathered.values(), "names", ()))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _picked(row: Mapping[str, Any], names: Sequence[str], where: str) -> str:
    for name in names:
        if name in row:
            if not isinstance(row[name], (str, int)):
                raise ValueError(f"{where}: {name!r} must be a text, not {shown(row[name])}")
            return str(row[name])
    raise ValueError(f"{where}: there is no {' or '.join(map(repr, names))}, but {shown(list(row))}")


def _rows(
    path: str,
    columns: Optional[Sequence[str]],
    headings: Sequence[Sequence[str]],
    separator: str,
    quoting: bool,
    bad: _BadRows,
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Iterate over the rows of a file as mappings, with their lines."""
    if path.lower().endswith(_JSON):
        yield from json_lines(path)
        return
    names: Optional[Sequence[str]] = None
    for line, fields in _quoted(path, separator) if quoting else _split(path, separator):
        if names is None:
            stripped = [field.strip() for field in fields]
            if all(any(name in stripped for name in heading) for heading in headings):
                names = stripped
                continue
            if columns is None:
                asked = " and ".join(" or ".join(map(repr, heading)) for heading in headings)
                raise ValueError(f"{path}:{line}: the header must name {asked}, but is {shown(fields)}")
            names = columns
        if len(fields) != len(names):
            named = ", ".join(names)
            bad.add(line, f"the row has {len(fields)} columns, not {len(names)} ({one_line(named, 200)})")
            continue
        yield line, dict(zip(names, fields))


def _split(path: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    for line, text in text_lines(path):
        if text.strip():
            yield line, text.split(separator)


def _quoted(path: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Iterate over the rows of a CSV file, whose quoted fields may hold line ends."""
    start = 0

    def numbered() -> Iterator[str]:
        nonlocal start
        for number, text in text_lines(path, blank=True):
            start = start or number
            yield text + "\n"

    reader = csv.reader(numbered(), delimiter=separator, strict=True)
    while True:
        start = 0
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(f"{path}:{start}: not a row of a CSV file: {one_line(error)}") from None
        if fields:
            yield start, fields
