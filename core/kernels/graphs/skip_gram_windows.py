"""The windows of walks: for each node of a walk the nodes at most so many places before and after it."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import serial
from core.kernels.numeric.draws import below, below_reference, mixed, mixed_reference

Windows = tuple[np.ndarray, np.ndarray, np.ndarray]


@serial
def _windows(walks, radius, key, centers, starts, contexts):
    """Write the windows one behind another; return how many there are."""
    window, end, place = 0, 0, 0
    for walk in range(walks.shape[0]):
        length = 0
        while length < walks.shape[1] and walks[walk, length] >= 0:
            length += 1
        for at in range(length):
            reach = 1 + below(mixed(key, place + at), radius)
            begin = end
            for other in range(max(0, at - reach), min(length, at + reach + 1)):
                if other != at:
                    contexts[end] = walks[walk, other]
                    end += 1
            if end > begin:
                centers[window] = walks[walk, at]
                window += 1
                starts[window] = end
        place += walks.shape[1]
    return window


def windows(walks: np.ndarray, radius: int, key: np.uint64) -> Windows:
    """Return the windows of walks, each reaching 1 to ``radius`` places to both sides, drawn evenly.

    Args:
        walks: Integers [walks, length]: the nodes of each, then negative numbers where it ended early.
        radius: The farthest place that is near, at least 1.
        key: What the draws follow from.

    Returns:
        The nodes int32 [windows], where the contexts of each begin int64 [windows + 1], and the contexts int32; a node
        that is alone in its walk has no window.
    """
    centers, starts = np.empty(walks.size, np.int32), np.zeros(walks.size + 1, np.int64)
    contexts = np.empty(walks.size * min(2 * radius, max(walks.shape[1] - 1, 0)), np.int32)
    count = _windows(walks, radius, key, centers, starts, contexts)
    return centers[:count].copy(), starts[: count + 1].copy(), contexts[: starts[count]].copy()


def windows_reference(walks: np.ndarray, radius: int, key: np.uint64) -> Windows:
    """The definition of :func:`windows` in plain Python."""
    centers, starts, contexts = [], [0], []
    for number, row in enumerate(walks.tolist()):
        walk = row[: next((at for at, node in enumerate(row) if node < 0), len(row))]
        for at, node in enumerate(walk):
            reach = 1 + below_reference(mixed_reference(int(key), number * walks.shape[1] + at), radius)
            near = walk[max(0, at - reach) : at] + walk[at + 1 : at + reach + 1]
            if near:
                centers.append(node)
                contexts += near
                starts.append(len(contexts))
    return np.array(centers, np.int32), np.array(starts, np.int64), np.array(contexts, np.int32)
