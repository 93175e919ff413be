"""Mini-batches of nodes with their sampled neighbourhoods, in this process or in others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Optional

import numpy as np

from core.graphs import Adjacency, gather_scaled
from core.io import DataLoader, Dataset, Sampler
from PGL.checks import node_ids
from PGL.sampling.arguments import draw_seed, fan_outs, whole_number
from PGL.sampling.blocks import Blocks, sample_blocks
from PGL.sampling.mapped import pack, unpack
from PGL.storage.features import ScaledArray


class NeighborLoader:
    """Iterate over nodes in mini-batches, each with what a network needs to compute its result there.

    The batches depend on (seed, epoch, batch number) alone, not on the number of workers or threads.

    Args:
        graph: A graph, or its edges by target (:class:`PGL.Adjacency`); memory-mapped ones are mapped by each worker.
        nodes: The nodes to go through; None: all.
        samples: How many neighbours are drawn at each hop, from the batch's nodes outwards; -1: all.
        batch_size: Nodes per batch.
        features: A table with a row for each node, of which each batch gets the rows of its nodes as float32.
        shuffle: Go through the nodes in an order drawn again for each epoch.
        drop_last: Leave out the last batch when it is not full.
        replace: Draw with replacement.
        num_workers: How many processes draw; 0: this one does.
        seed: What all draws follow from.

    Raises:
        ValueError: an argument is out of range; the message names it.
    """

    def __init__(
        self,
        graph: Any,
        nodes: Any,
        samples: Sequence[int],
        batch_size: int = 1024,
        features: Any = None,
        shuffle: bool = False,
        drop_last: bool = False,
        replace: bool = False,
        num_workers: int = 0,
        seed: int = 0,
    ) -> None:
        owner = "NeighborLoader"
        incoming = graph if isinstance(graph, Adjacency) else graph.incoming
        if features is not None and features.shape[0] != incoming.rows:
            raise ValueError(f"{owner}: features has {features.shape[0]} rows for {incoming.rows} nodes")
        chosen = np.arange(incoming.rows) if nodes is None else node_ids(nodes, incoming.rows, f"{owner}: node")
        size = whole_number(batch_size, 1, owner, "batch_size")
        batches = _NodeBatches(chosen, size, shuffle, drop_last, whole_number(seed, 0, owner, "seed"))
        self._loader = DataLoader(
            _Nodes(),
            batch_sampler=batches,
            collate_fn=_Neighborhoods(incoming, fan_outs(samples, owner), replace, features),
            num_workers=num_workers,
            persistent_workers=num_workers > 0,
            seed=seed,
        )

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch that the next iteration goes through."""
        self._loader.set_epoch(epoch)

    def __iter__(self) -> Iterator[Blocks]:
        """Return an iterator over :class:`PGL.sampling.Blocks` of Tensors."""
        return map(Blocks.from_flat, self._loader)

    def __len__(self) -> int:
        return len(self._loader)


class _Nodes(Dataset):
    """A data set of which any batch of nodes is one sample."""

    def __getitem__(self, nodes: Any) -> Any:
        return nodes


class _NodeBatches(Sampler):
    """Batches of nodes, each a list of one array."""

    def __init__(self, nodes: np.ndarray, size: int, shuffle: bool, drop_last: bool, seed: int) -> None:
        super().__init__()
        self.nodes, self.size, self.shuffle, self.drop_last, self.seed = nodes, size, shuffle, drop_last, seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose order the next iteration gives."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        nodes = self.nodes
        if self.shuffle:
            nodes = np.random.default_rng([self.seed, self.epoch]).permutation(nodes)
        return ([nodes[place : place + self.size]] for place in range(0, len(self) * self.size, self.size))

    def __len__(self) -> int:
        return len(self.nodes) // self.size if self.drop_last else -(-len(self.nodes) // self.size)


class _Neighborhoods:
    """Makes a flat list of arrays of a batch of nodes; goes to workers with the names of the graph's files."""

    def __init__(self, incoming: Adjacency, samples: Sequence[int], replace: bool, features: Optional[Any]) -> None:
        self.incoming, self.samples, self.replace, self.features = incoming, samples, replace, features

    def __getstate__(self) -> dict[str, Any]:
        return {name: pack(value) for name, value in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: unpack(value) for name, value in state.items()})

    def __call__(self, batch: list[np.ndarray]) -> list[Any]:
        blocks = sample_blocks(self.incoming, batch[0], self.samples, draw_seed(None, "NeighborLoader"), self.replace)
        if self.features is not None:
            blocks = blocks._replace(features=_rows(self.features, blocks.nodes))
        return blocks.flat()


def _rows(features: Any, nodes: np.ndarray) -> np.ndarray:
    """Return the rows of some nodes as float32."""
    if isinstance(features, ScaledArray) and features.ndim == 2:
        return gather_scaled(features.values, features.scale, nodes)
    return np.asarray(features[nodes], np.float32)
