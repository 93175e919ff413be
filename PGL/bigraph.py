"""A graph whose edges lead from nodes of one set to nodes of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import numpy as np

from PGL.checks import check_count, count_nodes, edge_array
from PGL.queries import id_batches
from PGL.relation import Relation
from PGL.structure import to_tensor


class BiGraph(Relation):
    """A bipartite graph: edges lead from source nodes to destination nodes, each set numbered from 0.

    ``outdegree`` and ``successor`` take sources, ``indegree`` and ``predecessor`` take destinations; messages are sent
    by sources and arrive at destinations. For all else see :class:`PGL.Graph`.

    Args:
        edges: pairs (source, destination): a list, an array or a Tensor of shape [edges, 2].
        src_num_nodes: how many sources there are; None: one more than the largest id.
        dst_num_nodes: how many destinations there are; None: one more than the largest id.
        src_node_feat: arrays or Tensors by name, a row for each source.
        dst_node_feat: arrays or Tensors by name, a row for each destination.
        edge_feat: arrays or Tensors by name, a row for each edge.

    Raises:
        TypeError: features are no dictionary.
        ValueError: an edge is no pair of ids of existing nodes, or a feature has another number of rows.
    """

    KINDS = ("src_node_feat", "dst_node_feat", "edge_feat")
    PARTS = {"src_node": "src_num_nodes", "dst_node": "dst_num_nodes", "edge": "num_edges"}

    def __init__(
        self,
        edges: Any,
        src_num_nodes: Any = None,
        dst_num_nodes: Any = None,
        src_node_feat: Any = None,
        dst_node_feat: Any = None,
        edge_feat: Any = None,
    ) -> None:
        owner = type(self).__name__
        edges = edges if hasattr(edges, "shape") else edge_array(edges, owner)
        counts: list[int] = []
        for column, (name, given) in enumerate((("src_num_nodes", src_num_nodes), ("dst_num_nodes", dst_num_nodes))):
            if given is None:
                given = count_nodes(edge_array(edges, owner)[:, column])
            counts.append(check_count(given, owner, name))
        features = {"src_node_feat": src_node_feat, "dst_node_feat": dst_node_feat, "edge_feat": edge_feat}
        super().__init__(edges, counts[0], counts[1], features)

    @property
    def src_num_nodes(self) -> int:
        """The number of sources."""
        return self._num_sources

    @property
    def dst_num_nodes(self) -> int:
        """The number of destinations."""
        return self._num_targets

    @property
    def src_nodes(self) -> Any:
        """The ids of all sources: int64, an array or a Tensor."""
        nodes = np.arange(self.src_num_nodes)
        return to_tensor(nodes) if self._is_tensor else nodes

    @property
    def dst_nodes(self) -> Any:
        """The ids of all destinations: int64, an array or a Tensor."""
        nodes = np.arange(self.dst_num_nodes)
        return to_tensor(nodes) if self._is_tensor else nodes

    @property
    def src_node_feat(self) -> dict[str, Any]:
        """Features of sources by name."""
        return self._features["src_node_feat"]

    @property
    def dst_node_feat(self) -> dict[str, Any]:
        """Features of destinations by name."""
        return self._features["dst_node_feat"]

    @property
    def graph_src_node_id(self) -> Any:
        """The graph to which each source belongs: int32 of shape [src_num_nodes], an array or a Tensor."""
        return self._part_id("src_node")

    @property
    def graph_dst_node_id(self) -> Any:
        """The graph to which each destination belongs: int32 of shape [dst_num_nodes], an array or a Tensor."""
        return self._part_id("dst_node")

    def node_batch_iter(
        self, batch_size: int, shuffle: bool = True, mode: str = "src_node", seed: Optional[int] = None
    ) -> Iterator[Any]:
        """Iterate over all sources, or all destinations, by batches.

        Args:
            batch_size: how many ids a batch has; the last may have fewer.
            shuffle: whether they come in a random order.
            mode: "src_node" or "dst_node".
            seed: what the order follows from; None: numpy's global generator.

        Returns:
            Arrays, or Tensors, of ids, int64.

        Raises:
            ValueError: ``batch_size`` is not positive, or the mode is unknown.
        """
        if mode not in ("src_node", "dst_node"):
            raise ValueError(f"BiGraph.node_batch_iter: mode must be 'src_node' or 'dst_node', not {mode!r}")
        count = self.src_num_nodes if mode == "src_node" else self.dst_num_nodes
        batches = id_batches(np.arange(count), batch_size, shuffle, seed, "BiGraph")
        return map(to_tensor, batches) if self._is_tensor else batches
