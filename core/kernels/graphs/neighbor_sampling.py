"""Drawing some neighbours of each of many nodes from compressed rows.

Every draw is a function of a key, the node's place among the nodes asked for, and the draw's number, so that the result
does not depend on the number of threads. See :mod:`core.kernels.numeric.draws`.
"""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads
from core.kernels.graphs.adjacency import read_only
from core.kernels.graphs.alias import EMPTY
from core.kernels.graphs.graph_results import AliasTables, SampledNeighbors
from core.kernels.numeric.draws import below, below_reference, mixed, mixed_reference, unit

_PARALLEL_NODES = 1 << 10
"""Below this many nodes starting threads costs more than it saves."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_NO_WEIGHTS = np.empty(0, np.float32)
_NO_ALIAS = AliasTables(np.empty(0, np.float32), np.empty(0, np.int32))


def sample_neighbors(
    indptr: np.ndarray,
    indices: np.ndarray,
    nodes: np.ndarray,
    fanout: int,
    key: np.uint64,
    replace: bool = False,
    weights: Optional[Union[np.ndarray, AliasTables]] = None,
) -> SampledNeighbors:
    """Draw up to ``fanout`` neighbours of each node.

    Args:
        indptr: int64 (rows + 1,).
        indices: int32 or int64 (edges,).
        nodes: int64 (n,): rows, checked by the caller.
        fanout: How many of each; all that there are when negative.
        key: What the draws follow from.
        replace: Draw each time among all neighbours; a node without any has none drawn. Otherwise each edge is drawn
            at most once, all of them where there are no more than ``fanout``.
        weights: Chances of the edges; those of weight 0 are never drawn. Without replacement, float32 (edges,), ≥ 0:
            one edge after another is drawn with a chance in proportion to its weight among those left (Efraimidis and
            Spirakis, "Weighted random sampling with a reservoir", 2006). With replacement, the rows' alias tables.

    Returns:
        What was drawn.
    """
    indptr, indices, nodes = read_only(indptr), read_only(indices), read_only(nodes)
    drawn_again = replace and fanout >= 0
    tables = weights if isinstance(weights, AliasTables) else _NO_ALIAS
    given = read_only(weights if isinstance(weights, np.ndarray) else _NO_WEIGHTS)
    chances, others = read_only(tables.chances), read_only(tables.others)
    starts, counts = np.empty(nodes.shape[0], np.int64), np.empty(nodes.shape[0] + 1, np.int64)
    count, limit = nodes.shape[0], np.iinfo(np.int64).max if fanout < 0 else fanout
    parts = number_of_threads() * 8 if count >= _PARALLEL_NODES else 1
    counts[0] = 0
    counting = (indptr, nodes, limit, drawn_again, given, others, starts, counts)
    if parts > 1:
        _count(*counting, parts)
    else:
        _count_range(*counting, 0, count)
    offsets = np.cumsum(counts)
    total = int(offsets[-1])
    neighbors, places = np.empty(total, indices.dtype), np.empty(total, np.int64)
    drawing = (indptr, nodes, starts, offsets, drawn_again, key, given, chances, others, int(counts.max()), places)
    if parts > 1:
        _draw(*drawing, parts)
        _take(indices, places, neighbors, parts)
    else:
        _draw_range(*drawing, 0, count)
        _take_range(indices, places, neighbors, 0, total)
    return SampledNeighbors(offsets, neighbors, places)


@serial
def _count_range(indptr, nodes, limit, replace, weights, others, starts, counts, first, last):
    """Write where the rows of the nodes from first to last start and how many edges of each are drawn, after a 0."""
    for i in range(first, last):
        start, end = indptr[nodes[i]], indptr[nodes[i] + 1]
        starts[i] = start
        degree = end - start
        if weights.shape[0]:
            degree = 0
            for edge in range(start, end):
                degree += weights[edge] > 0
        elif others.shape[0] and degree and others[start] == EMPTY:
            degree = 0
        if replace:
            counts[i + 1] = limit if degree else 0
        else:
            counts[i + 1] = min(degree, limit)


@compiled
def _count(indptr, nodes, limit, replace, weights, others, starts, counts, parts):
    count = nodes.shape[0]
    for part in threads(parts):
        given = (indptr, nodes, limit, replace, weights, others, starts, counts)
        _count_range(*given, count * part // parts, count * (part + 1) // parts)


@compiled
def _draw(
    indptr, nodes, starts, offsets, replace, key, weights, chances, others, most, places, parts
):
    count = nodes.shape[0]
    for part in threads(parts):
        given = (indptr, nodes, starts, offsets, replace, key, weights, chances, others, most, places)
        _draw_range(*given, count * part // parts, count * (part + 1) // parts)


@serial
def _draw_range(
    indptr, nodes, starts, offsets, replace, key, weights, chances, others, most, places, first, last
):
    """Draw the places of the nodes from first to last."""
    table = np.empty(_slots(most), np.int64)
    times = np.empty(most if weights.shape[0] else 0, np.float64)
    for i in range(first, last):
        row = mixed(key, i)
        here = places[offsets[i] : offsets[i + 1]]
        start = starts[i]
        degree = indptr[nodes[i] + 1] - start
        if here.shape[0] == 0:
            continue
        if weights.shape[0]:
            _race(row, start, degree, weights, times, here)
        elif replace and chances.shape[0]:
            _draw_alias(row, start, degree, chances, others, here)
        elif replace:
            for j in range(here.shape[0]):
                here[j] = start + below(mixed(row, j), degree)
        elif here.shape[0] == degree:
            for j in range(degree):
                here[j] = start + j
        else:
            _draw_distinct(row, start, degree, table, here)


@serial
def _take_range(indices, places, neighbors, first, last):
    """Read the edges: apart from the draws, so that many of memory's answers are under way at once."""
    for k in range(first, last):
        neighbors[k] = indices[places[k]]


