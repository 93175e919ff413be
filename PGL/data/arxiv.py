"""ca-AstroPh: who wrote papers on astrophysics with whom, for predicting links.

Data: Leskovec, Kleinberg and Faloutsos, "Graph Evolution: Densification and Shrinking Diameters", 2007,
https://snap.stanford.edu/data/ca-AstroPh.html
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from PGL.data.edge_list import read_edge_list
from PGL.data.edges import prepared_edges
from PGL.data.source import local_files
from PGL.graph import Graph

_FILE = "ca-AstroPh.txt"
_HOME = "https://snap.stanford.edu/data/ca-AstroPh.html"


class ArXivDataset:
    """18,772 authors; half of the pairs of co-authors are the graph, the others are to be told apart from other pairs.

    Args:
        seed: what the halves and the other pairs follow from.
        root: the folder of ca-AstroPh.txt.

    Attributes:
        graph: the :class:`PGL.Graph` of one half, in both directions; its nodes are in the order of the file's ids.
        pos_edges: the other half, pairs (u, v) with u < v: int64 of shape [n, 2].
        neg_edges: n pairs of different authors who are no co-authors, u < v.
        node_names: the ids of the file.

    Raises:
        FileNotFoundError: the file is missing; says where it comes from.
        ValueError: it is damaged, or nearly all pairs are co-authors.
    """

    def __init__(self, seed: int = 123, root: Optional[str] = None) -> None:
        files = local_files(type(self).__name__, root, {_FILE: None}, _HOME)
        read = read_edge_list(files[_FILE], renumber=True)
        names: Any = read.node_names
        self.node_names, count = names, len(names)
        pairs = prepared_edges(np.sort(read.edges, axis=1), count, False, False)
        generator = np.random.default_rng(seed)
        order = generator.permutation(len(pairs))
        half = len(pairs) // 2
        self.pos_edges = pairs[order[:half]]
        self.neg_edges = _other_pairs(pairs, count, half, generator)
        self.graph = Graph(prepared_edges(pairs[order[half:]], count, True, False), count)


def _other_pairs(pairs: np.ndarray, count: int, number: int, generator: np.random.Generator) -> np.ndarray:
    """Return different pairs u < v that are not among ``pairs``."""
    if count * (count - 1) // 2 - len(pairs) < 2 * number:
        raise ValueError(f"ArXivDataset: {len(pairs)} of all pairs of {count} nodes are edges; too few others are left")
    known = pairs[:, 0] * count + pairs[:, 1]
    found = np.empty(0, np.int64)
    while len(found) < number:
        drawn = np.sort(generator.integers(0, count, (2 * number, 2)), axis=1)
        drawn = drawn[drawn[:, 0] < drawn[:, 1]]
        codes = drawn[:, 0] * count + drawn[:, 1]
        codes = np.concatenate([found, codes[~np.isin(codes, known)]])
        first = np.sort(np.unique(codes, return_index=True)[1])
        found = codes[first]
    return np.stack([found[:number] // count, found[:number] % count], axis=1)
