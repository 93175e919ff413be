"""A small graph tiled to any size and rewired: every edge is a function of its node and its number.

Node v of the large graph is the copy of node v mod n in tile v // n. Its edge number k leads to a copy of the small
node's neighbour number k mod degree: the first time round to the one in its own tile, unless it is rewired; otherwise
to one in a tile that is drawn. Degrees keep their proportions and add up to the number of edges wanted.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads
from core.kernels.numeric.draws import below, mixed, unit


@serial
def edges_before(node, indptr, num_nodes, num_edges):
    """Return how many edges the nodes before a node have, ``num_edges`` for the node behind the last."""
    size = indptr.shape[0] - 1
    whole = num_nodes // size * indptr[size] + indptr[num_nodes % size]
    return num_edges * (node // size * indptr[size] + indptr[node % size]) // whole


@compiled
def tile_edges(
    indptr, indices, num_nodes, num_edges, rewired, key, first, last, sources, targets
):
    """Write the edges of the nodes from ``first`` to below ``last``.

    Args:
        indptr, indices: The small graph.
        num_nodes, num_edges: Size of the large one; num_nodes is at least the small one's.
        rewired: Part of the edges' first copies that lead to other tiles.
        key: What draws follow from.
        first, last: Nodes.
        sources, targets: int32 or int64 (edges of these nodes,), written.
    """
    size = indptr.shape[0] - 1
    tiles = (num_nodes + size - 1) // size
    begin = edges_before(first, indptr, num_nodes, num_edges)
    for node in threads(first, last):
        tile, small = node // size, node % size
        start, degree = indptr[small], indptr[small + 1] - indptr[small]
        place = edges_before(node, indptr, num_nodes, num_edges) - begin
        count = edges_before(node + 1, indptr, num_nodes, num_edges) - begin - place
        row = mixed(key, node)
        neighbor = 0
        for k in range(count):
            draw = mixed(row, k)
            home = tile
            if k >= degree or unit(draw) < rewired:
                home = below(mixed(draw, 0), tiles)
            target = home * size + indices[start + neighbor]
            if target >= num_nodes:  # the last tile may not be whole
                target -= size
            sources[place + k] = node
            targets[place + k] = target
            neighbor = neighbor + 1 if neighbor + 1 < degree else 0


@compiled
def tile_rows(table, noise, key, first, rows):
    """Write float32 rows of the large graph's nodes from ``first`` on: the small node's, and even noise of ±noise."""
    size, width = table.shape
    for i in threads(rows.shape[0]):
        node = first + i
        row = mixed(key, node)
        for k in range(width):
            rows[i, k] = table[node % size, k] + np.float32(noise * (2 * unit(mixed(row, k)) - 1))