@compiled
def _take(indices, places, neighbors, parts):
    count = places.shape[0]
    for part in threads(parts):
        _take_range(indices, places, neighbors, count * part // parts, count * (part + 1) // parts)


@serial
def _slots(count):
    slots = 16
    while slots < 2 * count:
        slots *= 2
    return slots


@serial
def _draw_distinct(row, start, degree, table, here):
    """Draw distinct edges, every set of them with the same chance (Floyd: Bentley, "A sample of brilliance", 1987)."""
    count = here.shape[0]
    slots = _slots(count)
    for slot in range(slots):
        table[slot] = -1
    for j in range(count):
        last = degree - count + j
        choice = below(mixed(row, j), last + 1)
        if not _entered(table, slots - 1, choice):
            choice = last
            _entered(table, slots - 1, choice)
        here[j] = start + choice


@serial
def _entered(table, mask, choice):
    """Enter a choice into a set; say whether it was new."""
    slot = np.int64((np.uint64(choice) * _SPREAD) >> np.uint64(40)) & mask
    while table[slot] != -1:
        if table[slot] == choice:
            return False
        slot = (slot + 1) & mask
    table[slot] = choice
    return True


@serial
def _draw_alias(row, start, degree, chances, others, here):
    for j in range(here.shape[0]):
        draw = mixed(row, j)
        choice = below(draw, degree)
        rest = mixed(draw, 0)
        here[j] = start + (choice if unit(rest) < chances[start + choice] else others[start + choice])


@serial
def _race(row, start, degree, weights, times, here):
    """Let every edge arrive after an exponential time whose rate is its weight, and keep the first ones, in order."""
    count = here.shape[0]
    arrived = 0
    for edge in range(degree):
        weight = weights[start + edge]
        if weight > 0:
            time = -np.log(1 - unit(mixed(row, edge))) / weight
            if arrived < count or time < times[arrived - 1]:
                j = arrived if arrived < count else count - 1
                while j > 0 and times[j - 1] > time:
                    times[j], here[j] = times[j - 1], here[j - 1]
                    j -= 1
                times[j], here[j] = time, start + edge
                arrived = min(arrived + 1, count)


def sample_neighbors_reference(
    indptr: np.ndarray, nodes: np.ndarray, fanout: int, key: np.uint64, replace: bool = False
) -> list[list[int]]:
    """The definition of the places that :func:`sample_neighbors` draws without weights, node by node, plainly."""
    result = []
    for i, node in enumerate(nodes.tolist()):
        start, degree = int(indptr[node]), int(indptr[node + 1] - indptr[node])
        row = mixed_reference(int(key), i)
        if fanout < 0 or (not replace and degree <= fanout):
            chosen: Any = range(degree)
        elif replace:
            chosen = [below_reference(mixed_reference(row, j), degree) for j in range(fanout if degree else 0)]
        else:
            chosen = []
            for j, last in enumerate(range(degree - fanout, degree)):
                choice = below_reference(mixed_reference(row, j), last + 1)
                chosen.append(last if choice in chosen else choice)
        result.append([start + choice for choice in chosen])
    return result
