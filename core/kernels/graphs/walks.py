"""Random walks along compressed rows.

Each step is a function of a key, the walk's number and the step's, so that the result does not depend on the number of
threads. Many walks take a step before any takes the next one: their reads from memory are then under way together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads
from core.kernels.graphs.adjacency import read_only
from core.kernels.numeric.draws import below, below_reference, mixed, mixed_reference, unit

ENDED = -1
"""Follows the last node of a walk that could not go on."""
_WALKS_AT_ONCE = 64
_PARALLEL_STEPS = 1 << 13
"""Below this many steps starting threads costs more than it saves."""
_TRIES = 32


def _parts(walks: int, length: int) -> int:
    return 1 if walks * length < _PARALLEL_STEPS else min(walks, number_of_threads() * 8)


@compiled
def _random_walks(indptr, indices, key, walks, stop, parts):
    """Walk on from the nodes in the first column; with the probability ``stop`` a walk ends before each step."""
    count, length = walks.shape
    for part in threads(parts):
        first, last = count * part // parts, count * (part + 1) // parts
        for block in range(first, last, _WALKS_AT_ONCE):
            for step in range(1, length):
                for walk in range(block, min(block + _WALKS_AT_ONCE, last)):
                    node = walks[walk, step - 1]
                    following = np.int64(ENDED)
                    if node != ENDED:
                        start, degree = indptr[node], indptr[node + 1] - indptr[node]
                        draw = mixed(mixed(key, walk), step)
                        if degree > 0 and not (stop > 0 and unit(mixed(draw, 0)) < stop):
                            following = np.int64(indices[start + below(draw, degree)])
                    walks[walk, step] = following


def random_walks(
    indptr: np.ndarray, indices: np.ndarray, starts: np.ndarray, length: int, key: np.uint64, stop: float = 0.0
) -> np.ndarray:
    """Walk from node to node, each time along one of the node's edges, all with the same chance.

    Args:
        indptr: int64 (nodes + 1,).
        indices: int32 or int64 (edges,).
        starts: int64 (n,): where walks begin, checked by the caller.
        length: How many nodes a walk has at most, the first one included.
        key: What the steps follow from.
        stop: Probability with which a walk ends before each of its steps.

    Returns:
        int64 (n, length). A walk that comes to a node without edges ends there; behind its last node is -1.
    """
    walks = np.empty((starts.shape[0], length), np.int64)
    walks[:, 0] = starts
    _random_walks(read_only(indptr), read_only(indices), key, walks, stop, _parts(*walks.shape))
    return walks


@compiled
def _take_steps(indptr, indices, key, nodes, following):
    for walk in threads(nodes.shape[0]):
        node = nodes[walk]
        following[walk] = ENDED
        if node != ENDED and indptr[node + 1] > indptr[node]:
            draw = mixed(key, walk)
            following[walk] = indices[indptr[node] + below(draw, indptr[node + 1] - indptr[node])]


def take_steps(indptr: np.ndarray, indices: np.ndarray, nodes: np.ndarray, key: np.uint64) -> np.ndarray:
    """Take one step from each node; -1, or a node without edges, leads to -1.

    Args:
        indptr: int64 (nodes + 1,).
        indices: int32 or int64 (edges,).
        nodes: int64 (n,).
        key: What the step follows from.

    Returns:
        int64 (n,).
    """
    following = np.empty(nodes.shape[0], np.int64)
    _take_steps(read_only(indptr), read_only(indices), key, read_only(nodes), following)
    return following


@serial
def lower_bound(indices, start, end, node):
    """Return where a node is, or would be, among sorted neighbours."""
    count = end - start
    while count > 0:
        half = count >> 1
        further = indices[start + half] < node
        start = start + half + 1 if further else start  # no branch: it could not be predicted
        count = count - half - 1 if further else half
    return start


@serial
def _weight(indptr, indices, before, node, away, back):
    """Return the weight of a step to a node from one that was reached from ``before``."""
    if node == before:
        return back
    end = indptr[before + 1]
    place = lower_bound(indices, indptr[before], end, node)
    return 1.0 if place < end and indices[place] == node else away


@serial
def _biased_step(indptr, indices, before, node, key, back, away):
    """Throw at an area in which each edge has a column as high as its weight, until a throw hits one.

    All columns are in boxes of one height; what the edges back rise above it is added at the end, where every throw
    hits. After many throws that miss, all edges are weighed.
    """
    start, end = indptr[node], indptr[node + 1]
    box = max(1.0, away)
    boxes = (end - start) * box
    above = 0.0
    if back > box:
        place = lower_bound(indices, start, end, before)
        while place < end and indices[place] == before:
            above += back - box
            place += 1
    least = min(back, 1.0, away)
    for attempt in range(_TRIES):
        place = unit(mixed(key, attempt)) * (boxes + above)
        if place >= boxes:
            return before
        edge = min(np.int64(place / box), end - start - 1)
        choice, height = np.int64(indices[start + edge]), place - edge * box
        if height < least or height < _weight(indptr, indices, before, choice, away, back):
            return choice
    total = 0.0
    for edge in range(start, end):
        total += _weight(indptr, indices, before, np.int64(indices[edge]), away, back)
    height = unit(mixed(key, _TRIES)) * total
    for edge in range(start, end - 1):
        height -= _weight(indptr, indices, before, np.int64(indices[edge]), away, back)
        if height < 0:
            return np.int64(indices[edge])
    return np.int64(indices[end - 1])


@compiled
def _biased_walks(indptr, indices, key, walks, back, away, parts):
    count, length = walks.shape
    for part in threads(parts):
        first, last = count * part // parts, count * (part + 1) // parts
        for block in range(first, last, _WALKS_AT_ONCE):
            for step in range(1, length):
                for walk in range(block, min(block + _WALKS_AT_ONCE, last)):
                    node = walks[walk, step - 1]
                    following = np.int64(ENDED)
                    if node != ENDED and indptr[node + 1] > indptr[node]:
                        draw = mixed(mixed(key, walk), step)
                        if step == 1:
                            following = np.int64(indices[indptr[node] + below(draw, indptr[node + 1] - indptr[node])])
                        else:
                            following = _biased_step(indptr, indices, walks[walk, step - 2], node, draw, back, away)
                    walks[walk, step] = following


def node2vec_walks(
    indptr: np.ndarray, indices: np.ndarray, starts: np.ndarray, length: int, key: np.uint64, p: float, q: float
) -> np.ndarray:
    """Walk as node2vec does: a step's weight depends on the node before.

    The weight is 1 / p back to the node before, 1 to its neighbours, and 1 / q to all other nodes. (Grover and
    Leskovec, "node2vec: Scalable feature learning for networks", 2016.) The probabilities are exact, as draws
    are rejected.

    Args:
        indptr: int64 (nodes + 1,).
        indices: int32 or int64 (edges,), sorted within each row, see :func:`sort_rows`.
        starts: int64 (n,): where walks begin, checked by the caller.
        length: How many nodes a walk has at most, the first one included.
        key: What the steps follow from.
        p, q: Positive: a small p leads back, a small q away.

    Returns:
        int64 (n, length); behind the last node of a walk that could not go on is -1.
    """
    walks = np.empty((starts.shape[0], length), np.int64)
    walks[:, 0] = starts
    _biased_walks(read_only(indptr), read_only(indices), key, walks, 1 / p, 1 / q, _parts(*walks.shape))
    return walks


@serial
def sort(values):
    """Sort in place (Shell's method): few values mostly, and numba takes seconds to compile its own sort."""
    gap = 1
    while gap < values.shape[0] // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, values.shape[0]):
            value = values[i]
            j = i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@compiled
def _sort(indptr, indices, parts):
    rows = indptr.shape[0] - 1
    for part in threads(parts):
        for row in range(rows * part // parts, rows * (part + 1) // parts):
            sort(indices[indptr[row] : indptr[row + 1]])


def sort_rows(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return the neighbours sorted within each row, in new memory.

    Args:
        indptr: int64 (nodes + 1,).
        indices: int32 or int64 (edges,).
    """
    result = np.array(indices)
    _sort(read_only(indptr), result, max(1, min(indptr.shape[0] - 1, number_of_threads() * 8)))
    return result


def random_walks_reference(
    indptr: np.ndarray, indices: np.ndarray, starts: np.ndarray, length: int, key: np.uint64
) -> list[list[int]]:
    """The definition of :func:`random_walks` that never stop by chance, walk by walk, without padding."""
    result = []
    for walk, start in enumerate(starts.tolist()):
        nodes: list[Any] = [start]
        for step in range(1, length):
            row = indices[indptr[nodes[-1]] : indptr[nodes[-1] + 1]]
            if not len(row):
                break
            draw = mixed_reference(mixed_reference(int(key), walk), step)
            nodes.append(int(row[below_reference(draw, len(row))]))
        result.append(nodes)
    return result


def node2vec_probabilities(
    indptr: np.ndarray, indices: np.ndarray, before: int, node: int, p: float, q: float
) -> np.ndarray:
    """Return the exact chance of each edge of a node that was reached from ``before``: the definition of a step."""
    near = indices[indptr[before] : indptr[before + 1]]
    row = indices[indptr[node] : indptr[node + 1]]
    weights = np.where(row == before, 1 / p, np.where(np.isin(row, near), 1.0, 1 / q))
    return np.asarray(weights / weights.sum())
