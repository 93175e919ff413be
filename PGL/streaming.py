"""Storing a graph whose edges come as a stream and fit no memory, and features that are made on the way.

The stream is gone through several times, so it must give the same edges again. The first time the edges of each node
are counted, which says where its row begins. Each further time fills as many rows as the memory allows and writes them
to the memory-mapped file, one behind another. No edge list exists at any time, in memory or on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, Optional, Protocol

import numpy as np

from PGL.adjacency import Adjacency
from PGL.storage import DIRECTIONS, Feature, PathLike, create

_ROWS_AT_ONCE = 1 << 16

Report = Callable[[str, int, int], None]
"""Called with what is being done, how many edges or nodes are done, and of how many."""


class EdgeStream(Protocol):
    """Edges that can be gone through again and again, such as :class:`PGL.generator.TiledGraph`."""

    num_nodes: int
    num_edges: int

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Go through all edges: int32 or int64 arrays (sources, targets)."""
        ...


class RowStream(Protocol):
    """Features that are made piece by piece, such as :class:`PGL.generator.TiledFeatures`."""

    @property
    def feature(self) -> Feature:
        """Their shape and type."""
        ...

    def rows(self, first: int, last: int) -> np.ndarray:
        """Return the rows of the nodes from ``first`` to below ``last``."""
        ...


def store_stream(
    folder: PathLike,
    stream: EdgeStream,
    directions: Sequence[str] = ("incoming",),
    features: Optional[Mapping[str, RowStream]] = None,
    memory: int = 2 << 30,
    report: Optional[Report] = None,
) -> None:
    """Store a graph in a folder; :func:`PGL.storage.load` and ``Graph.load`` read it.

    Args:
        folder: Where it shall be.
        stream: Its edges.
        directions: "outgoing", "incoming" or both; sampling for message passing needs "incoming". Edges keep no ids.
        features: Features of nodes by name.
        memory: Bytes that may be used for edges, beside 16 for each node.
        report: Told of the progress.

    Raises:
        ValueError: the stream holds nodes that do not exist, another number of edges than it says, or other edges when
            it is gone through again. Nothing is left then.
    """
    tables = {name: rows.feature for name, rows in (features or {}).items()}
    tell = report or (lambda stage, done, total: None)
    with create(folder, stream.num_nodes, stream.num_edges, directions, features={"node_feat": tables}) as stored:
        for direction in DIRECTIONS:
            if direction in directions:
                fill_rows(getattr(stored, direction), stream, direction, memory, tell)
        for name, rows in (features or {}).items():
            place = stored.features["node_feat"][name]
            for first in range(0, stream.num_nodes, _ROWS_AT_ONCE):
                last = min(first + _ROWS_AT_ONCE, stream.num_nodes)
                place[first:last] = rows.rows(first, last)
                tell(f"features {name!r}", last, stream.num_nodes)


def fill_rows(adjacency: Adjacency, stream: EdgeStream, direction: str, memory: int, tell: Report) -> None:
    """Write a stream's edges into the arrays of an adjacency; see :func:`store_stream`."""
    from core.kernels.edge_streams import count_rows, place_edges

    counts = np.zeros(stream.num_nodes, np.int64)
    for rows, _ in _checked(stream, direction, f"counting {direction} edges", tell):
        count_rows(rows, counts)
    starts = adjacency.indptr
    starts[0] = 0
    np.cumsum(counts, out=starts[1:])
    most = max(1, memory // adjacency.indices.itemsize)
    first = 0
    while first < stream.num_nodes:
        begin = int(starts[first])
        last = max(first + 1, int(np.searchsorted(starts, begin + most, side="right")) - 1)
        end = int(starts[last])
        block = np.empty(end - begin, adjacency.indices.dtype)
        cursors = starts[first:last] - begin
        for rows, columns in _checked(stream, direction, f"placing {direction} edges {begin:,} to {end:,}", tell):
            place_edges(rows, columns, first, cursors, block)
        if not np.array_equal(cursors, starts[first + 1 : last + 1] - begin):
            raise ValueError("store_stream: the stream gave other edges when it was gone through again")
        adjacency.indices[begin:end] = block
        del block  # before the next one is made
        first = last


def _checked(stream: EdgeStream, direction: str, stage: str, tell: Report) -> Iterator[tuple[Any, Any]]:
    """Go through a stream's edges as (rows, columns), after a look at every id."""
    done = 0
    for sources, targets in stream.chunks():
        for ends in (sources, targets):
            if ends.size and (ends.min() < 0 or ends.max() >= stream.num_nodes):
                wrong = ends.min() if ends.min() < 0 else ends.max()
                raise ValueError(f"store_stream: an edge leads to node {wrong}, and there are {stream.num_nodes}")
        done += len(sources)
        yield (targets, sources) if direction == "incoming" else (sources, targets)
        tell(stage, done, stream.num_edges)
    if done != stream.num_edges:
        raise ValueError(f"store_stream: the stream has {done} edges, and says that it has {stream.num_edges}")
