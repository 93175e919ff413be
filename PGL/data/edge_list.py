"""Edge lists: text files with an edge a line, plain or gzipped, with weights, with types."""

from __future__ import annotations

import os
import warnings
from typing import Any, NamedTuple, Optional

import numpy as np

from PGL.data.source import PathLike
from PGL.data.text import delimiter_of, fields, lines, read_text

_LARGEST_WEIGHT = float(np.finfo(np.float32).max)


class EdgeList(NamedTuple):
    """What an edge list holds, in the order of its lines.

    Args:
        edges: int64 of shape [edges, 2]: sources and targets.
        weights: float32 of shape [edges], or None.
        types: the number of each edge's type, int64 of shape [edges], or None.
        type_names: the types by number, in the order in which they first occur, or None.
        node_names: the ids that the nodes have in the file, ascending, where they were numbered again; or None.
    """

    edges: np.ndarray
    weights: Optional[np.ndarray] = None
    types: Optional[np.ndarray] = None
    type_names: Optional[list[str]] = None
    node_names: Optional[np.ndarray] = None

    def edges_by_type(self) -> dict[str, np.ndarray]:
        """Return the edges of each type, as :class:`PGL.HeterGraph` takes them.

        Raises:
            ValueError: they have no types.
        """
        if self.types is None or self.type_names is None:
            raise ValueError("this edge list was read without types: give typed=True")
        return {name: self.edges[self.types == number] for number, name in enumerate(self.type_names)}


def read_edge_list(
    path: PathLike,
    weighted: bool = False,
    typed: bool = False,
    delimiter: Optional[str] = None,
    renumber: bool = False,
    maximum_bytes: Optional[int] = None,
) -> EdgeList:
    """Read an edge list.

    A line is ``source target [weight] [type]``; empty lines, and what follows a ``#``, are left out. Edges that occur
    several times and self loops are kept.

    Args:
        path: the file, plain or gzipped.
        weighted: whether a third column gives the edge's weight.
        typed: whether the last column gives the edge's type, any text.
        delimiter: what is between columns; None: a comma in .csv files, a tab in .tsv files, blanks and tabs in others.
        renumber: whether nodes are numbered from 0 on in the order of their ids, for files whose ids have gaps.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the file's size, whichever is more.

    Returns:
        The edges.

    Raises:
        FileNotFoundError: there is no file.
        ValueError: a line has other columns, a negative id or a weight that is no number; names the line. Or the file
            is no text, damaged, or unpacks to too much.
    """
    text, delimiter = read_text(path, maximum_bytes), delimiter_of(path, delimiter)
    columns: list[tuple[str, type]] = [("source", np.int64), ("target", np.int64)]
    if weighted:
        columns.append(("weight", np.float64))
    if typed:
        columns.append(("type", object))
    try:
        table = _table(text, columns, delimiter)
    except (ValueError, OverflowError):
        raise _first_error(text, path, columns, delimiter) from None
    edges = np.stack([table["source"], table["target"]], axis=1)
    if (edges < 0).any() or weighted and not (np.abs(table["weight"]) <= _LARGEST_WEIGHT).all():
        raise _first_error(text, path, columns, delimiter)
    weights = table["weight"].astype(np.float32) if weighted else None
    types = type_names = node_names = None
    if typed:
        numbers: dict[str, int] = {}
        types = np.array([numbers.setdefault(name.strip(), len(numbers)) for name in table["type"]], np.int64)
        type_names = list(numbers)
    if renumber:
        node_names, places = np.unique(edges, return_inverse=True)
        edges = places.reshape(edges.shape)
    return EdgeList(edges, weights, types, type_names, node_names)


def read_node_types(
    path: PathLike, delimiter: Optional[str] = None, maximum_bytes: Optional[int] = None
) -> list[tuple[int, str]]:
    """Read the types of nodes: lines ``id type``.

    Args:
        path: the file, plain or gzipped.
        delimiter: as of :func:`read_edge_list`.
        maximum_bytes: as of :func:`read_edge_list`.

    Returns:
        Pairs (id, type), as :class:`PGL.HeterGraph` takes them.

    Raises:
        FileNotFoundError: there is no file.
        ValueError: a line is of another form; names it.
    """
    text, columns = read_text(path, maximum_bytes), [("id", np.int64), ("type", object)]
    delimiter = delimiter_of(path, delimiter)
    try:
        table = _table(text, columns, delimiter)
    except (ValueError, OverflowError):
        raise _first_error(text, path, columns, delimiter) from None
    if (table["id"] < 0).any():
        raise _first_error(text, path, columns, delimiter)
    return [(node, name.strip()) for node, name in table.tolist()]


def _table(text: str, columns: list[tuple[str, Any]], delimiter: Optional[str]) -> np.ndarray:
    """Return the columns by name; those of type object hold text."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")
        return np.loadtxt(lines(text), columns, comments="#", delimiter=delimiter, ndmin=1)


def _first_error(text: str, path: PathLike, columns: list[tuple[str, Any]], delimiter: Optional[str]) -> ValueError:
    """Return what is wrong with the first line that is."""
    for number, line in enumerate(lines(text), 1):
        row = fields(line, delimiter)
        where = f"{os.fspath(path)!r}, line {number}"
        if not row:
            continue
        if len(row) != len(columns):
            names = ", ".join(name for name, _ in columns)
            return ValueError(f"{where}: {len(row)} columns where {len(columns)} belong: {names}")
        for field, (name, kind) in zip(row, columns):
            if not _is_right(field, kind):
                what = "a finite number" if kind is np.float64 else "a whole number of at least 0, below 2^63"
                return ValueError(f"{where}: {name} must be {what}, not {field[:80]!r}")
    return ValueError(f"{os.fspath(path)!r} is no edge list")


def _is_right(field: str, kind: Any) -> bool:
    if kind is object:
        return True
    try:
        return "_" not in field and (
            abs(float(field)) <= _LARGEST_WEIGHT if kind is np.float64 else 0 <= int(field) < 2**63
        )
    except ValueError:
        return False
