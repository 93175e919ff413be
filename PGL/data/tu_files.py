"""Sets of graphs in the text files of TU Dortmund's collection: DS_A.txt and the others that go with it.

Format: Morris et al., "TUDataset: A collection of benchmark datasets for learning with graphs", 2020,
https://arxiv.org/abs/2007.08663, https://chrsmrrs.github.io/datasets/docs/format/
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from PGL.data.source import PathLike
from PGL.data.text import fields, lines, read_text

_HOME = "https://chrsmrrs.github.io/datasets/"
_LARGEST = float(np.finfo(np.float32).max)


class TUGraphs(NamedTuple):
    """Graphs side by side, nodes and edges of a graph together.

    Args:
        edges: (source, target), int64 [edges, 2]; nodes are numbered from 0 on through all graphs.
        node_starts: where the nodes of each graph begin, and the end, int64 [graphs + 1].
        edge_starts: likewise of its edges.
        graph_labels: the file's number for each graph's class, int64 [graphs], or None.
        node_labels: numbers of kinds, int64 [nodes, columns], or None.
        node_attributes: float32 [nodes, columns], or None.
        edge_labels: int64 [edges, columns], or None.
        edge_attributes: float32 [edges, columns], or None.
    """

    edges: np.ndarray
    node_starts: np.ndarray
    edge_starts: np.ndarray
    graph_labels: Optional[np.ndarray] = None
    node_labels: Optional[np.ndarray] = None
    node_attributes: Optional[np.ndarray] = None
    edge_labels: Optional[np.ndarray] = None
    edge_attributes: Optional[np.ndarray] = None


def tu_files(folder: PathLike, prefix: Optional[str] = None) -> Path:
    """Return the path of a set's files without their endings, such as DATA/MUTAG/MUTAG.

    Args:
        folder: the folder that holds them, or a folder of their name.
        prefix: the set's name; None: the one that is there.

    Raises:
        FileNotFoundError: there is no DS_A.txt.
        ValueError: there are several, and no name is given.
    """
    root = Path(folder)
    if prefix is None:
        found = sorted(root.glob("*_A.txt")) or sorted(root.glob("*/*_A.txt"))
        if len(found) > 1:
            names = ", ".join(path.name.removesuffix("_A.txt") for path in found)
            raise ValueError(f"{os.fspath(folder)!r} holds the sets {names:.200}; say which with prefix")
        if found:
            return found[0].with_name(found[0].name.removesuffix("_A.txt"))
    for place in (root, root / str(prefix)):
        if prefix is not None and (place / f"{prefix}_A.txt").is_file():
            return place / prefix
    raise FileNotFoundError(
        f"the folder {os.fspath(folder)!r} lacks {prefix or 'DS'}_A.txt, {prefix or 'DS'}_graph_indicator.txt"
        " and the others"
        f" of a set of graphs; such sets come from {_HOME}"
    )


def read_tu_graphs(folder: PathLike, prefix: Optional[str] = None, maximum_bytes: Optional[int] = None) -> TUGraphs:
    """Read a set of graphs.

    Args:
        folder: as of :func:`tu_files`.
        prefix: likewise.
        maximum_bytes: how many bytes a packed file may unpack to.

    Returns:
        The graphs; edges are ordered by graph.

    Raises:
        FileNotFoundError: DS_A.txt or DS_graph_indicator.txt is missing.
        ValueError: a line is of another form, files differ in length, or an edge leads from one graph to another.
    """
    base = tu_files(folder, prefix)

    def table(
        ending: str, kind: Any, columns: Optional[int] = None, rows: Optional[int] = None
    ) -> Optional[np.ndarray]:
        path = base.with_name(f"{base.name}_{ending}.txt")
        if not path.is_file():
            return None
        found = read_table(path, kind, columns, maximum_bytes)
        if rows is not None and len(found) != rows:
            of = "edges in DS_A.txt" if ending.startswith("edge") else "nodes in DS_graph_indicator.txt"
            raise ValueError(f"{os.fspath(path)!r} has {len(found)} lines for {rows} {of.replace('DS', base.name)}")
        return found

    pairs, indicator = table("A", np.int64, 2), table("graph_indicator", np.int64, 1)
    where = os.fspath(base)
    if pairs is None or indicator is None or not len(indicator):
        raise FileNotFoundError(
            f"{where + '_graph_indicator.txt'!r} is missing or empty: a line for each node says its graph"
        )
    owners = _owners(indicator[:, 0], f"{where}_graph_indicator.txt")
    count, edges = int(owners[-1]) + 1, pairs - 1
    bad = np.flatnonzero(((edges < 0) | (edges >= len(owners))).any(axis=1))
    if len(bad):
        raise ValueError(
            f"{where + '_A.txt'!r}: edge {bad[0] + 1} is {pairs[bad[0]].tolist()}, and nodes are numbered from 1"
            f" to {len(owners)}"
        )
    ends = owners[edges]
    bad = np.flatnonzero(ends[:, 0] != ends[:, 1])
    if len(bad):
        first, second = ends[bad[0]] + 1
        raise ValueError(f"{where + '_A.txt'!r}: edge {bad[0] + 1} leads from graph {first} to graph {second}")
    labels = table("graph_labels", np.int64, 1)
    if labels is not None and len(labels) != count:
        raise ValueError(
            f"{where + '_graph_labels.txt'!r} has {len(labels)} lines for {count} graphs in"
            f" {base.name}_graph_indicator.txt"
        )
    order = np.argsort(ends[:, 0], kind="stable")
    edge_labels, edge_attributes = (
        None if found is None else found[order]
        for found in (
            table("edge_labels", np.int64, None, len(edges)),
            table("edge_attributes", np.float32, None, len(edges)),
        )
    )
    return TUGraphs(
        edges[order],
        np.searchsorted(owners, np.arange(count + 1)),
        np.searchsorted(ends[order, 0], np.arange(count + 1)),
        None if labels is None else labels[:, 0],
        table("node_labels", np.int64, None, len(owners)),
        table("node_attributes", np.float32, None, len(owners)),
        edge_labels,
        edge_attributes,
    )


def _owners(indicator: np.ndarray, where: str) -> np.ndarray:
    """Return the graph of each node from 0 on; each has a node, and its nodes are together."""
    steps = np.diff(indicator, prepend=0)
    bad = np.flatnonzero((steps < 0) | (steps > 1))
    if indicator[0] != 1 or len(bad):
        node = 0 if indicator[0] != 1 else bad[0]
        before = f" after {indicator[node - 1]}" if node else ""
        raise ValueError(
            f"{where!r}: node {node + 1} is of graph {indicator[node]}{before}; graphs are numbered from 1 on,"
            " and the nodes "
            "of each stand together"
        )
    return indicator - 1


def read_table(path: PathLike, kind: Any, columns: Optional[int], maximum_bytes: Optional[int] = None) -> np.ndarray:
    """Read lines of numbers with commas between them.

    Args:
        path: the file.
        kind: np.int64, or np.float32 for finite numbers.
        columns: how many a line has; None: as many as the first.
        maximum_bytes: how many bytes a packed file may unpack to.

    Returns:
        [lines, columns].

    Raises:
        FileNotFoundError: there is no file.
        ValueError: a line is of another form; names it.
    """
    text = read_text(path, maximum_bytes)
    parsed = np.int64 if kind is np.int64 else np.float64
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "loadtxt: input contained no data")
            found = np.loadtxt(lines(text), parsed, delimiter=",", ndmin=2)
    except (ValueError, OverflowError, Warning):
        raise _first_error(text, path, parsed, columns) from None
    if not found.size:
        found = found.reshape(0, columns or 1)
    if columns is not None and found.shape[1] != columns or "_" in text:
        raise _first_error(text, path, parsed, columns)
    if parsed is np.float64 and not (np.abs(found) <= _LARGEST).all():
        raise _first_error(text, path, parsed, columns)
    return found.astype(kind, copy=False)


def _first_error(text: str, path: PathLike, kind: Any, columns: Optional[int]) -> ValueError:
    """Return what is wrong with the first line that is."""
    where = repr(os.fspath(path))
    for number, line in enumerate(lines(text), 1):
        row = fields(line, ",")
        columns = columns or len(row) or None
        if not row:
            continue
        if len(row) != columns:
            return ValueError(f"{where}, line {number}: {len(row)} columns where {columns} belong")
        for field in row:
            if not _is_number(field, kind):
                what = "a whole number" if kind is np.int64 else "a finite number"
                return ValueError(f"{where}, line {number}: {what} belongs there, not {field[:80]!r}")
    return ValueError(f"{where} is no table of numbers")


def _is_number(field: str, kind: Any) -> bool:
    try:
        if "_" in field:
            return False
        return -(2**63) <= int(field) < 2**63 if kind is np.int64 else abs(float(field)) <= _LARGEST
    except ValueError:
        return False
