"""Sampled neighbourhoods as graphs, under the names of pgl 2: :func:`graphsage_sample` and :class:`NeighborSampler`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.graphs import alias_tables, random_key, renumber, sample_neighbors
from PGL.checks import edge_array, node_ids
from PGL.graph import Graph
from PGL.sampling.arguments import draw_seed, fan_outs
from PGL.sampling.blocks import Block, Blocks, sample_blocks


def graphsage_sample(
    graph: Graph, nodes: Any, samples: Sequence[int], ignore_edges: Any = (), *, seed: Optional[int] = None
) -> list[tuple[Graph, np.ndarray, np.ndarray]]:
    """Draw the neighbourhood of some nodes, as one graph for each layer of a network.

    Neighbours, at the sources of incoming edges, are drawn once for each node, when it is first met; all graphs have
    the same nodes, and each holds the edges of the ones after it too.

    Args:
        graph: The graph.
        nodes: The nodes whose result is wanted.
        samples: How many neighbours are drawn for each layer of the network, so the last of them at the first hop;
            -1: all.
        ignore_edges: Pairs (source, target) that are left out when they are drawn.
        seed: What the draws follow from; None: see :func:`PGL.sampling.arguments.draw_seed`.

    Returns:
        For each layer: the graph, with its nodes' and edges' features; the ids of its nodes in the large graph; and the
        numbers of ``nodes`` among them.

    Raises:
        ValueError: a node does not exist, or another argument is out of range.
    """
    owner = "graphsage_sample"
    wanted = node_ids(nodes, graph.num_nodes, f"{owner}: node")
    sizes, start = fan_outs(samples, owner), draw_seed(seed, owner)
    left_out = _pairs(ignore_edges, graph.num_nodes, owner)
    incoming = graph.incoming
    known, places = renumber(wanted)
    new = known
    layers: list[tuple[np.ndarray, np.ndarray]] = []
    edges, ids = np.empty((0, 2), np.int64), np.empty(0, np.int64)
    for hop, size in enumerate(reversed(sizes)):
        drawn = sample_neighbors(incoming, new, size, random_key(start, hop))
        found = np.stack([drawn.neighbors.astype(np.int64), np.repeat(new, np.diff(drawn.indptr))], axis=1)
        kept = ~np.isin(found @ [graph.num_nodes, 1], left_out)
        edges, ids = np.concatenate([edges, found[kept]]), np.concatenate([ids, incoming.ids(drawn.places)[kept]])
        layers.insert(0, (edges, ids))
        before = len(known)
        known, _ = renumber(np.concatenate([known, found[kept, 0]]))
        new = known[before:]
    _, numbers = renumber(np.concatenate([known, edges.ravel()]))
    local = numbers[len(known) :].astype(np.int64).reshape(-1, 2)
    node_feat = {name: np.asarray(values[known]) for name, values in graph.node_feat.items()}
    result = []
    for some, some_ids in layers:
        edge_feat = {name: np.asarray(values[some_ids]) for name, values in graph.edge_feat.items()}
        part = Graph(local[: len(some)], len(known), node_feat, edge_feat)
        result.append((part, known, places.astype(np.int64)))
    return result


def _pairs(edges: Any, count: int, owner: str) -> np.ndarray:
    """Return pairs of nodes as single numbers."""
    pairs = edge_array(edges, f"{owner}: ignore_edges")
    node_ids(pairs, count, f"{owner}: ignore_edges: node")
    return np.asarray(pairs @ [count, 1])


class NeighborSampler:
    """Draws neighbourhoods as chains of graphs from sources to targets.

    Args:
        graph: The graph.
        samples: How many neighbours are drawn at each hop, from the nodes asked for outwards; -1: all.
        uva: Taken for pgl's sake and not used.
        replace: Draw each time among all neighbours.
        weights: A chance for each edge, in the order of the edges' ids, ≥ 0; None: all alike.
        seed: What the draws of all calls follow from; None: each call draws one.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        graph: Graph,
        samples: Sequence[int],
        uva: bool = False,
        *,
        replace: bool = False,
        weights: Any = None,
        seed: Optional[int] = None,
    ) -> None:
        self.graph = graph
        self.samples = fan_outs(samples, "NeighborSampler")
        self.replace = replace
        self.seed = None if seed is None else draw_seed(seed, "NeighborSampler")
        self.weights = None if weights is None else _chances(graph, weights, replace)
        self._calls = 0

    def sample_blocks(self, nodes: Any) -> Blocks:
        """Draw the neighbourhood of some nodes.

        Args:
            nodes: The nodes whose result is wanted.

        Returns:
            The nodes and a :class:`PGL.sampling.Block` for each hop, the outermost first.
        """
        wanted = node_ids(nodes, self.graph.num_nodes, "NeighborSampler: node")
        start = draw_seed(None, "NeighborSampler") if self.seed is None else int(random_key(self.seed, self._calls))
        self._calls += 1
        return sample_blocks(self.graph.incoming, wanted, self.samples, start, self.replace, self.weights)

    def sample_neighbors(self, nodes: Any) -> tuple[list[tuple[Graph, int]], np.ndarray]:
        """Draw the neighbourhood of some nodes.

        Args:
            nodes: The nodes whose result is wanted, each once.

        Returns:
            For each hop, the outermost first: a graph of the hop's nodes, and how many of them edges end at. Then the
            ids of the outermost hop's nodes, int64.
        """
        drawn = self.sample_blocks(nodes)
        return [(_graph(block), block.num_targets) for block in drawn.blocks], drawn.nodes


def _graph(block: Block) -> Graph:
    return Graph(block.edges(), block.num_sources)


def _chances(graph: Graph, weights: Any, replace: bool) -> Any:
    """Return the weights of edges in the order of ``graph.incoming``, or tables of them for draws with replacement."""
    array = np.asarray(weights)
    if array.shape != (graph.num_edges,) or array.dtype.kind not in "fiu":
        raise ValueError(
            f"NeighborSampler: weights must be {graph.num_edges} numbers, one for each edge, not {array.dtype} of shape"
            f" {list(array.shape)}"
        )
    if array.size and not (np.isfinite(array).all() and array.min() >= 0):
        raise ValueError("NeighborSampler: weights must be finite and not negative")
    ordered = array.astype(np.float32)[graph.incoming.ids()]
    return alias_tables(ordered, graph.incoming.indptr) if replace else ordered
