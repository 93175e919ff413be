"""Reddit: posts, linked where one person commented on both, and the communities in which they were written.

Data: Hamilton, Ying and Leskovec, "Inductive Representation Learning on Large Graphs", NeurIPS 2017,
https://arxiv.org/abs/1706.02216
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

import numpy as np

from PGL.data.arrays import read_arrays
from PGL.data.edges import prepared_edges
from PGL.data.source import local_files
from PGL.graph import Graph

_HOME = "https://github.com/matenure/FastGCN/issues/8"
_NUM_CLASSES = 41
_PARTS = ("train", "val", "test")


class RedditDataset:
    """232,965 posts with 602 features in 41 communities; the days of the month divide training, validation and test.

    Args:
        normalize: whether each feature gets mean 0 and standard deviation 1 over the training nodes.
        symmetry: whether each edge is added in the other direction too.
        root: the folder of reddit.npz and reddit_adj.npz.
        maximum_bytes: how many bytes a file may unpack to; None: 2 GB or 200 times its size, whichever is more.

    Attributes:
        graph: the :class:`PGL.Graph`; each edge once, ascending by source, then target.
        feature: float32 of shape [nodes, 602]; also ``graph.node_feat["feature"]``.
        y: each node's community, int64 of shape [nodes].
        num_classes: how many communities there are.
        train_index: the nodes for training, int64; their communities are ``train_label``.
        val_index: those for validation; ``val_label``.
        test_index: those for the test; ``test_label``.

    Raises:
        FileNotFoundError: files are missing; says where they come from.
        ValueError: a file is damaged or hostile, or the two do not fit each other.
    """

    def __init__(
        self,
        normalize: bool = True,
        symmetry: bool = True,
        root: Optional[str] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        files = local_files(type(self).__name__, root, {"reddit.npz": None, "reddit_adj.npz": None}, _HOME)
        needed = ("feats", *(f"{p}_index" for p in _PARTS), *(f"y_{p}" for p in _PARTS))
        data = read_arrays(files["reddit.npz"], needed, maximum_bytes)
        if data["feats"].ndim != 2 or data["feats"].dtype.kind not in "iuf":
            raise ValueError(f"{os.fspath(files['reddit.npz'])!r}: feats is no table of numbers")
        feature = np.asarray(data["feats"], np.float32)
        count = len(feature)
        self.y = np.zeros(count, np.int64)
        for part in _PARTS:
            index, label = data[f"{part}_index"].astype(np.int64), data[f"y_{part}"].astype(np.int64)
            fits = index.ndim == label.ndim == 1 and len(index) == len(label)
            if not fits or index.size and (index.min() < 0 or index.max() >= count):
                raise ValueError(
                    f"{os.fspath(files['reddit.npz'])!r}: {part}_index and y_{part} do not fit {count} nodes"
                )
            self.y[index] = label
            setattr(self, f"{part}_index", index)
            setattr(self, f"{part}_label", label)
        if self.y.size and (self.y.min() < 0 or self.y.max() >= _NUM_CLASSES):
            raise ValueError(f"{os.fspath(files['reddit.npz'])!r} has a class outside 0 to {_NUM_CLASSES - 1}")
        if normalize:
            feature = _standardized(feature, data["train_index"])
        self.feature, self.num_classes = feature, _NUM_CLASSES
        edges = _edges(files["reddit_adj.npz"], count, maximum_bytes)
        self.graph = Graph(prepared_edges(edges, count, symmetry, False), count, {"feature": feature})


def _standardized(feature: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return features with mean 0 and deviation 1 over some rows; a constant one gets 0."""
    chosen = feature[rows].astype(np.float64)
    deviation = chosen.std(axis=0)
    return ((feature - chosen.mean(axis=0)) / np.where(deviation > 0, deviation, 1)).astype(np.float32)


def _edges(path: Path, count: int, maximum_bytes: Optional[int]) -> np.ndarray:
    """Return the places of a stored sparse matrix's elements as edges (row, column)."""
    stored = read_arrays(path, ("shape",), maximum_bytes)
    if "indptr" in stored and "indices" in stored:
        indptr, column = stored["indptr"].astype(np.int64), stored["indices"].astype(np.int64)
        if len(indptr) != count + 1 or indptr[0] != 0 or (np.diff(indptr) < 0).any() or indptr[-1] != len(column):
            raise ValueError(f"{os.fspath(path)!r} does not hold the rows of {count} nodes")
        row = np.repeat(np.arange(count), np.diff(indptr))
    elif "row" in stored and "col" in stored:
        row, column = stored["row"].astype(np.int64), stored["col"].astype(np.int64)
    else:
        raise ValueError(f"{os.fspath(path)!r} holds no sparse matrix of rows or of coordinates")
    ends = np.stack([row, column], axis=1)
    if ends.size and (ends.min() < 0 or ends.max() >= count):
        raise ValueError(f"{os.fspath(path)!r} links nodes outside 0 to {count - 1}")
    return ends
