"""Several graphs side by side as one graph, which knows what belongs to which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from PGL.checks import is_tensor
from PGL.structure import Structure, as_tensor, to_tensor

Self = TypeVar("Self", bound="Joined")


class Joined(Structure):
    """What a graph knows of the graphs from which it was put together; a graph that was not is one graph."""

    @property
    def num_graph(self) -> int:
        """The number of graphs side by side."""
        return self._part_index(next(iter(self.PARTS))).shape[0] - 1

    @property
    def graph_edge_id(self) -> Any:
        """The graph to which each edge belongs: int32 of shape [num_edges], an array or a Tensor."""
        return self._part_id("edge")

    def _part_index(self, part: str) -> Any:
        """Return where each graph's nodes or edges begin, and the end: int64 of shape [graphs + 1]."""
        if part not in self._parts:
            return np.array([0, getattr(self, self.PARTS[part])])
        return self._parts[part]

    def _part_id(self, part: str) -> Any:
        index = self._part_index(part)
        if is_tensor(index):  # in compiled code too
            from core.operators.creation.creation import arange
            from core.operators.indexing.search import searchsorted

            things = arange(getattr(self, self.PARTS[part]), dtype="int64")
            return (searchsorted(index, things, right=True) - 1).astype("int32")
        found = np.repeat(np.arange(len(index) - 1, dtype=np.int32), np.diff(index))
        return to_tensor(found) if self._is_tensor else found

    def set_parts(self, arrays: dict[str, np.ndarray], where: str) -> None:
        """Take over where the graphs of a stored batch begin.

        Args:
            arrays: integers of shape [graphs + 1] for each kind of things that are counted; none: it is one graph.
            where: the folder, for messages.

        Raises:
            ValueError: they do not divide the nodes and edges.
        """
        for part, count_name in self.PARTS.items() if arrays else ():
            index, count = arrays.get(part, np.empty(0, np.int64)), getattr(self, count_name)
            rises = index.ndim == 1 and index.dtype.kind in "iu" and len(index) and (index[1:] >= index[:-1]).all()
            if not rises or index[0] != 0 or index[-1] != count or len(index) != len(next(iter(arrays.values()))):
                raise ValueError(f"{where} is damaged: its graphs do not divide {count} {part}s; store it again")
        self._parts = {part: index.astype(np.int64) for part, index in arrays.items()}

    @classmethod
    def disjoint(cls: type[Self], graph_list: Sequence[Self], merged_graph_index: bool = False) -> Self:
        """Put graphs side by side into one graph without edges between them.

        Args:
            graph_list: graphs with the same names of features; those of a batch count as one each.
            merged_graph_index: True: the result counts as one graph; False: it knows which is which.

        Returns:
            The graph, of Tensors where the first one is; nodes and edges keep their order.

        Raises:
            ValueError: there are no graphs, or their features do not fit each other.
        """
        if not len(graph_list):
            raise ValueError(f"{cls.__name__}.disjoint: there are no graphs to put side by side")
        index = {part: _offsets([getattr(graph, count) for graph in graph_list]) for part, count in cls.PARTS.items()}
        parts = list(index)  # of nodes: sources, targets; the last part is that of edges
        offsets = np.stack([index[parts[0]][:-1], index[parts[-2]][:-1]], axis=1)
        edges = [graph.numpy(inplace=False).edges + offset for graph, offset in zip(graph_list, offsets)]
        joined = object.__new__(cls)
        joined._begin(int(index[parts[0]][-1]), int(index[parts[-2]][-1]), int(index["edge"][-1]))
        joined._edges = np.concatenate(edges)
        to_tensors = graph_list[0].is_tensor()
        for kind in cls.KINDS:
            tables = [graph._features[kind] for graph in graph_list]
            joined._features[kind] = _joined_features(cls.__name__, kind, tables, to_tensors)
        if not merged_graph_index:
            joined._parts = index
        return joined.tensor() if to_tensors else joined

    @classmethod
    def batch(cls: type[Self], graph_list: Sequence[Self]) -> Self:
        """Put graphs side by side into one that knows which is which; see :meth:`disjoint`.

        Args:
            graph_list: graphs with the same names of features.
        """
        return cls.disjoint(graph_list)


def _offsets(counts: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _joined_features(owner: str, kind: str, tables: Sequence[dict[str, Any]], to_tensors: bool) -> dict[str, Any]:
    """Return the features of graphs, those of the first graph above those of the second and so on."""
    joined = {}
    for name in tables[0]:
        rows = [table.get(name) for table in tables]
        shapes = {None if row is None else tuple(row.shape[1:]) for row in rows}
        if len(shapes) > 1:
            raise ValueError(f"{owner}.disjoint: {kind} {name!r} is not of one shape in all graphs")
        joined[name] = _concatenated(rows) if to_tensors else np.concatenate([np.asarray(row) for row in rows])
    for number, table in enumerate(tables):
        if set(table) != set(joined):
            odd = sorted(set(table) - set(joined))[0]
            raise ValueError(f"{owner}.disjoint: graph {number} has a {kind} {odd!r}, and graph 0 has none")
    return joined


def _concatenated(rows: Sequence[Any]) -> Any:
    from core.operators.shape.joining import concat

    return concat([as_tensor(row) for row in rows], 0)
