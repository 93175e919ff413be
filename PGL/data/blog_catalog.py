"""BlogCatalog: bloggers, their friends, and the groups to which they belong.

Data: Tang and Liu, "Relational Learning via Latent Social Dimensions", KDD 2009, https://doi.org/10.1145/1557019.1557109
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

import numpy as np

from PGL.data.edge_list import read_edge_list
from PGL.data.edges import prepared_edges
from PGL.data.source import Source, local_files
from PGL.graph import Graph

_HOME = (
    "https://raw.githubusercontent.com/PaddlePaddle/PGL/6dbb47c4559352ea1b1e327ee0039c47095583af/pgl/data/BlogCatalog/"
)
_CHECKSUMS = {
    "edges.csv": "85941eb8e48830f3b8fbc948ea1023b902e92d048d1ce71acd07069776a2f59b",
    "group-edges.csv": "6356302d43807876c7743f83b53e2a6c3cd9589350e4129a1d89e1df0e3efacd",
    "groups.csv": "51cfd743344690c92aa5e7219210935ea6c82cdff92c102418f412b135fa63aa",
    "nodes.csv": "39047aef3f6045bd8a1df6ee3606fa6709a835b79c034ee84fe479599dfae602",
}


class BlogCatalogDataset:
    """10,312 bloggers, 333,983 friendships, 39 groups; a blogger belongs to several groups.

    Args:
        symmetry_edges: whether each friendship is an edge in both directions.
        self_loop: whether each node has an edge to itself.
        train_ratio: which part of the nodes is for training.
        seed: what the split follows from.
        root: the folder of edges.csv, nodes.csv, groups.csv and group-edges.csv; None: they are fetched once.

    Attributes:
        graph: the :class:`PGL.Graph`; each edge once, ascending by source, then target.
        y: 1 where a node belongs to a group: int64 of shape [nodes, groups].
        num_classes: how many groups there are; also ``num_groups``.
        train_index: the nodes for training, in the order in which they were drawn, int64.
        val_index: empty.
        test_index: all others.

    Raises:
        FileNotFoundError: files are missing; names them, and where they come from.
        ValueError: a file is damaged, or ``train_ratio`` is not between 0 and 1.
        ConnectionError: a file cannot be fetched.
    """

    def __init__(
        self,
        symmetry_edges: bool = True,
        self_loop: bool = False,
        train_ratio: float = 0.5,
        seed: int = 0,
        root: Optional[str] = None,
    ) -> None:
        owner = type(self).__name__
        if not 0 < train_ratio < 1:
            raise ValueError(f"{owner}: train_ratio must be between 0 and 1, not {train_ratio!r}")
        sources = {name: Source(_HOME + name, checksum) for name, checksum in _CHECKSUMS.items()}
        files = local_files(owner, root, sources, _HOME)
        count, self.num_classes = _count(files["nodes.csv"]), _count(files["groups.csv"])
        self.num_groups = self.num_classes
        edges = _pairs(files["edges.csv"], count, count)
        members = _pairs(files["group-edges.csv"], count, self.num_groups)
        self.y = np.zeros((count, self.num_groups), np.int64)
        self.y[members[:, 0], members[:, 1]] = 1
        self.graph = Graph(prepared_edges(edges, count, symmetry_edges, self_loop), count)
        order = np.random.default_rng(seed).permutation(count)
        trained = int(count * train_ratio)
        self.train_index, self.val_index, self.test_index = order[:trained], order[:0], order[trained:]


def _count(path: Path) -> int:
    """Return the number of a file's lines, each the id of its number, from 1 on."""
    lines = path.read_text().split()
    if lines != [str(number) for number in range(1, len(lines) + 1)]:
        raise ValueError(f"{os.fspath(path)!r} must list the ids from 1 on, one a line")
    return len(lines)


def _pairs(path: Path, first: int, second: int) -> np.ndarray:
    """Return pairs of ids, from 0 on."""
    pairs = read_edge_list(path, delimiter=",").edges - 1
    if pairs.size and (pairs.min() < 0 or pairs[:, 0].max() >= first or pairs[:, 1].max() >= second):
        raise ValueError(f"{os.fspath(path)!r} must hold pairs of ids from 1 to {first} and from 1 to {second}")
    return pairs
