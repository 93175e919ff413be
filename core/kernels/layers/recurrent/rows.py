"""The rows that recurrent networks compute: those of the valid steps of a padded batch, one step after the other.

Samples stand in the order of their lengths, the longest first, so that those that take part in a step are the first
ones. Without lengths the rows are the steps themselves, and nothing is moved.
"""

from __future__ import annotations

from typing import Optional

import numpy as np


class Rows:
    """Where the valid steps of a batch are.

    Args:
        steps, batch: Of the padded batch.
        lengths: Number of valid steps of each sample; all when None.
        reverse: Whether the last step comes first.

    Attributes:
        bounds: int64 (steps + 1,): the rows of step t are those from ``bounds[t]`` to before ``bounds[t + 1]``.
    """

    def __init__(self, steps: int, batch: int, lengths: Optional[np.ndarray], reverse: bool) -> None:
        self.batch, self.reverse = batch, reverse
        self.order: Optional[np.ndarray] = None
        self.bounds = np.arange(steps + 1, dtype=np.int64) * batch
        if lengths is None:
            return
        self.order = np.argsort(-lengths, kind="stable")
        self.lengths = np.clip(lengths[self.order], 0, steps)
        counts = (self.lengths > np.arange(steps)[:, None]).sum(1)
        self.bounds = np.concatenate([[0], counts.cumsum()]).astype(np.int64)
        places = np.arange(self.bounds[-1]) - np.repeat(self.bounds[:-1], counts)
        self.places = places
        self.padded = np.repeat(np.arange(steps), counts) * batch + self.order[places]

    def of(self, x: np.ndarray) -> np.ndarray:
        """Return the rows (N, size) of a padded array (steps, batch, size)."""
        flat = x.reshape(-1, x.shape[-1])
        return flat if self.order is None else flat[self.padded]

    def sorted(self, states: np.ndarray) -> np.ndarray:
        """Return a copy of what there is once for each sample (batch, size), in the order of the rows."""
        return states.copy() if self.order is None else states[self.order]

    def put(self, states: np.ndarray, result: np.ndarray) -> None:
        """Write what :meth:`sorted` ordered into an array of the original order."""
        if self.order is None:
            result[...] = states
        else:
            result[self.order] = states

    def room(self, y: np.ndarray) -> np.ndarray:
        """Return where the rows of a padded result are to be written: in it, where they are all of it."""
        return y.reshape(-1, y.shape[-1]) if self.order is None else np.empty((self.bounds[-1], y.shape[-1]), y.dtype)

    def spread(self, rows: np.ndarray, behind: np.ndarray, y: np.ndarray) -> None:
        """Write rows into a padded array, and behind each sample's length what there is once for each sample."""
        if self.order is not None:
            self.put(behind, y[0])
            y[1:] = y[0]
            y.reshape(-1, y.shape[-1])[self.padded] = rows

    def behind(self, x: np.ndarray) -> np.ndarray:
        """Return the sums of what is behind each sample's length (steps, batch, size), in the order of the rows."""
        if self.order is None:
            return np.zeros(x.shape[1:], x.dtype)
        lengths = np.empty_like(self.lengths)
        lengths[self.order] = self.lengths
        return np.where((np.arange(len(x))[:, None] >= lengths)[..., None], x, 0).sum(0)[self.order]

    def last(self, rows: np.ndarray, first: np.ndarray) -> np.ndarray:
        """Return the rows of each sample's last step in the order of computation, or what was there before all."""
        if self.order is None:
            return rows[: self.batch] if self.reverse else rows[len(rows) - self.batch :]
        return self._ends(rows, first, np.zeros_like(self.lengths) if self.reverse else self.lengths - 1)

    def first(self, rows: np.ndarray) -> np.ndarray:
        """Return the rows of each sample's first step in the order of computation, 0 for those without steps."""
        if self.order is None:
            return rows[len(rows) - self.batch :] if self.reverse else rows[: self.batch]
        nothing = np.zeros((self.batch, rows.shape[1]), rows.dtype)
        return self._ends(rows, nothing, self.lengths - 1 if self.reverse else np.zeros_like(self.lengths))

    def _ends(self, rows: np.ndarray, otherwise: np.ndarray, steps: np.ndarray) -> np.ndarray:
        found = otherwise.copy()
        some = int((self.lengths > 0).sum())
        found[:some] = rows[self.bounds[steps[:some]] + np.arange(some)]
        return found

    def before(self, rows: np.ndarray, first: np.ndarray) -> np.ndarray:
        """Return the states before each row's step, from those behind it and those before the first, both in order."""
        if self.order is None:
            parts = (rows[self.batch :], first) if self.reverse else (first, rows[: len(rows) - self.batch])
            return np.concatenate(parts)
        result = np.empty_like(rows)
        steps = range(len(self.bounds) - 1)
        for t in steps:
            low, high = self.bounds[t : t + 2]
            other = t + 1 if self.reverse else t - 1
            at, end = self.bounds[other : other + 2] if other in steps else (0, 0)
            known = min(high - low, end - at)
            result[low : low + known] = rows[at : at + known]
            result[low + known : high] = first[known : high - low]
        return result
