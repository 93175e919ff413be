"""Connectionist temporal classification in numpy: losses and their gradient by the forward-backward recursion."""

from __future__ import annotations

import numpy as np


def ctc(
    logits: np.ndarray,
    labels: np.ndarray,
    input_lengths: np.ndarray,
    label_lengths: np.ndarray,
    blank: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the negative log-likelihood of label sequences and its gradient.

    From Graves et al., Connectionist Temporal Classification, ICML 2006; all sums of probabilities are in logarithms.

    Args:
        logits: Scores before softmax, shape (T, N, C).
        labels: Classes, shape (N, L); what lies beyond a label's length counts nothing.
        input_lengths: Steps of each sample, shape (N,).
        label_lengths: Classes of each sample, shape (N,).
        blank: The class that stands for no label.

    Returns:
        Losses, shape (N,), and their gradients, shape (T, N, C); both 0 where the input is too short for the label.
    """
    steps, batch, classes = logits.shape
    top = logits.max(-1, keepdims=True)
    logs = logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True))
    states = np.full((batch, 2 * labels.shape[1] + 1), blank, np.int64)
    inside = np.arange(labels.shape[1]) < label_lengths[:, None]
    states[:, 1::2] = np.where(inside, labels, blank)
    count = states.shape[1]
    skips = np.zeros((batch, count), bool)
    skips[:, 2:] = (states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])
    outside = np.arange(count) > 2 * label_lengths[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        emitted = np.take_along_axis(logs, np.broadcast_to(states, (steps, batch, count)), -1)
        emitted[:, outside] = -np.inf
        rows = np.arange(batch)
        last = np.maximum(input_lengths - 1, 0)
        ends = np.full((batch, count), -np.inf, logits.dtype)
        ends[rows, 2 * label_lengths] = 0
        ends[rows, np.maximum(2 * label_lengths - 1, 0)] = 0
        forward = _forward(emitted, skips)
        backward = _backward(emitted, skips, ends, last)
        total = np.logaddexp.reduce(forward[last, rows] + ends, axis=-1)
        feasible = np.isfinite(total) & (input_lengths > 0)
        shares = np.exp(forward + backward - np.where(feasible, total, 0)[:, None])
        shares = np.where(np.isfinite(shares), shares, 0)
    members = states[:, :, None] == np.arange(classes)
    posterior = np.matmul(shares.transpose(1, 0, 2), members.astype(logits.dtype)).transpose(1, 0, 2)
    counted = (np.arange(steps)[:, None] < input_lengths) & feasible
    gradient = np.where(counted[:, :, None], np.exp(logs) - posterior, 0)
    return np.where(feasible, -total, 0).astype(logits.dtype), gradient.astype(logits.dtype)


def _forward(emitted: np.ndarray, skips: np.ndarray) -> np.ndarray:
    """Return the log-probability of reaching each state at each step, its emission included."""
    result = np.full_like(emitted, -np.inf)
    result[0, :, :2] = emitted[0, :, :2]
    for step in range(1, len(emitted)):
        before = result[step - 1]
        reached = before.copy()
        reached[:, 1:] = np.logaddexp(reached[:, 1:], before[:, :-1])
        reached[:, 2:] = np.logaddexp(reached[:, 2:], np.where(skips[:, 2:], before[:, :-2], -np.inf))
        result[step] = reached + emitted[step]
    return result


def _backward(emitted: np.ndarray, skips: np.ndarray, ends: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return the log-probability of ending rightly from each state at each step, its emission not included."""
    result = np.full_like(emitted, -np.inf)
    for step in range(len(emitted) - 1, -1, -1):
        left = np.full_like(ends, -np.inf)
        if step + 1 < len(emitted):
            after = result[step + 1] + emitted[step + 1]
            left = after.copy()
            left[:, :-1] = np.logaddexp(left[:, :-1], after[:, 1:])
            left[:, :-2] = np.logaddexp(left[:, :-2], np.where(skips[:, 2:], after[:, 2:], -np.inf))
        result[step] = np.where((last == step)[:, None], ends, left)
    return result
