"""A set of graphs of one's own, or of TU Dortmund's collection, in a folder, in folds."""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np

from core.weights.compressed import file_limit
from core.weights.limits import LimitError
from PGL.data.graph_sets import GraphSet, Vocabulary, folded
from PGL.data.tu_files import TUGraphs, read_tu_graphs, tu_files

_OWNER = "TUDataset"
FEATURES = ("auto", "labels", "attributes", "degrees", "constant")


class TUDataset(GraphSet):
    """Graphs of a class each, from DS_A.txt, DS_graph_indicator.txt, DS_graph_labels.txt and what else there is.

    One fold is for the test, the next for validation, the others for training. Of each class every fold has as many
    graphs. Xu et al. (ICLR 2019) validate on the fold of the test and train on all others: ``paper_protocol``.

    Args:
        prefix: the set's name, DS; None: that of the one set in the folder.
        features: of nodes: "labels" (a place for each kind), "attributes", "degrees" (a place for each degree),
            "constant", or "auto": labels and attributes where there are files of them, degrees otherwise, as Xu et al.
            do.
        max_degree: the largest degree with a place of its own; larger ones share it.
        folds: how many folds there are.
        fold: the one for the test, from 0 on.
        paper_protocol: whether the test's fold is for validation, too, and all others are for training.
        seed: what the folds follow from.
        root: the folder.
        maximum_bytes: how many bytes a packed file may unpack to, and the features of all nodes may take; None: 2 GB
            or 200 times its size, whichever is more.

    Raises:
        FileNotFoundError: files are missing.
        ValueError: a line is of another form, files do not fit each other, or an argument is out of range.
    """

    def __init__(
        self,
        prefix: Optional[str] = None,
        features: str = "auto",
        max_degree: int = 500,
        folds: int = 10,
        fold: int = 0,
        paper_protocol: bool = False,
        seed: int = 0,
        root: Optional[str] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        if root is None:
            raise ValueError(f"{_OWNER}: give root, the folder of DS_A.txt and the others (--data FOLDER)")
        if features not in FEATURES:
            raise ValueError(f"{_OWNER}: features must be one of {', '.join(FEATURES)}, not {features!r}")
        if not 0 <= fold < folds or not 0 <= max_degree <= 100_000:
            raise ValueError(
                f"{_OWNER}: fold must be from 0 to below folds, and max_degree from 0 to 100,000, not {fold} of"
                f" {folds} and"
                f" {max_degree}"
            )
        read = read_tu_graphs(root, prefix, maximum_bytes)
        self._read, self._base = read, os.fspath(tu_files(root, prefix))
        node_labels: Any = read.node_labels
        node_attributes: Any = read.node_attributes
        labelled, described = node_labels is not None, node_attributes is not None
        if features in ("labels", "attributes") and not (labelled if features == "labels" else described):
            raise ValueError(f"{_OWNER}: features: {features} needs {self._base + '_node_' + features + '.txt'!r}")
        kinds = (
            [np.unique(c).tolist() for c in node_labels.T] if labelled and features in ("auto", "labels") else []
        )
        size = node_attributes.shape[1] if described and features in ("auto", "attributes") else 0
        by_degree = features == "degrees" or features == "auto" and not (labelled or described)
        degrees = int(min(_degrees(read).max(initial=0), max_degree)) if by_degree else None
        classes = [] if read.graph_labels is None else np.unique(read.graph_labels).tolist()
        vocabulary = Vocabulary(kinds, size, degrees, [str(label) for label in classes])
        try:
            file_limit(f"{self._base}_graph_indicator.txt", maximum_bytes).check(
                4 * vocabulary.size * int(read.node_starts[-1])
            )
        except LimitError:
            raise ValueError(
                f"{_OWNER}: {self._base + '_node_labels.txt'!r} has so many kinds of nodes,"
                f" {max(map(len, kinds), default=0):,}, that"
                " features would fill the memory; give features: degrees, or a larger maximum_bytes"
            ) from None
        y = None if read.graph_labels is None else np.searchsorted(classes, read.graph_labels)
        self._fill(vocabulary, y)
        if y is not None:
            parts = folded(y, folds, seed, vocabulary.class_names)
            held_out = {fold, fold if paper_protocol else (fold + 1) % folds}
            self.test_index, self.val_index = parts[fold], parts[fold if paper_protocol else (fold + 1) % folds]
            rest = [part for number, part in enumerate(parts) if number not in held_out]
            self.train_index = np.sort(np.concatenate(rest))

    def _fill(self, vocabulary: Vocabulary, y: Optional[np.ndarray]) -> None:
        """Take over the graphs that were read, with the features of a vocabulary."""
        read, count = self._read, int(self._read.node_starts[-1])
        columns = []
        for number, kinds in enumerate(vocabulary.kinds):
            column = read.node_labels[:, number]  # type: ignore[index]  # kinds come from it
            places = np.minimum(np.searchsorted(kinds, column), len(kinds) - 1)
            wrong = np.flatnonzero(np.asarray(kinds)[places] != column)
            if len(wrong):
                known = ", ".join(map(str, kinds))
                raise ValueError(
                    f"{self._base + '_node_labels.txt'!r}: node {wrong[0] + 1} is of kind {column[wrong[0]]},"
                    " and the network"
                    f" knows {known:.200}"
                )
            columns.append(places)
        if vocabulary.degrees is not None:
            columns.append(np.minimum(_degrees(read), vocabulary.degrees))
        codes = np.stack(columns, axis=1) if columns else np.empty((count, 0), np.int64)
        attributes = read.node_attributes if vocabulary.attributes else np.empty((count, 0), np.float32)
        super().__init__(read.edges, read.node_starts, read.edge_starts, vocabulary, attributes, codes, y)  # type: ignore[arg-type]  # attributes are there

    def with_vocabulary(self, vocabulary: Vocabulary) -> GraphSet:
        """Return the same graphs with the features that a network was trained on.

        Raises:
            ValueError: they do not have these.
        """
        if vocabulary == self.vocabulary:
            return self
        read, where = self._read, self._base
        columns = 0 if read.node_labels is None else read.node_labels.shape[1]
        attributes = 0 if read.node_attributes is None else read.node_attributes.shape[1]
        if vocabulary.kinds and len(vocabulary.kinds) != columns:
            raise ValueError(
                f"{where + '_node_labels.txt'!r} has {columns} columns where the network takes {len(vocabulary.kinds)}"
            )
        if vocabulary.attributes and vocabulary.attributes != attributes:
            raise ValueError(
                f"{where + '_node_attributes.txt'!r} has {attributes} columns where the network takes"
                f" {vocabulary.attributes}"
            )
        y, parts = self.y, (self.train_index, self.val_index, self.test_index)
        if y is not None:
            unknown = sorted(set(self.class_names) - set(vocabulary.class_names))
            if unknown:
                known = ", ".join(vocabulary.class_names)
                raise ValueError(
                    f"{where + '_graph_labels.txt'!r} has the class {unknown[0]}, and the network knows {known:.200}"
                )
            y = np.array([vocabulary.class_names.index(name) for name in self.class_names])[y]
        self._fill(vocabulary, y)
        self.train_index, self.val_index, self.test_index = parts
        return self


def _degrees(read: TUGraphs) -> np.ndarray:
    """Return how many edges end at each node."""
    return np.bincount(read.edges[:, 1], minlength=int(read.node_starts[-1]))
