"""What is known of the nodes of a graph of one's own: features, labels and splits, from arrays or lines of text.

Files that end in .npy or .npz are arrays, of which row i belongs to node i. All others are text, plain or gzipped:
lines that begin with a node's id, in any order, with a header or without.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Optional, Union

import numpy as np

from PGL.data.arrays import read_arrays, read_one_array
from PGL.data.source import PathLike
from PGL.data.text import delimiter_of, is_id, numbered_rows, read_text

NO_LABEL = -1
"""Of a node, in arrays of labels; in text, too."""
SPLITS = {"train": ("train",), "valid": ("valid", "val", "validation", "dev"), "test": ("test",)}
"""Splits, and the names that a file may give them."""
_SUFFIXES = ("", "_index", "_idx", "_mask")
_LARGEST = float(np.finfo(np.float32).max)


class NodeTable(NamedTuple):
    """Something of each node.

    Args:
        values: a row for each node that the file speaks of.
        ids: these nodes' ids, int64; None: they are 0, 1, 2, ...
    """

    values: np.ndarray
    ids: Optional[np.ndarray] = None


def is_array_file(path: PathLike) -> bool:
    """Return whether a file is of arrays, as its name says."""
    return Path(path).suffix in (".npy", ".npz")


def read_features(path: PathLike, delimiter: Optional[str] = None, maximum_bytes: Optional[int] = None) -> NodeTable:
    """Read features of nodes: an array [nodes, size], in an .npz file called "features" or "x"; or lines ``id number
    ...``.

    Args:
        path: the file.
        delimiter: what is between columns; None: as :func:`PGL.data.text.delimiter_of` says.
        maximum_bytes: how many bytes a packed file may unpack to; None: 2 GB or 200 times its size.

    Returns:
        float32 [rows, size].

    Raises:
        FileNotFoundError: there is no file.
        ValueError: it is no table of finite numbers; names the line, or the row and column. Or a node occurs twice.
    """
    where = repr(os.fspath(path))
    if is_array_file(path):
        array = read_one_array(path, ("features", "x"), maximum_bytes)
        if array.ndim != 2 or array.dtype.kind not in "biuf" or not array.shape[1]:
            raise ValueError(f"{where} must be numbers [nodes, features], not {array.dtype} {list(array.shape)}")
        bad = np.argwhere(~(np.abs(array) <= _LARGEST)) if array.dtype.kind == "f" else np.empty((0, 2), int)
        if len(bad):
            node, column = bad[0]
            raise ValueError(f"{where}: feature {column} of node {node} is {array[node, column]} ({len(bad)} like it)")
        return NodeTable(np.array(array, np.float32))
    ids: list[int] = []
    rows: list[np.ndarray] = []
    for number, row in numbered_rows(read_text(path, maximum_bytes), delimiter_of(path, delimiter)):
        ids.append(_id(row[0], where, number))
        if rows and len(row) - 1 != len(rows[0]) or len(row) < 2:
            wanted = f"{len(rows[0])} features" if rows else "features"
            raise ValueError(f"{where}, line {number}: {len(row) - 1} numbers behind the id where {wanted} belong")
        rows.append(_numbers(row, where, number))
    if not rows:
        raise ValueError(f"{where} has no lines of an id and features")
    return NodeTable(np.stack(rows), _once(ids, where))


def _numbers(row: Sequence[str], where: str, number: int) -> np.ndarray:
    """Return the columns behind the id as float32."""
    try:
        values = np.array(row[1:], np.float64)
        if (np.abs(values) <= _LARGEST).all() and not any("_" in field for field in row[1:]):
            return values.astype(np.float32)
    except ValueError:
        pass
    column = next(i for i, field in enumerate(row[1:], 2) if not _is_finite(field))
    raise ValueError(f"{where}, line {number}: column {column} must be a finite number, not {row[column - 1][:80]!r}")


def _is_finite(field: str) -> bool:
    try:
        return "_" not in field and abs(float(field)) <= _LARGEST
    except ValueError:
        return False


class Labels(NamedTuple):
    """Classes of nodes.

    Args:
        y: int64: for each row a class, -1 for none; or, where a node may be in several, 1 for each of its: [rows,
            classes].
        class_names: the classes' names by number.
        ids: the nodes' ids, int64; None: they are 0, 1, 2, ...
    """

    y: np.ndarray
    class_names: list[str]
    ids: Optional[np.ndarray] = None


def read_labels(
    path: PathLike, several: bool = False, delimiter: Optional[str] = None, maximum_bytes: Optional[int] = None
) -> Labels:
    """Read classes of nodes: an array, in an .npz file called "labels" or "y"; or lines ``id class``.

    An array of shape [nodes] has a whole number for each node, -1 for none; one of shape [nodes, classes] has 1 for
    each of a node's classes. In text a class is any word; classes are numbered in the order of numbers, or of the
    alphabet.

    Args:
        path: the file.
        several: whether a node may have several classes; in text it has a line for each.
        delimiter: as of :func:`read_features`.
        maximum_bytes: likewise.

    Raises:
        FileNotFoundError: there is no file.
        ValueError: a line or an array is of another form, or a node has two classes.
    """
    where = repr(os.fspath(path))
    if is_array_file(path):
        array = read_one_array(path, ("labels", "y"), maximum_bytes)
        wanted = "0 and 1 [nodes, classes]" if several else "whole numbers [nodes]"
        whole = array.dtype.kind in "biu" and array.dtype != np.uint64
        if array.ndim != (2 if several else 1) or not whole or several and not np.isin(array, (0, 1)).all():
            raise ValueError(f"{where}: labels must be {wanted}, not {array.dtype} {list(array.shape)}")
        if several:
            return Labels(np.array(array, np.int64), [str(number) for number in range(array.shape[1])])
        if array.size and int(array.min()) < NO_LABEL:
            node = int(np.argmin(array))
            raise ValueError(f"{where}: the label of node {node} is {array[node]}; -1 stands for none")
        classes = np.unique(array[np.asarray(array) != NO_LABEL])
        y = np.where(array == NO_LABEL, NO_LABEL, np.searchsorted(classes, array))
        return Labels(y.astype(np.int64), [str(number) for number in classes.tolist()])
    found: dict[tuple[int, str], int] = {}
    for number, row in numbered_rows(read_text(path, maximum_bytes), delimiter_of(path, delimiter)):
        node = _id(row[0], where, number)
        if len(row) != 2 or not row[1]:
            raise ValueError(f"{where}, line {number}: {len(row)} columns where 2 belong: id, class")
        if row[1] != str(NO_LABEL):
            found.setdefault((node, row[1]), number)
    names = _ordered({name for _, name in found})
    if several:
        ids, places = np.unique(np.array([node for node, _ in found], np.int64), return_inverse=True)
        y = np.zeros((len(ids), len(names)), np.int64)
        numbers = {name: number for number, name in enumerate(names)}
        y[places.reshape(-1), [numbers[name] for _, name in found]] = 1
        return Labels(y, names, ids)
    first: dict[int, str] = {}
    for (node, name), number in found.items():
        if first.setdefault(node, name) != name:
            raise ValueError(
                f"{where}, line {number}: node {node} is {name!r}, and was {first[node]!r} before; a node of"
                " several classes"
                " needs several_labels: true"
            )
    numbers = {name: number for number, name in enumerate(names)}
    return Labels(np.array([numbers[name] for name in first.values()], np.int64), names, np.array([*first], np.int64))


def _ordered(names: set[str]) -> list[str]:
    """Return names in the order of the numbers that they are, or of the alphabet."""
    return sorted(names, key=int) if all(map(is_id, names)) else sorted(names)


def read_splits(
    path: PathLike, delimiter: Optional[str] = None, maximum_bytes: Optional[int] = None
) -> dict[str, np.ndarray]:
    """Read which nodes are for training, validation and test.

    An .npz file has arrays "train", "valid" (or "val") and "test", of ids or of true and false for each node; the
    names may end in "_index", "_idx" or "_mask". Lines of text are ``id split``.

    Args:
        path: the file.
        delimiter: as of :func:`read_features`.
        maximum_bytes: likewise.

    Returns:
        The ids of each split, int64; "valid" and "test" may be empty.

    Raises:
        FileNotFoundError: there is no file.
        ValueError: a line or an array is of another form, a node is in two splits, or none is for training.
    """
    where = repr(os.fspath(path))
    parts: Mapping[str, Union[np.ndarray, list[int]]]
    if is_array_file(path):
        if Path(path).suffix == ".npy":
            raise ValueError(f"{where}: splits are an .npz file of train, valid and test, or lines of text")
        parts = _split_arrays(read_arrays(path, (), maximum_bytes), where)
    else:
        known = {alias: split for split, aliases in SPLITS.items() for alias in aliases}
        parts = {split: [] for split in SPLITS}
        for number, row in numbered_rows(read_text(path, maximum_bytes), delimiter_of(path, delimiter)):
            node = _id(row[0], where, number)
            if len(row) != 2 or row[1].lower() not in known:
                text = ", ".join(SPLITS)
                raise ValueError(
                    f"{where}, line {number}: an id and a split ({text}) belong there, not {row[1:]!r:.80}"
                )
            parts[known[row[1].lower()]].append(node)  # type: ignore[union-attr]  # lists, in this branch
    splits = {split: np.asarray(ids, np.int64) for split, ids in parts.items()}
    check_splits(splits, where)
    return splits


def _split_arrays(arrays: Mapping[str, np.ndarray], where: str) -> dict[str, np.ndarray]:
    """Return the ids of each split that an .npz file has."""
    found = {}
    for split, aliases in SPLITS.items():
        names = [name for alias in aliases for suffix in _SUFFIXES if (name := alias + suffix) in arrays]
        array = arrays[names[0]] if names else np.empty(0, np.int64)
        if array.ndim != 1 or array.dtype.kind not in "biu" or array.dtype == np.uint64:
            raise ValueError(
                f"{where}: {names[0]} must be ids or true and false [nodes], not {array.dtype} {list(array.shape)}"
            )
        found[split] = np.flatnonzero(array) if array.dtype == bool else array.astype(np.int64)
    return found


def check_splits(splits: Mapping[str, np.ndarray], where: str) -> None:
    """Check that a node is in one split at most, and some are for training.

    Raises:
        ValueError: one is in two; names it. Or none is for training.
    """
    ids = np.concatenate([splits[split] for split in SPLITS])
    if not len(splits["train"]):
        raise ValueError(f"{where} has no nodes for training")
    unique, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        node = unique[counts > 1][0]
        parts = [split for split in SPLITS for one in splits[split] if one == node]
        text = f"{parts[0]} and {parts[1]}" if parts[0] != parts[1] else f"{parts[0]} twice"
        raise ValueError(f"{where}: node {node} is in {text} ({int((counts > 1).sum())} nodes like it)")


def drawn_splits(y: np.ndarray, train: float, valid: float, seed: int) -> dict[str, np.ndarray]:
    """Return splits that are drawn among the nodes with a label; of each class one node at least is for training.

    Args:
        y: int64 [nodes], -1 for none; or [nodes, classes].
        train: the share for training.
        valid: the share for validation; the others are for the test.
        seed: what they follow from.
    """
    nodes = np.flatnonzero(y.any(axis=1) if y.ndim == 2 else y != NO_LABEL)
    order = np.random.default_rng(seed).permutation(nodes)
    if y.ndim == 1:  # the first of each class in front
        first = np.sort(np.unique(y[order], return_index=True)[1])
        order = np.concatenate([order[first], np.delete(order, first)])
    begin, end = round(train * len(order)), round((train + valid) * len(order))
    return {"train": order[:begin], "valid": order[begin:end], "test": order[end:]}


def _id(field: str, where: str, number: int) -> int:
    if not is_id(field):
        raise ValueError(
            f"{where}, line {number}: id must be a whole number of at least 0, below 2^63, not {field[:80]!r}"
        )
    return int(field)


def _once(ids: Sequence[int], where: str) -> np.ndarray:
    """Return ids as an array, of which none may occur twice."""
    array = np.array(ids, np.int64)
    unique, counts = np.unique(array, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"{where}: node {unique[counts > 1][0]} has {counts.max()} lines")
    return array
