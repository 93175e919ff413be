"""A graph whose nodes and edges are of several types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Optional

import numpy as np

from PGL.checks import check_count, check_features, is_tensor, node_ids
from PGL.graph import Graph
from PGL.queries import id_batches
from PGL.structure import as_tensor, to_tensor


class HeterGraph:
    """A heterogeneous graph: one :class:`PGL.Graph` over the same nodes for each type of edges.

    ``graph["type"]`` is the graph of one type of edges; all share the features of nodes. See :class:`PGL.Graph`.

    Args:
        edges: for each type of edges, pairs (source, target): a list, an array or a Tensor of shape [edges, 2].
        num_nodes: how many nodes there are; None: as many as ``node_types`` has.
        node_types: pairs (id, type), one for each node, in any order; or an array of shape [num_nodes] of each
            node's type.
        node_feat: arrays or Tensors by name, a row for each node.
        edge_feat: for each type of edges, arrays or Tensors by name, a row for each edge.

    Raises:
        TypeError: edges or features are no dictionary.
        ValueError: there is no type of edges, a node has no type or several, an edge is no pair of ids of existing
            nodes, or a feature has another number of rows.
    """

    def __init__(
        self,
        edges: Mapping[str, Any],
        num_nodes: Any = None,
        node_types: Any = None,
        node_feat: Any = None,
        edge_feat: Any = None,
    ) -> None:
        if not isinstance(edges, Mapping):
            raise TypeError(f"HeterGraph: edges must be pairs by type, a dict, not {type(edges).__name__}")
        if not edges:
            raise ValueError("HeterGraph: there is no type of edges")
        given = edge_feat or {}
        unknown = sorted(set(given) - set(edges))
        if unknown:
            raise ValueError(f"HeterGraph: there are edge features of {unknown[0]!r}, but no edges of that type")
        if num_nodes is None and node_types is None:
            raise ValueError("HeterGraph: give num_nodes or node_types")
        count = len(node_types) if num_nodes is None else check_count(num_nodes, "HeterGraph")
        tables = check_features(node_feat, count, "HeterGraph", "node_feat")
        graphs = {name: Graph(pairs, count, None, given.get(name)) for name, pairs in edges.items()}
        if any(graph.is_tensor() for graph in graphs.values()) or any(map(is_tensor, tables.values())):
            graphs = {name: graph.tensor() for name, graph in graphs.items()}
            tables = {name: as_tensor(table) for name, table in tables.items()}
        for graph in graphs.values():
            graph.set_node_feat(tables)
        self._begin(graphs, _types(node_types, count))

    def _begin(self, graphs: dict[str, Graph], node_types: Optional[np.ndarray]) -> None:
        self._graphs = graphs
        self._node_types = node_types

    def __getitem__(self, edge_type: str) -> Graph:
        """Return the graph of one type of edges.

        Raises:
            KeyError: there is no such type.
        """
        if edge_type not in self._graphs:
            known = ", ".join(map(repr, self._graphs))
            raise KeyError(f"HeterGraph: there are no edges of type {edge_type!r}; there are {known}")
        return self._graphs[edge_type]

    @property
    def _first(self) -> Graph:
        return next(iter(self._graphs.values()))

    def is_tensor(self) -> bool:
        """Return whether edges and features are Tensors."""
        return self._first.is_tensor()

    @property
    def edge_types(self) -> list[str]:
        """The types of edges."""
        return list(self._graphs)

    @property
    def num_nodes(self) -> int:
        """The number of nodes of all types."""
        return self._first.num_nodes

    @property
    def num_edges(self) -> dict[str, int]:
        """The number of edges of each type."""
        return {name: graph.num_edges for name, graph in self._graphs.items()}

    @property
    def nodes(self) -> Any:
        """The ids of all nodes: int64, an array or a Tensor."""
        return self._first.nodes

    @property
    def node_types(self) -> Optional[np.ndarray]:
        """The type of each node, an array of shape [num_nodes]; None where types were not given."""
        return self._node_types

    @property
    def node_feat(self) -> dict[str, Any]:
        """Features of nodes by name."""
        return self._first.node_feat

    @property
    def edge_feat(self) -> dict[str, dict[str, Any]]:
        """For each type of edges, its features by name."""
        return {name: graph.edge_feat for name, graph in self._graphs.items()}

    def nodes_by_type(self, n_type: Any) -> np.ndarray:
        """Return the ids of the nodes of a type, ascending.

        Args:
            n_type: the type.

        Returns:
            int64 of shape [n].

        Raises:
            ValueError: there are none.
        """
        found = np.empty(0, np.int64) if self._node_types is None else np.flatnonzero(self._node_types == n_type)
        if not len(found):
            known = [] if self._node_types is None else sorted(set(self._node_types.tolist()), key=str)
            raise ValueError(f"HeterGraph: there are no nodes of type {n_type!r}; there are {known}")
        return found

    def num_nodes_by_type(self, n_type: Any) -> int:
        """Return the number of nodes of a type; see :meth:`nodes_by_type`."""
        return len(self.nodes_by_type(n_type))

    def _degrees(self, method: str, nodes: Any, edge_type: Optional[str]) -> Any:
        chosen = list(self._graphs.values()) if edge_type is None else [self[edge_type]]
        total = getattr(chosen[0], method)(nodes)
        for graph in chosen[1:]:
            total = total + getattr(graph, method)(nodes)
        return total

    def indegree(self, nodes: Any = None, edge_type: Optional[str] = None) -> Any:
        """Return how many edges end at nodes.

        Args:
            nodes: ids of shape [n]; None: all nodes.
            edge_type: the type of edges that count; None: all types.

        Returns:
            int64 of shape [n], an array or a Tensor.
        """
        return self._degrees("indegree", nodes, edge_type)

    def outdegree(self, nodes: Any = None, edge_type: Optional[str] = None) -> Any:
        """Return how many edges begin at nodes.

        Args:
            nodes: ids of shape [n]; None: all nodes.
            edge_type: the type of edges that count; None: all types.

        Returns:
            int64 of shape [n], an array or a Tensor.
        """
        return self._degrees("outdegree", nodes, edge_type)

    def successor(self, edge_type: str, nodes: Any = None, return_eids: bool = False) -> Any:
        """Return the targets of one type's edges; see :meth:`PGL.Graph.successor`."""
        return self[edge_type].successor(nodes, return_eids)

    def predecessor(self, edge_type: str, nodes: Any = None, return_eids: bool = False) -> Any:
        """Return the sources of one type's edges; see :meth:`PGL.Graph.predecessor`."""
        return self[edge_type].predecessor(nodes, return_eids)

    def sample_successor(self, edge_type: str, nodes: Any, max_degree: int, **options: Any) -> Any:
        """Return some targets of one type's edges; for the options see :meth:`PGL.Graph.sample_successor`."""
        return self[edge_type].sample_successor(nodes, max_degree, **options)

    def sample_predecessor(self, edge_type: str, nodes: Any, max_degree: int, **options: Any) -> Any:
        """Return some sources of one type's edges; for the options see :meth:`PGL.Graph.sample_predecessor`."""
        return self[edge_type].sample_predecessor(nodes, max_degree, **options)

    def node_batch_iter(
        self, batch_size: int, shuffle: bool = False, n_type: Any = None, seed: Optional[int] = None
    ) -> Iterator[Any]:
        """Iterate over nodes by batches.

        Args:
            batch_size: how many ids a batch has; the last may have fewer.
            shuffle: whether they come in a random order.
            n_type: the type of nodes; None: all nodes.
            seed: what the order follows from; None: numpy's global generator.

        Returns:
            Arrays, or Tensors, of ids, int64.

        Raises:
            ValueError: ``batch_size`` is not positive, or there are no nodes of that type.
        """
        nodes = np.arange(self.num_nodes) if n_type is None else self.nodes_by_type(n_type)
        batches = id_batches(nodes, batch_size, shuffle, seed, "HeterGraph")
        return map(to_tensor, batches) if self.is_tensor() else batches

    def tensor(self, inplace: bool = True) -> HeterGraph:
        """Turn edges and features into Tensors; see :meth:`PGL.Graph.tensor`."""
        return self._converted("tensor", inplace)

    def numpy(self, inplace: bool = True) -> HeterGraph:
        """Turn edges and features into numpy's arrays; see :meth:`PGL.Graph.numpy`."""
        return self._converted("numpy", inplace)

    def _converted(self, method: str, inplace: bool) -> HeterGraph:
        """Convert each type's graph, and the features of nodes, which they share, once."""
        graphs: dict[str, Graph] = {}
        shared: dict[str, Any] = {}
        for name, graph in self._graphs.items():
            converted = graph if inplace else graph.copy()
            if graphs:
                converted.set_node_feat({})
            getattr(converted, method)()
            shared = shared if graphs else converted.node_feat
            converted.set_node_feat(shared)
            graphs[name] = converted
        heter_graph = self if inplace else object.__new__(type(self))
        heter_graph._begin(graphs, self._node_types)
        return heter_graph

    def dump(self, path: Any) -> None:
        """Write the graph into a folder, from which :meth:`load` maps it into memory; see :meth:`PGL.Graph.dump`.

        Args:
            path: the folder; a stored heterogeneous graph that is there is replaced.

        Raises:
            FileExistsError: the folder holds something else.
            ValueError: a type of edges is not text, or one of nodes neither text nor a whole number.
        """
        from PGL.storage import heter as heter_storage

        heter_storage.save(path, self.numpy(inplace=False)._graphs, self._node_types)

    @classmethod
    def load(cls, path: Any, mmap_mode: Optional[str] = "r", verify: bool = True) -> HeterGraph:
        """Read a graph that :meth:`dump` wrote; see :meth:`PGL.Graph.load`.

        Args:
            path: its folder.
            mmap_mode: "r": its arrays stay on disk, read-only; "c": changes stay in memory; None: read into memory.
            verify: whether all ids are read once and checked.

        Raises:
            FileNotFoundError: there is no stored heterogeneous graph.
            ValueError: it is damaged, truncated or foreign.
        """
        from PGL.storage import heter as heter_storage

        graph = object.__new__(cls)
        graph._begin(*heter_storage.load(path, mmap_mode, verify))
        return graph


def _types(given: Any, count: int) -> Optional[np.ndarray]:
    """Return the type of each node, an array of objects, from pairs (id, type) or from one type for each node."""
    if given is None:
        return None
    if isinstance(given, np.ndarray) and given.ndim == 1:
        types = given.astype(object)
    else:
        pairs = [tuple(pair) for pair in given]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError("HeterGraph: node_types must be pairs (id, type) or an array of one type for each node")
        ids = node_ids([pair[0] for pair in pairs], count, "HeterGraph: node_types: node")
        numbers = np.bincount(ids, minlength=count)
        if (numbers != 1).any():
            node = int(np.flatnonzero(numbers != 1)[0])
            raise ValueError(f"HeterGraph: node_types gives node {node} {numbers[node]} types; each node has one")
        types = np.empty(count, object)
        types[ids] = np.array([pair[1] for pair in pairs] + [None], object)[:-1]
    if len(types) != count:
        raise ValueError(f"HeterGraph: node_types gives {len(types)} types to {count} nodes; each node has one")
    return types
