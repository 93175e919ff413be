"""Grouping edges that come as a stream and fit no memory.

The stream is gone through several times, so it must give the same edges again. The first time the edges of each row are
counted, which says where each row begins. Each further time fills as many rows as the memory allows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Callable, Optional

import numpy as np

from core.graphs.adjacency import Adjacency
from core.graphs.checks import IDS, check_array, checked_integer

Pass = Optional[tuple[int, int]]
"""Why a stream is gone through: None: its edges are counted; otherwise those whose places are from the first number to
below the second are written."""


def group_stream(
    stream: Callable[[Pass], Iterable[tuple[np.ndarray, np.ndarray]]], adjacency: Adjacency, memory: int = 2 << 30
) -> None:
    """Write a stream's edges into the arrays of compressed rows; those of a row are in the order of the stream.

    Args:
        stream: called for each time that the edges are gone through; gives them as pairs of arrays, int32 or int64
            (edges,): the row of each edge and the other end. It has checked the other ends.
        adjacency: writable arrays of the right sizes, which may be memory-mapped; filled. Edges get no ids.
        memory: how many bytes may be used for edges, beside 16 for each row.

    Raises:
        TypeError: the stream gives other things than arrays.
        ValueError: its arrays are of another type or shape, its edges are not as many as ``adjacency`` has places for,
            a row does not exist, or it gives other edges when it is gone through again.
    """
    owner = "group_stream"
    from core.kernels.graphs.edge_streams import count_rows, place_edges  # numba loads with the first use

    starts, indices, size = adjacency.indptr, adjacency.indices, adjacency.rows
    most = max(1, checked_integer(memory, 1, owner, "memory") // indices.itemsize)
    counts, given = np.zeros(size, np.int64), 0
    for rows, columns in stream(None):
        _check_edges(rows, columns, owner)
        given += len(rows)
        count_rows(rows, counts)
    if given != len(indices) or counts.sum() != given:
        raise ValueError(
            f"{owner}: the stream has {given} edges, {counts.sum()} of them in the {size} rows; there are"
            f" {len(indices)} places"
        )
    starts[0] = 0
    np.cumsum(counts, out=starts[1:])
    first = 0
    while first < size:
        begin = int(starts[first])
        last = max(first + 1, int(np.searchsorted(starts, begin + most, side="right")) - 1)
        end = int(starts[last])
        block = np.empty(end - begin, indices.dtype)
        cursors = starts[first:last] - begin
        for rows, columns in stream((begin, end)):
            _check_edges(rows, columns, owner)
            place_edges(rows, columns, first, cursors, block)
        if not np.array_equal(cursors, starts[first + 1 : last + 1] - begin):
            raise ValueError(f"{owner}: the stream gave other edges when it was gone through again")
        indices[begin:end] = block
        del block  # before the next one is made
        first = last


def _check_edges(rows: np.ndarray, columns: np.ndarray, owner: str) -> None:
    check_array(rows, owner, "rows of the stream", IDS, [None])
    check_array(columns, owner, "columns of the stream", IDS, [len(rows)])
