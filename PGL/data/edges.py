"""What readers do to a graph's edges: both directions, no edge twice, self loops."""

from __future__ import annotations

import numpy as np


def prepared_edges(edges: np.ndarray, num_nodes: int, symmetry: bool, self_loop: bool) -> np.ndarray:
    """Return each edge once, in ascending order.

    Args:
        edges: int64 of shape [edges, 2], ids below ``num_nodes``.
        num_nodes: how many nodes there are.
        symmetry: whether every edge's reverse is added.
        self_loop: whether a self loop is added to every node.

    Returns:
        int64 of shape [n, 2], ascending by source, then target.
    """
    parts = [edges[:, 0] * num_nodes + edges[:, 1]]
    if symmetry:
        parts.append(edges[:, 1] * num_nodes + edges[:, 0])
    if self_loop:
        parts.append(np.arange(num_nodes) * (num_nodes + 1))
    codes = np.unique(np.concatenate(parts))
    return np.stack([codes // max(num_nodes, 1), codes % max(num_nodes, 1)], axis=1)
