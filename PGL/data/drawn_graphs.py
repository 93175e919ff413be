"""Drawn graphs whose classes are known, and cannot be derived from any count of nodes, edges, degrees or kinds."""

from __future__ import annotations

from typing import Optional

import numpy as np

from PGL.data.graph_sets import GraphSet, Vocabulary

KINDS = ("C", "N", "O", "S")
_BOND = (1, 2)


class DrawnGraphs(GraphSet):
    """Molecule-like graphs: is an N bonded to an O?

    They come in pairs on one skeleton, a random tree with further edges. In one of a pair some N has an edge to an O;
    in the other the kinds of nodes of equal degree are exchanged until none has. So nodes, edges, degrees, kinds, and
    kinds by degree are the same in both, and every rule on such counts is right for one of each pair: an accuracy of
    0.5 exactly.

    Args:
        count: how many graphs there are, an even number; three fifths are for training, a fifth for validation, and a
            fifth for the test. Pairs stay together.
        smallest: nodes of a graph, at least.
        largest: and at most.
        seed: what they follow from.
        root: not used.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(
        self, count: int = 1000, smallest: int = 10, largest: int = 20, seed: int = 0, root: Optional[str] = None
    ) -> None:
        if count % 2 or not 10 <= count <= 1_000_000 or not 6 <= smallest <= largest <= 1000:
            raise ValueError(
                "DrawnGraphs: count must be an even number from 10 to 1,000,000, and 6 <= smallest <= largest <="
                " 1000, not "
                f"{count}, {smallest} and {largest}"
            )
        generator = np.random.default_rng(seed)
        drawn = [_pair(generator, smallest, largest) for _ in range(count // 2)]
        edges = [one for one, _, _ in drawn for _ in range(2)]
        kinds = [arranged for _, *both in drawn for arranged in both]
        node_starts = _starts(list(map(len, kinds)))
        shifted = [one + start for one, start in zip(edges, node_starts)]
        vocabulary = Vocabulary([list(range(len(KINDS)))], 0, None, ["apart", "bonded"])
        nodes = int(node_starts[-1])
        super().__init__(
            np.concatenate(shifted),
            node_starts,
            _starts(list(map(len, edges))),
            vocabulary,
            np.empty((nodes, 0), np.float32),
            np.concatenate(kinds)[:, None],
            np.arange(count) % 2,
        )
        train, valid = 2 * (3 * count // 10), 2 * (count // 10)
        everyone = np.arange(count)
        self.train_index, self.val_index = everyone[:train], everyone[train : train + valid]
        self.test_index = everyone[train + valid :]


def _starts(counts: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _pair(generator: np.random.Generator, smallest: int, largest: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the edges of a skeleton in both directions, and kinds of nodes without and with the bond."""
    while True:
        count = int(generator.integers(smallest, largest + 1))
        tree = np.stack(
            [np.arange(1, count), (generator.random(count - 1) * np.arange(1, count)).astype(np.int64)], axis=1
        )
        rings = np.sort(generator.integers(0, count, (count // 4, 2)), axis=1)[:, ::-1]
        pairs = np.unique(np.concatenate([tree, rings[rings[:, 0] != rings[:, 1]]]), axis=0)
        degrees = np.bincount(pairs.reshape(-1), minlength=count)
        kinds = generator.integers(0, len(KINDS), count)
        found: dict[bool, np.ndarray] = {}
        for _ in range(20):
            found.setdefault(has_bond(pairs, kinds), kinds)
            if len(found) == 2:
                return np.concatenate([pairs, pairs[:, ::-1]]), found[False], found[True]
            kinds = _exchanged(kinds, degrees, generator)


def _exchanged(kinds: np.ndarray, degrees: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return kinds in which nodes of equal degree have changed places."""
    order = np.argsort(degrees, kind="stable")
    mixed = np.lexsort([generator.random(len(kinds)), degrees])
    exchanged = np.empty_like(kinds)
    exchanged[order] = kinds[mixed]
    return exchanged


def has_bond(edges: np.ndarray, kinds: np.ndarray) -> bool:
    """Return the known answer: whether an edge joins an N and an O.

    Args:
        edges: int64 [edges, 2].
        kinds: of the nodes, places in :data:`KINDS`.
    """
    ends = np.sort(kinds[edges], axis=1)
    return bool((ends == _BOND).all(axis=1).any())
