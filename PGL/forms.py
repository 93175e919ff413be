"""Forms of a graph that leave its process or its class: a flat tuple of Tensors, a pickle, and a folder on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional, TypeVar

import numpy as np

from PGL.batching import Joined
from PGL.checks import check_finite
from PGL.structure import as_tensor

Self = TypeVar("Self", bound="Forms")


class Forms(Joined):
    """What turns a graph into another form of itself."""

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to another process: memory-mapped arrays by the names of their files."""
        from PGL.sampling.mapped import pack

        state = {name: pack(value) for name, value in self.__dict__.items()}
        state["_connections"], state["kept"] = None, {}  # made again from the edges
        state["_features"] = {
            kind: {name: pack(value) for name, value in tables.items()} for kind, tables in self._features.items()
        }
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        from PGL.sampling.mapped import unpack

        self.__dict__.update({name: unpack(value) for name, value in state.items()})
        for tables in self._features.values():
            tables.update({name: unpack(value) for name, value in tables.items()})

    def flat(self) -> tuple[Any, ...]:
        """Return the graph as Tensors alone, so that it can be an argument of compiled code; see :meth:`from_flat`.

        Returns:
            The edges, the six Tensors of :meth:`connections`, where each graph of a batch begins, and the features in
            the order of their names, kind by kind.
        """
        incoming, outgoing = self.connections()
        parts = [as_tensor(self._part_index(part)) for part in self.PARTS]
        features = [as_tensor(tables[name]) for tables in self._features.values() for name in sorted(tables)]
        return (as_tensor(self.edges), *incoming, *outgoing, *parts, *features)

    @classmethod
    def from_flat(cls: type[Self], tensors: Sequence[Any], **names: Sequence[str]) -> Self:
        """Put together a graph from what :meth:`flat` returned, in compiled code too; nothing is checked again.

        Args:
            tensors: the Tensors.
            **names: the features' names by kind, such as ``node_feat=["words"]``.

        Returns:
            The graph, of Tensors.

        Raises:
            ValueError: the number of Tensors does not fit the names, or a kind of features is unknown.
        """
        unknown = sorted(set(names) - set(cls.KINDS))
        if unknown:
            raise ValueError(f"{cls.__name__}.from_flat: {unknown[0]!r} is no kind of features: {', '.join(cls.KINDS)}")
        keys = [(kind, name) for kind in cls.KINDS for name in sorted(names.get(kind, ()))]
        wanted = 7 + len(cls.PARTS) + len(keys)
        if len(tensors) != wanted:
            raise ValueError(f"{cls.__name__}.from_flat: {wanted} Tensors belong to these features, not {len(tensors)}")
        from core.operators.graphs._edges import Edges, Rows

        connections = Edges(Rows(*tensors[1:4]), Rows(*tensors[4:7]))
        graph = object.__new__(cls)
        graph._begin(connections.num_sources, connections.num_targets, connections.num_edges)
        graph._edge_tensor, graph._connections, graph._is_tensor = tensors[0], connections, True
        graph._parts = dict(zip(cls.PARTS, tensors[7:]))
        for (kind, name), tensor in zip(keys, tensors[7 + len(cls.PARTS) :]):
            graph._features[kind][name] = tensor
        return graph

    def check_finite(self) -> None:
        """Check that features hold neither NaN nor infinity, which would spread along the edges to every node.

        Raises:
            ValueError: one does; names it and its first row.
        """
        for kind, tables in self._features.items():
            check_finite(tables, f"{type(self).__name__}: {kind}")

    def dump(self, path: Any) -> None:
        """Write the graph into a folder, from which :meth:`load` maps it into memory.

        The folder appears when it is whole. The edges are stored by source, and by target too where that has been
        built; for the format see :mod:`PGL.storage.graphs`.

        Args:
            path: the folder; a stored graph that is there is replaced.

        Raises:
            FileExistsError: the folder holds something else.
            OSError: the disk is too small.
        """
        from PGL.storage import graphs as storage

        graph = self.numpy(inplace=False)
        arrays = {part: np.asarray(index) for part, index in graph._parts.items()}
        sizes = (graph._num_sources, graph._num_targets, graph._num_edges)
        stored = storage.StoredGraph(*sizes, graph.outgoing, graph._incoming, graph._features, arrays)
        storage.save(path, stored)

    @classmethod
    def load(cls: type[Self], path: Any, mmap_mode: Optional[str] = "r", verify: bool = True) -> Self:
        """Read a graph that :meth:`dump` or :func:`PGL.storage.graphs.create` wrote, or pgl 2.2's own ``dump``.

        Args:
            path: its folder.
            mmap_mode: "r": its arrays stay on disk, read-only; "c": changes stay in memory; None: read into memory.
            verify: whether all ids are read once and checked; see :func:`PGL.storage.graphs.load`.

        Returns:
            The graph, in numpy's arrays.

        Raises:
            FileNotFoundError: there is no stored graph.
            ValueError: it is another kind of graph, damaged, truncated or foreign.
        """
        from PGL.storage import graphs as storage
        from PGL.storage import pgl_dump

        if not (Path(path) / storage.HEADER).exists() and (Path(path) / pgl_dump.EDGES).is_file():
            return pgl_dump.load_pgl_dump(cls, Path(path), mmap_mode)
        return cls.from_stored(storage.load(path, mmap_mode, verify), repr(str(path)))

    @classmethod
    def from_stored(cls: type[Self], stored: Any, where: str = "the stored graph") -> Self:
        """Return the graph of arrays on disk.

        Args:
            stored: a :class:`PGL.storage.graphs.StoredGraph`.
            where: its folder, for messages.

        Raises:
            ValueError: it is another kind of graph.
        """
        graph = object.__new__(cls)
        graph._begin(stored.num_sources, stored.num_targets, stored.num_edges)
        fits = set(stored.features) <= set(cls.KINDS) and set(stored.arrays) <= set(cls.PARTS)
        if not fits or "node_feat" in cls.KINDS and stored.num_sources != stored.num_targets:
            raise ValueError(f"{where} does not hold a {cls.__name__}: it is another kind of graph")
        graph._outgoing, graph._incoming = stored.outgoing, stored.incoming
        if stored.outgoing and stored.incoming and stored.outgoing.edge_ids is stored.incoming.edge_ids is None:
            raise ValueError(
                f"{where} holds the edges in two directions without edge ids, so that its edges cannot be "
                "distinguished; read it with PGL.storage.load, or store it with edge_ids=True"
            )
        graph.set_parts(stored.arrays, where)
        graph._features.update(stored.features)
        return graph

    def to_mmap(self: Self, path: Any = "./tmp") -> Self:
        """Write the graph into a folder and return it mapped into memory, where processes share it.

        Args:
            path: the folder; see :meth:`dump`.
        """
        self.dump(path)
        return type(self).load(path)
