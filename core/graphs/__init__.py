"""Graphs in NumPy's arrays: compressed rows, and drawing neighbours, walks and negatives from them.

What is drawn follows from a key alone (:func:`random_key`), not from the number of threads or processes. Nothing here
loads the engine, and the first call of a function compiles or loads its kernel: a loader's worker process may import
this package freely. Paddle's own functions on graphs, on tensors, are those of :mod:`core.geometric`.

>>> import numpy as np
>>> from core import graphs
>>> rows = graphs.Adjacency.from_edges(np.array([0, 0, 1]), np.array([1, 2, 0]), 3, 3)
>>> graphs.sample_neighbors(rows, [0, 1, 2], -1, graphs.random_key(7)).neighbors
array([1, 2, 0], dtype=int32)
"""

from core.graphs.adjacency import Adjacency
from core.graphs.draws import alias_tables, draw_alias, draw_negatives, random_key
from core.graphs.features import gather_scaled
from core.graphs.neighbors import renumber, sample_neighbors, visited_neighbors
from core.graphs.streams import group_stream
from core.graphs.tiling import TiledGraph, tile_rows
from core.graphs.walks import node2vec_walks, random_walks, walk_step, walk_windows
from core.kernels.graphs.graph_results import AliasTables, SampledNeighbors, VisitedNeighbors

__all__ = [
    "Adjacency", "AliasTables", "SampledNeighbors", "TiledGraph", "VisitedNeighbors", "alias_tables", "draw_alias",
    "draw_negatives", "gather_scaled", "group_stream", "node2vec_walks", "random_key", "random_walks", "renumber",
    "sample_neighbors", "tile_rows", "visited_neighbors", "walk_step", "walk_windows",
]  # fmt: skip
