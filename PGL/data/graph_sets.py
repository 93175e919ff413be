"""Sets of graphs of a class each: in compressed arrays, from which batches of any graphs are made at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from PGL.graph import Graph


class Vocabulary(NamedTuple):
    """What a network was trained on, which further graphs must be read by.

    Args:
        kinds: for each column of kinds of nodes, the numbers that became features, ascending.
        attributes: how many attributes a node has.
        degrees: the largest degree that became a feature of its own; None: degrees are no features.
        class_names: the classes' names by number.
    """

    kinds: list[list[int]]
    attributes: int
    degrees: Optional[int]
    class_names: list[str]

    @property
    def size(self) -> int:
        """How many features a node has."""
        count = self.attributes + sum(map(len, self.kinds)) + (0 if self.degrees is None else self.degrees + 1)
        return count or 1


class GraphSet:
    """Graphs with features of nodes; a subclass reads or draws them.

    A node's features are its attributes, then 1 at the place of each of its kinds, then 1 at that of its degree. Where
    there is nothing of this, the one feature is 1.

    Args:
        edges: (source, target), int64 [edges, 2], by graph; nodes are numbered from 0 on through all graphs.
        node_starts: where the nodes of each graph begin, and the end, int64 [graphs + 1].
        edge_starts: likewise of its edges.
        vocabulary: what the features are.
        attributes: float32 [nodes, vocabulary.attributes].
        codes: int64 [nodes, columns]: the places in ``vocabulary.kinds``, and then the degree.
        y: each graph's class, int64 [graphs]; None: they are not known.

    Attributes:
        num_classes: how many classes there are.
        class_names: their names by number.
        train_index: the graphs for training, int64; ``val_index`` and ``test_index`` are the others.
    """

    train_index: np.ndarray
    val_index: np.ndarray
    test_index: np.ndarray

    def __init__(
        self,
        edges: np.ndarray,
        node_starts: np.ndarray,
        edge_starts: np.ndarray,
        vocabulary: Vocabulary,
        attributes: np.ndarray,
        codes: np.ndarray,
        y: Optional[np.ndarray],
    ) -> None:
        self.edges, self.node_starts, self.edge_starts = edges, node_starts, edge_starts
        self.vocabulary, self.attributes, self.codes, self.y = vocabulary, attributes, codes, y
        self.class_names, self.num_classes = vocabulary.class_names, len(vocabulary.class_names)
        empty = np.empty(0, np.int64)
        self.train_index, self.val_index, self.test_index = empty, empty, empty

    def __len__(self) -> int:
        return len(self.node_starts) - 1

    @property
    def num_nodes(self) -> int:
        """How many nodes all graphs have."""
        return int(self.node_starts[-1])

    @property
    def graph(self) -> Graph:
        """All graphs side by side, as one without features."""
        return Graph(self.edges, self.num_nodes)

    def features(self, nodes: np.ndarray) -> np.ndarray:
        """Return the features of nodes, float32 [n, size]."""
        table = self.vocabulary
        rows = np.zeros((len(nodes), table.size), np.float32)
        rows[:, : table.attributes] = self.attributes[nodes]
        offset = table.attributes
        sizes = [*map(len, table.kinds), *([] if table.degrees is None else [table.degrees + 1])]
        for column, size in enumerate(sizes):
            rows[np.arange(len(nodes)), offset + self.codes[nodes, column]] = 1
            offset += size
        if not sizes and not table.attributes:
            rows[:] = 1
        return rows

    def batch(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Return some graphs side by side.

        Args:
            numbers: which ones.

        Returns:
            Features float32 [nodes, size]; edges (source, target) int64 [edges, 2]; nodes of each graph int64 [graphs].
        """
        chosen = np.asarray(numbers, np.int64)
        nodes, starts = _ranges(self.node_starts, chosen)
        places, edge_starts = _ranges(self.edge_starts, chosen)
        shift = np.repeat(starts[:-1] - self.node_starts[chosen], np.diff(edge_starts))
        return [self.features(nodes), self.edges[places] + shift[:, None], np.diff(starts)]

    def names(self) -> Optional[list[str]]:
        """Return the graphs' names; None: they have numbers alone."""
        return None

    def with_vocabulary(self, vocabulary: Vocabulary) -> GraphSet:
        """Return the same graphs with the features that a network was trained on.

        Raises:
            ValueError: they do not have these.
        """
        if vocabulary != self.vocabulary:
            raise ValueError("data: the graphs have other features than those that the run was trained on")
        return self


def _ranges(starts: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the things of some graphs, one graph after the other, and where those of each begin."""
    counts = starts[chosen + 1] - starts[chosen]
    begins = np.concatenate([[0], np.cumsum(counts)])
    return np.arange(begins[-1]) + np.repeat(starts[chosen] - begins[:-1], counts), begins


def folded(y: np.ndarray, folds: int, seed: int, names: Sequence[str]) -> list[np.ndarray]:
    """Return the members of each fold: of each class as many in one as in another, drawn.

    Args:
        y: classes, int64.
        folds: how many there are.
        seed: what the draw follows from.
        names: of the classes, for messages.

    Raises:
        ValueError: a class has fewer members than there are folds.
    """
    from sklearn.model_selection import StratifiedKFold

    counts = np.bincount(y, minlength=len(names))
    if folds < 3 or counts.min() < folds:
        least = int(counts.argmin())
        raise ValueError(
            f"data: folds must be at least 3, and no more than the {counts[least]} graphs of class"
            f" {names[least]!r}, not {folds}"
        )
    parts = StratifiedKFold(folds, shuffle=True, random_state=seed).split(y, y)
    return [np.asarray(held_out, np.int64) for _, held_out in parts]


def vocabulary_of(stored: Mapping[str, Any]) -> Vocabulary:
    """Return a vocabulary that was written as JSON.

    Raises:
        ValueError: it is none.
    """
    try:
        kinds = [[int(kind) for kind in column] for column in stored["kinds"]]
        degrees = None if stored["degrees"] is None else int(stored["degrees"])
        return Vocabulary(kinds, int(stored["attributes"]), degrees, [str(name) for name in stored["class_names"]])
    except (KeyError, TypeError, ValueError):
        raise ValueError("the run's graphs.json is damaged: train again, or take it from a copy") from None
