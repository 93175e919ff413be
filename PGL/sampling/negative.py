"""Negative sampling: nodes that do not belong to a given one, drawn evenly or by a power of their degree."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.graphs import Adjacency, alias_tables, draw_alias, draw_negatives, random_key
from PGL.checks import node_ids
from PGL.sampling.arguments import draw_seed, whole_number


class NegativeSampler:
    """Draws nodes from a fixed distribution, leaving out those that are excluded for a source.

    Args:
        weights: A number ≥ 0 for each node, such as its degree; or the number of nodes, which are then all alike.
        power: What weights are raised to; 0.75 is word2vec's (Mikolov et al., 2013, https://arxiv.org/abs/1310.4546).
        excluded: For each source the nodes that are not drawn for it, often ``graph.outgoing``; None: none are.

    Raises:
        ValueError: the weights are no such numbers, or do not fit the excluded nodes.
    """

    def __init__(self, weights: Any, power: float = 0.75, excluded: Optional[Adjacency] = None) -> None:
        owner = "NegativeSampler"
        if np.ndim(weights) == 0:
            chances = np.ones(whole_number(weights, 1, owner, "the number of nodes"))
        else:
            chances = np.asarray(weights, np.float64)
            if chances.ndim != 1 or not np.isfinite(chances).all() or not (chances >= 0).all() or not chances.any():
                raise ValueError(f"{owner}: weights must be finite numbers ≥ 0, one for each node, and not all 0")
            chances = np.where(chances > 0, chances**power, 0)
        if excluded is not None and excluded.columns != len(chances):
            raise ValueError(f"{owner}: {len(chances)} weights, but excluded has {excluded.columns} nodes")
        self.weights = chances
        self.excluded = excluded
        self._sorted = None if excluded is None else excluded.sorted()
        self._tables = alias_tables(chances)

    def sample(self, sources: Any, count: int, *, seed: Optional[int] = None) -> np.ndarray:
        """Draw nodes for each source; one may be drawn several times.

        Args:
            sources: Nodes; without ``excluded`` only their number counts.
            count: How many nodes are drawn for each.
            seed: What the draws follow from; None: see :func:`PGL.sampling.arguments.draw_seed`.

        Returns:
            int64 of shape [sources, count].

        Raises:
            ValueError: a source does not exist, or all nodes that could be drawn for it are excluded.
        """
        owner = "NegativeSampler"
        size = whole_number(count, 1, owner, "count")
        key = random_key(draw_seed(seed, owner))
        if self._sorted is None:
            return draw_alias(self._tables, len(sources) * size, key).reshape(len(sources), size)
        given = node_ids(sources, self._sorted.rows, f"{owner}: source")
        found = draw_negatives(self._sorted, given, size, self.weights, self._tables, key)
        if found.size and found.min() < 0:
            wrong = given[(found < 0).any(axis=1)][0]
            raise ValueError(f"{owner}: every node that could be drawn for source {wrong} is excluded for it")
        return found
