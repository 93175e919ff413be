"""Storing a graph whose edges come as a stream and fit no memory, and features that are made on the way.

The stream is gone through several times, so it must give the same edges again. The first time the edges of each node
are counted, which says where its row begins. Each further time fills as many rows as the memory allows and writes them
to the memory-mapped file, one behind another. No edge list exists at any time, in memory or on disk.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, Optional, Protocol

import numpy as np

from core.graphs import group_stream
from PGL.storage.graphs import DIRECTIONS, Feature, PathLike, create

_ROWS_AT_ONCE = 1 << 16

Report = Callable[[str, int, int], None]
"""Called with what is being done, how many edges or nodes are done, and of how many."""


class EdgeStream(Protocol):
    """Edges that can be gone through again and again, such as :class:`core.graphs.TiledGraph`."""

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
    """Store a graph in a folder; :func:`PGL.storage.graphs.load` and ``Graph.load`` read it.

    Args:
        folder: Where it shall be.
        stream: Its edges.
        directions: "outgoing", "incoming" or both; sampling for message passing needs "incoming". Edges keep no ids.
        features: Features of nodes by name.
        memory: Bytes that may be used for edges, beside 16 for each node.
        report: Called with the progress.

    Raises:
        ValueError: the stream holds nodes that do not exist, another number of edges than it says, or other edges when
            it is gone through again. Nothing is left then.
    """
    tables = {name: rows.feature for name, rows in (features or {}).items()}
    notify = report or (lambda stage, done, total: None)
    with create(folder, stream.num_nodes, stream.num_edges, directions, features={"node_feat": tables}) as stored:
        for direction in DIRECTIONS:
            if direction in directions:
                passes = functools.partial(_checked, stream, direction, notify)
                group_stream(passes, getattr(stored, direction), memory)
        for name, rows in (features or {}).items():
            place = stored.features["node_feat"][name]
            for first in range(0, stream.num_nodes, _ROWS_AT_ONCE):
                last = min(first + _ROWS_AT_ONCE, stream.num_nodes)
                place[first:last] = rows.rows(first, last)
                notify(f"features {name!r}", last, stream.num_nodes)


def _checked(
    stream: EdgeStream, direction: str, notify: Report, places: Optional[tuple[int, int]]
) -> Iterator[tuple[Any, Any]]:
    """Go through a stream's edges as (rows, columns), after a look at every id; see ``core.graphs.group_stream``."""
    stage = f"counting {direction} edges"
    if places is not None:
        stage = f"placing {direction} edges {places[0]:,} to {places[1]:,}"
    done = 0
    for sources, targets in stream.chunks():
        for ends in (sources, targets):
            if ends.size and (ends.min() < 0 or ends.max() >= stream.num_nodes):
                wrong = ends.min() if ends.min() < 0 else ends.max()
                raise ValueError(f"store_stream: an edge leads to node {wrong}, and there are {stream.num_nodes}")
        done += len(sources)
        yield (targets, sources) if direction == "incoming" else (sources, targets)
        notify(stage, done, stream.num_edges)
    if done != stream.num_edges:
        raise ValueError(f"store_stream: the stream has {done} edges, and says that it has {stream.num_edges}")
