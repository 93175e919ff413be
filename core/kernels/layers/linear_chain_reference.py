"""What the kernels of :mod:`core.kernels.layers.linear_chain` compute, step by step in plain numpy."""

from __future__ import annotations

import numpy as np


def partition_reference(
    emissions: np.ndarray, moves: np.ndarray, start: np.ndarray, stop: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Return the logarithm of the sum of all paths' exponentiated scores (N,), 0 for a chain of length 0.

    Args:
        emissions: (N, L, K).
        moves: (K, K), from the row's tag to the column's.
        start, stop: (K,), added at the ends.
        lengths: (N,).
    """
    results = np.zeros(len(lengths))
    for row, length in enumerate(lengths):
        if length:
            reached = emissions[row, 0] + start
            for step in range(1, length):
                reached = np.logaddexp.reduce(reached[:, None] + moves, axis=0) + emissions[row, step]
            results[row] = np.logaddexp.reduce(reached + stop)
    return results


def best_paths_reference(
    emissions: np.ndarray, moves: np.ndarray, start: np.ndarray, stop: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the score of each best path (N,), 0 for a chain of length 0, and the paths (N, L), 0 behind their ends.

    Args:
        emissions, moves, start, stop, lengths: As for :func:`partition_reference`.
    """
    scores, paths = np.zeros(len(lengths), emissions.dtype), np.zeros(emissions.shape[:2], np.int64)
    for row, length in enumerate(lengths):
        if length:
            best, sources = emissions[row, 0] + start, []
            for step in range(1, length):
                through = best[:, None] + moves
                sources.append(through.argmax(0))
                best = through.max(0) + emissions[row, step]
            scores[row], tag = (best + stop).max(), (best + stop).argmax()
            for step in range(length - 1, -1, -1):
                paths[row, step] = tag
                tag = sources[step - 1][tag] if step else tag
    return scores, paths
