"""The nodes that a walk with restarts visits most often: a node's neighbourhood as PinSAGE has it."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads
from core.kernels.graphs.adjacency import read_only
from core.kernels.graphs.graph_results import VisitedNeighbors
from core.kernels.graphs.walks import sort
from core.kernels.numeric.draws import below, below_reference, mixed, mixed_reference, unit


@serial
def _walk(indptr, indices, start, key, restart, visited):
    """Write the nodes other than the start that a walk visits; return how many steps led to one."""
    node, count = start, 0
    for step in range(visited.shape[0]):
        draw = mixed(key, step)
        if unit(mixed(draw, 0)) < restart or indptr[node + 1] == indptr[node]:
            node = start
        if indptr[node + 1] == indptr[node]:
            break
        node = np.int64(indices[indptr[node] + below(draw, indptr[node + 1] - indptr[node])])
        if node != start:
            visited[count] = node
            count += 1
    return count


@serial
def _most_visited(visited, neighbors, visits):
    """Write the nodes that occur most often among sorted ones, of equals the smaller first; return their number."""
    found, place = 0, 0
    while place < visited.shape[0]:
        end = place
        while end < visited.shape[0] and visited[end] == visited[place]:
            end += 1
        times = end - place
        if found < neighbors.shape[0] or times > visits[found - 1]:
            j = found if found < neighbors.shape[0] else found - 1
            while j > 0 and visits[j - 1] < times:
                neighbors[j], visits[j] = neighbors[j - 1], visits[j - 1]
                j -= 1
            neighbors[j], visits[j] = visited[place], times
            found = min(found + 1, neighbors.shape[0])
        place = end
    return found


@compiled
def _visit(indptr, indices, nodes, key, restart, steps, parts, neighbors, visits, counts):
    total = nodes.shape[0]
    for part in threads(parts):
        visited = np.empty(steps, np.int64)
        for i in range(total * part // parts, total * (part + 1) // parts):
            count = _walk(indptr, indices, nodes[i], mixed(key, i), restart, visited)
            sort(visited[:count])
            counts[i] = _most_visited(visited[:count], neighbors[i], visits[i])


def visit(
    indptr: np.ndarray, indices: np.ndarray, nodes: np.ndarray, steps: int, restart: float, most: int, key: np.uint64
) -> VisitedNeighbors:
    """Walk from each node and return the nodes that were visited most often.

    Args:
        indptr: int64 (nodes + 1,).
        indices: int32 or int64 (edges,).
        nodes: int64 (n,): where walks begin, checked by the caller.
        steps: How many steps each walk takes.
        restart: Probability with which a step begins at the first node again; where there is no edge, it does so.
        most: How many nodes are returned at most, 1 or more.
        key: What the walks follow from.

    Returns:
        The nodes and int64 numbers of visits, the largest first; of equal ones the smaller node first.
    """
    neighbors, visits = (np.zeros((nodes.shape[0], most), np.int64) for _ in range(2))
    counts = np.zeros(nodes.shape[0], np.int64)
    parts = max(1, min(nodes.shape[0], number_of_threads() * 8))
    given = (read_only(indptr), read_only(indices), read_only(nodes), key, float(restart), steps, parts)
    _visit(*given, neighbors, visits, counts)
    taken = np.arange(most) < counts[:, None]
    return VisitedNeighbors(np.concatenate([[0], np.cumsum(counts)]), neighbors[taken], visits[taken])


def visit_reference(
    indptr: np.ndarray, indices: np.ndarray, start: int, number: int, steps: int, restart: float, most: int, key: int
) -> list[tuple[int, int]]:
    """The definition of what :func:`visit` returns for the node with a number: (node, visits), plainly."""
    counts: dict[int, int] = {}
    node = start
    for step in range(steps):
        draw = mixed_reference(mixed_reference(int(key), number), step)
        if (mixed_reference(draw, 0) >> 11) * 2.0**-53 < restart or indptr[node] == indptr[node + 1]:
            node = start
        row = indices[indptr[node] : indptr[node + 1]]
        if not len(row):
            break
        node = int(row[below_reference(draw, len(row))])
        if node != start:
            counts[node] = counts.get(node, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
