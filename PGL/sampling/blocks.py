"""Sampled neighbourhoods as a chain of small bipartite graphs, one for each layer of a network.

Hop by hop, from the nodes whose result is wanted (the seeds) outwards, some neighbours of every node met so far are
drawn. The nodes of a hop are the first of the next, so the block of a layer leads from its ``num_sources`` nodes to the
first ``num_targets`` of them. (Hamilton, Ying and Leskovec, "Inductive Representation Learning on Large Graphs", 2017,
https://arxiv.org/abs/1706.02216)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.graphs import Adjacency, random_key, renumber, sample_neighbors
from PGL.checks import node_ids
from PGL.sampling.arguments import fan_outs


class Block(NamedTuple):
    """The edges of one layer, from numbered sources to targets, in numpy's arrays or in Tensors.

    It answers :meth:`connections`, which is all that most layers ask of a graph: ``conv(block, (x, x[:num_targets]))``.

    Attributes:
        incoming: int64 indptr [num_targets + 1], int32 sources [edges], int32 numbers of the edges [edges].
        outgoing: int64 indptr [num_sources + 1], int32 targets [edges], int32 numbers of the edges [edges].
        edge_ids: the ids that the edges have in the graph, [edges].
    """

    incoming: tuple[Any, Any, Any]
    outgoing: tuple[Any, Any, Any]
    edge_ids: Any

    @property
    def num_sources(self) -> int:
        """The number of nodes from which edges come."""
        return int(self.outgoing[0].shape[0]) - 1

    @property
    def num_targets(self) -> int:
        """The number of nodes to which edges lead, the first ones of the sources."""
        return int(self.incoming[0].shape[0]) - 1

    @property
    def num_edges(self) -> int:
        """The number of edges."""
        return int(self.incoming[1].shape[0])

    def connections(self) -> Any:
        """Return the edges as :mod:`core.operators.graphs.message_passing` takes them."""
        from core.operators.creation.creation import to_tensor
        from core.operators.graphs._edges import Edges, Rows
        from core.tensor import Tensor

        def tensors(rows: tuple[Any, Any, Any]) -> Rows:
            return Rows(*[array if isinstance(array, Tensor) else to_tensor(array) for array in rows])

        return Edges(tensors(self.incoming), tensors(self.outgoing))

    def edges(self) -> np.ndarray:
        """Return the pairs (source, target), int64 of shape [edges, 2], in the order of the edges' numbers."""
        indptr, sources, _ = (np.asarray(array) for array in self.incoming)
        targets = np.repeat(np.arange(self.num_targets), np.diff(indptr))
        return np.stack([sources.astype(np.int64), targets], axis=1)


class Blocks(NamedTuple):
    """What is needed to compute a network's result at some nodes.

    Attributes:
        nodes: int64: the ids of all nodes; the first ``num_seeds`` are the seeds, without repetition.
        num_seeds: How many seeds there are.
        blocks: One for each layer, the one that the network's first layer uses first.
        features: Rows of the nodes' features, float32, where the loader was given features.
    """

    nodes: Any
    num_seeds: int
    blocks: tuple[Block, ...]
    features: Any = None

    @property
    def seeds(self) -> Any:
        """The nodes whose result is wanted."""
        return self.nodes[: self.num_seeds]

    def flat(self) -> list[Any]:
        """Return everything in one list of arrays, as a loader hands it on."""
        arrays = [[*block.incoming, *block.outgoing, block.edge_ids] for block in self.blocks]
        return [self.nodes, self.num_seeds, self.features, *(array for some in arrays for array in some)]

    @classmethod
    def from_flat(cls, flat: Sequence[Any]) -> Blocks:
        """Undo :meth:`flat`."""
        nodes, num_seeds, features, *arrays = flat
        chain = [
            Block(tuple(arrays[i : i + 3]), tuple(arrays[i + 3 : i + 6]), arrays[i + 6])
            for i in range(0, len(arrays), 7)
        ]
        return cls(nodes, num_seeds, tuple(chain), features)


def sample_blocks(
    incoming: Adjacency,
    nodes: Any,
    samples: Sequence[int],
    seed: int,
    replace: bool = False,
    weights: Any = None,
) -> Blocks:
    """Draw the neighbourhood of some nodes.

    Args:
        incoming: The edges by target; may be memory-mapped.
        nodes: The seeds; repeated ones count once.
        samples: How many neighbours are drawn at each hop, from the seeds outwards; -1: all.
        seed: What the draws follow from.
        replace: Draw each time among all neighbours.
        weights: Chances of the edges in the order of ``incoming.indices``, as
            :func:`core.graphs.sample_neighbors` takes them; None: all alike.

    Returns:
        The nodes and blocks, in numpy's arrays.

    Raises:
        ValueError: a node does not exist, there is not one weight for each edge, or another argument is out of range.
    """
    owner = "sample_blocks"
    entries = weights[0] if isinstance(weights, tuple) else weights
    if entries is not None and entries.shape != incoming.indices.shape:
        raise ValueError(f"{owner}: weights of shape {list(entries.shape)} do not fit {incoming.num_edges} edges")
    known, _ = renumber(node_ids(nodes, incoming.rows, f"{owner}: node"))
    seeds = len(known)
    chain: list[Block] = []
    for hop, size in enumerate(fan_outs(samples, owner)):
        drawn = sample_neighbors(incoming, known, size, random_key(seed, hop), replace, weights)
        targets = len(known)
        known, numbers = renumber(np.concatenate([known, drawn.neighbors]))
        sources = numbers[targets:]
        order = np.arange(len(sources), dtype=np.int32)
        ends = np.repeat(np.arange(targets, dtype=np.int32), np.diff(drawn.indptr))
        rows = Adjacency.from_edges(sources, ends, len(known), targets, verify=False)
        backwards = rows.indptr, rows.indices, rows.edge_ids
        chain.insert(0, Block((drawn.indptr, sources, order), backwards, incoming.ids(drawn.places)))
    return Blocks(known, seeds, tuple(chain))
