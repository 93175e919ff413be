"""What the kernels of :mod:`core.kernels.layers.recurrent` compute, step by step in plain numpy, in any precision."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np


def sigmoid(x: np.ndarray) -> Any:
    """Return 1 / (1 + e^-x)."""
    return 1 / (1 + np.exp(-x))


def recurrent_reference(
    kind: str,
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias_ih: np.ndarray,
    bias_hh: np.ndarray,
    hidden: np.ndarray,
    memory: Optional[np.ndarray] = None,
    lengths: Optional[np.ndarray] = None,
    reverse: bool = False,
) -> tuple[np.ndarray, ...]:
    """Return (y, last hidden state, last memory of an LSTM).

    Args:
        kind: ``lstm``, ``gru``, ``tanh`` or ``relu``.
        x: Inputs (T, B, inputs).
        weight_ih, weight_hh, bias_ih, bias_hh: Of the gates in Paddle's order.
        hidden: (B, H) before the first step.
        memory: (B, H) before the first step, of an LSTM.
        lengths: Number of valid steps of each sample; the states stay as they are in the others.
        reverse: Whether the last step comes first.
    """
    steps = len(x)
    y = np.empty((steps, *hidden.shape), x.dtype)
    for t in reversed(range(steps)) if reverse else range(steps):
        given, repeated = x[t] @ weight_ih.T + bias_ih, hidden @ weight_hh.T + bias_hh
        new_memory = memory
        if kind == "lstm":
            entry, keep, candidate, exit_ = np.split(given + repeated, 4, axis=-1)
            new_memory = sigmoid(keep) * memory + sigmoid(entry) * np.tanh(candidate)
            new_hidden = sigmoid(exit_) * np.tanh(new_memory)
        elif kind == "gru":
            parts = zip(np.split(given, 3, axis=-1), np.split(repeated, 3, axis=-1))
            (reset, reset_h), (update, update_h), (candidate, candidate_h) = parts
            update = sigmoid(update + update_h)
            candidate = np.tanh(candidate + sigmoid(reset + reset_h) * candidate_h)
            new_hidden = update * hidden + (1 - update) * candidate
        else:
            new_hidden = np.tanh(given + repeated) if kind == "tanh" else np.maximum(given + repeated, 0)
        valid = np.ones((len(hidden), 1), bool) if lengths is None else (t < lengths)[:, None]
        hidden = np.where(valid, new_hidden, hidden)
        if memory is not None and new_memory is not None:
            memory = np.where(valid, new_memory, memory)
        y[t] = hidden
    return (y, hidden) if memory is None else (y, hidden, memory)
