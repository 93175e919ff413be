"""A graph of one's own, from an edge list in a folder, with what is known of its nodes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional, Union

import numpy as np

from core.weights.compressed import file_limit
from core.weights.limits import LimitError
from PGL.data.edge_list import EdgeList, read_edge_list, read_node_types
from PGL.data.node_tables import (
    NO_LABEL,
    SPLITS,
    Labels,
    NodeTable,
    drawn_splits,
    is_array_file,
    read_features,
    read_labels,
    read_splits,
)
from PGL.graph import Graph
from PGL.heter_graph import HeterGraph

_OWNER = "EdgeListDataset"


class EdgeListDataset:
    """The graph of an edge list; typed edges make a :class:`PGL.HeterGraph`.

    Files of features, labels and splits are .npy or .npz arrays, of which row i belongs to node i (to the i-th id in
    ascending order, where nodes are numbered again), or text whose lines begin with a node's id;
    see :mod:`PGL.data.node_tables`.

    Args:
        file: the edge list's name in the folder, plain or gzipped; see :func:`PGL.data.read_edge_list`.
        weighted: whether a column gives weights; they become the edge feature "weight".
        typed: whether the last column gives types.
        node_types: the name of a file of lines ``id type``, for typed edges.
        features: the name of a file of the nodes' features; they become the node feature "features".
        labels: the name of a file of the nodes' classes.
        several_labels: whether a node may be in several classes.
        splits: the name of a file that says which nodes are for training, validation and test; None: labelled nodes are
            drawn.
        train_ratio: which share is drawn for training.
        valid_ratio: which share is drawn for validation; the others are for the test.
        seed: what the draw follows from.
        symmetry_edges: whether each edge is added in the other direction too, with its weight; a self loop is not.
        self_loop: whether each node that has no edge to itself gets one, of weight 1.
        delimiter: what is between columns of text; None: a comma in .csv files, a tab in .tsv files, blanks in others.
        renumber: whether nodes are numbered from 0 on in the order of their ids.
        root: the folder.
        maximum_bytes: how many bytes a file may unpack to, and the nodes up to its largest id may take at 8 bytes each;
            None: 2 GB or 200 times its size, whichever is more.

    Attributes:
        graph: the graph.
        node_names: the ids that the nodes have in the files, where they were numbered again; otherwise None.
        y: int64: each node's class, -1 for none; with ``several_labels`` 1 for each of its: [nodes, classes]; None
            without labels.
        num_classes: how many classes there are.
        class_names: their names by number.
        train_index: the nodes for training, int64; ``val_index`` and ``test_index`` are the others.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a line is of another form; files do not fit each other; or arguments do not go together.
    """

    def __init__(
        self,
        file: str = "edges.txt",
        weighted: bool = False,
        typed: bool = False,
        node_types: Optional[str] = None,
        features: Optional[str] = None,
        labels: Optional[str] = None,
        several_labels: bool = False,
        splits: Optional[str] = None,
        train_ratio: float = 0.6,
        valid_ratio: float = 0.2,
        seed: int = 0,
        symmetry_edges: bool = False,
        self_loop: bool = False,
        delimiter: Optional[str] = None,
        renumber: bool = False,
        root: Optional[str] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        if root is None:
            raise ValueError(
                f"{_OWNER}: give root, the folder of {file!r} (--data FOLDER): an edge list of your own has no address"
            )
        if typed and (symmetry_edges or self_loop):
            raise ValueError(f"{_OWNER}: typed edges keep their direction; leave symmetry_edges and self_loop out")
        if node_types is not None and not typed:
            raise ValueError(f"{_OWNER}: node_types belongs to typed edges; give typed=True")
        if node_types is not None and renumber:
            raise ValueError(f"{_OWNER}: node_types names ids of the file, so that nodes cannot be renumbered")
        if typed and features is not None:
            raise ValueError(f"{_OWNER}: a graph with types of edges takes labels and no features")
        if labels is None and splits is not None:
            raise ValueError(f"{_OWNER}: splits divides labelled nodes; give labels too")
        if not (0 < train_ratio <= 1 and 0 <= valid_ratio and train_ratio + valid_ratio <= 1 + 1e-9):
            raise ValueError(
                f"{_OWNER}: train_ratio and valid_ratio are shares that make at most 1, not {train_ratio} and"
                f" {valid_ratio}"
            )
        folder, limit = Path(root), maximum_bytes
        self._where = {"edges": folder / file}
        read = read_edge_list(folder / file, weighted, typed, delimiter, maximum_bytes=limit)
        table = known = None
        if features is not None:
            self._where["features"] = folder / features
            table = read_features(folder / features, delimiter, limit)
        if labels is not None:
            self._where["labels"] = folder / labels
            known = read_labels(folder / labels, several_labels, delimiter, limit)
        parts = None if splits is None else read_splits(folder / splits, delimiter, limit)
        ids, count = self._nodes(read.edges, table, known, renumber, limit)
        self.node_names = ids
        types = None if node_types is None else read_node_types(folder / node_types, delimiter, limit)
        if ids is not None:
            read = read._replace(edges=np.searchsorted(ids, read.edges))
        self.graph: Union[Graph, HeterGraph]
        if typed:
            self.graph = self._typed_graph(read, count, types)
            count = self.graph.num_nodes
        else:
            feature = None if table is None else {"features": _spread(table.values, table.ids, ids, count, 0.0)}
            self.graph = _graph(read, count, feature, symmetry_edges, self_loop)
        self.y: Optional[np.ndarray] = None
        self.num_classes, self.class_names = 0, list[str]()
        if known is not None:
            self.y = _spread(known.y, known.ids, ids, count, 0 if several_labels else NO_LABEL)
            self.num_classes, self.class_names = len(known.class_names), known.class_names
            if parts is None:
                where = f"{_OWNER}: train_ratio {train_ratio}"
                self._split(drawn_splits(self.y, train_ratio, valid_ratio, seed), where)
            else:
                where = repr(os.fspath(folder / str(splits)))
                by_id = self.node_names is not None and not is_array_file(str(splits))
                self._split(self._numbered(parts, where, by_id), where)

    def _nodes(
        self,
        edges: np.ndarray,
        table: Optional[NodeTable],
        known: Optional[Labels],
        renumber: bool,
        maximum_bytes: Optional[int],
    ) -> tuple[Optional[np.ndarray], int]:
        """Return the ids of all nodes where they are numbered again, and how many nodes there are."""
        named = {"features": table and table.ids, "labels": known and known.ids}
        rows = {"features": table and len(table.values), "labels": known and len(known.y)}
        counted = {name: count for name, count in rows.items() if count is not None and named[name] is None}
        everyone = [edges.reshape(-1), *(ids for ids in named.values() if ids is not None)]
        if renumber:
            ids = np.unique(np.concatenate(everyone))
            count = len(ids)
        else:
            ids = None
            count = max([int(one.max()) + 1 for one in everyone if one.size] + [0])
            self._check_count(everyone, count, maximum_bytes)
        for name, number in counted.items():
            path = repr(os.fspath(self._where[name]))
            if renumber and number != count:
                raise ValueError(f"{_OWNER}: {path} has {number} rows, and the files name {count} nodes")
            if not renumber and count > number:
                raise ValueError(f"{_OWNER}: {path} has {number} rows, and the files name node {count - 1}")
        if len(set(counted.values())) > 1:
            text = " and ".join(f"{number} in {os.fspath(self._where[name])!r}" for name, number in counted.items())
            raise ValueError(f"{_OWNER}: there must be as many rows of features as of labels, not {text}")
        count = max([count, *counted.values()])
        if table is not None and table.ids is not None and len(table.ids) < count:
            present = np.searchsorted(ids, table.ids) if ids is not None else table.ids
            place = np.setdiff1d(np.arange(count), present)[0] if count <= 10**8 else 0
            node = place if ids is None else ids[place]
            path = repr(os.fspath(self._where["features"]))
            raise ValueError(f"{_OWNER}: {path} lacks node {node} ({count - len(table.ids)} of {count} nodes)")
        return ids, count

    def _check_count(self, everyone: list[np.ndarray], count: int, maximum_bytes: Optional[int]) -> None:
        """Refuse ids so large that the nodes below them would fill the memory."""
        path = self._where["edges"]
        try:
            file_limit(path, maximum_bytes).check(8 * count)
        except LimitError:
            named = everyone[0].size and int(everyone[0].max()) == count - 1
            where = repr(os.fspath(path)) if named else "a file of nodes"
            raise ValueError(
                f"{_OWNER}: {where} names node {count - 1}, and every number below it "
                "is a node that takes memory; give renumber=True, or a larger maximum_bytes"
            ) from None

    def _typed_graph(self, read: EdgeList, count: int, types: Optional[list[tuple[int, str]]]) -> HeterGraph:
        edges = read.edges_by_type()
        if not edges:
            where = os.fspath(self._where["edges"])
            raise ValueError(f"{_OWNER}: {where!r} has no edges, and so no types of them")
        weights = None
        if read.weights is not None:
            weights = {name: {"weight": read.weights[read.types == n]} for n, name in enumerate(edges)}
        return HeterGraph(edges, count if types is None else None, types, None, weights)

    def _numbered(self, parts: dict[str, np.ndarray], where: str, by_id: bool) -> dict[str, np.ndarray]:
        """Return the numbers of the nodes of splits, each of which must have a label."""
        assert self.y is not None
        numbered, labelled, names = {}, _labelled(self.y), self.node_names
        for split, ids in parts.items():
            numbers, there = ids, (ids >= 0) & (ids < len(labelled))
            if by_id and names is not None:
                numbers = np.minimum(np.searchsorted(names, ids), len(names) - 1)
                there = names[numbers] == ids
            if not there.all():
                raise ValueError(f"{where}: node {ids[~there][0]} of {split} does not exist: there are {len(labelled)}")
            if not labelled[numbers].all():
                raise ValueError(f"{where}: node {ids[~labelled[numbers]][0]} of {split} has no label")
            numbered[split] = numbers
        return numbered

    def _split(self, parts: dict[str, np.ndarray], where: str) -> None:
        """Set which nodes are for training, validation and test; each class must be among those for training."""
        assert self.y is not None
        if not _labelled(self.y).any():
            raise ValueError(f"{_OWNER}: {os.fspath(self._where['labels'])!r} has no labels")
        if self.y.ndim == 1:
            learned = np.unique(self.y[parts["train"]])
            for split in ("valid", "test"):
                new = parts[split][~np.isin(self.y[parts[split]], learned)]
                if len(new):
                    name = self.class_names[self.y[new[0]]]
                    node = new[0] if self.node_names is None else self.node_names[new[0]]
                    raise ValueError(
                        f"{where}: node {node} of {split} is of class {name!r}, and no node for training is"
                    )
        self.train_index, self.val_index, self.test_index = (parts[split] for split in SPLITS)


def _labelled(y: np.ndarray) -> np.ndarray:
    """Return which nodes have a label, bool [nodes]."""
    return y.any(axis=1) if y.ndim == 2 else y != NO_LABEL


def _spread(
    values: np.ndarray, ids: Optional[np.ndarray], names: Optional[np.ndarray], count: int, missing: float
) -> np.ndarray:
    """Return rows in the order of the nodes, ``missing`` where there is none."""
    spread = np.full((count, *values.shape[1:]), missing, values.dtype)
    if ids is None:
        spread[: len(values)] = values
    else:
        spread[ids if names is None else np.searchsorted(names, ids)] = values
    return spread


def _graph(
    read: EdgeList, count: int, features: Optional[dict[str, np.ndarray]], symmetry_edges: bool, self_loop: bool
) -> Graph:
    edges, weight = read.edges, read.weights
    if symmetry_edges:
        other = np.flatnonzero(edges[:, 0] != edges[:, 1])
        edges = np.concatenate([edges, edges[other][:, ::-1]])
        weight = None if weight is None else np.concatenate([weight, weight[other]])
    if self_loop:
        new = np.setdiff1d(np.arange(count), edges[edges[:, 0] == edges[:, 1], 0])
        edges = np.concatenate([edges, np.stack([new, new], axis=1)])
        weight = None if weight is None else np.concatenate([weight, np.ones(len(new), np.float32)])
    return Graph(edges, count, features, None if weight is None else {"weight": weight})
