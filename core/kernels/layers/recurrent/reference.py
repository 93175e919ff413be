"""What :mod:`core.kernels.layers.recurrent.sequences` computes, step by step in plain numpy, in any precision."""

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


def peephole_lstm_reference(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    peepholes: Optional[np.ndarray],
    projection: Optional[np.ndarray],
    hidden: np.ndarray,
    memory: np.ndarray,
    lengths: np.ndarray,
    reverse: bool = False,
    cell_clip: float = 0,
    projection_clip: float = 0,
    squashed: bool = False,
) -> tuple[np.ndarray, ...]:
    """Return (y, memories), 0 behind the lengths, of an LSTM on inputs that are projected already.

    Args:
        x: (T, B, 4 H), in the order candidate, input, forget, output.
        weight, bias: (P, 4 H) and (4 H,).
        peepholes: (3, H) or None.
        projection: (H, P) or None.
        hidden, memory: (B, P) and (B, H) before the first step.
        lengths: Number of valid steps of each sample.
        reverse: Whether the last valid step comes first.
        cell_clip, projection_clip: Largest sizes, 0 for any.
        squashed: Whether tanh is taken of what is projected.
    """
    y, memories = np.zeros((*x.shape[:2], hidden.shape[1]), x.dtype), np.zeros((*x.shape[:2], memory.shape[1]), x.dtype)
    for b, length in enumerate(lengths):
        h, c = hidden[b], memory[b]
        for t in reversed(range(length)) if reverse else range(length):
            candidate, entry, keep, exit_ = np.split(x[t, b] + bias + h @ weight, 4)
            peeps = peepholes if peepholes is not None else np.zeros((3, len(c)))
            c = sigmoid(keep + c * peeps[1]) * c + sigmoid(entry + c * peeps[0]) * np.tanh(candidate)
            c = np.clip(c, -cell_clip, cell_clip) if cell_clip else c
            h = sigmoid(exit_ + c * peeps[2]) * np.tanh(c)
            if projection is not None:
                h = np.tanh(h @ projection) if squashed else h @ projection
                h = np.clip(h, -projection_clip, projection_clip) if projection_clip else h
            y[t, b], memories[t, b] = h, c
    return y, memories


def reset_first_gru_reference(
    x: np.ndarray,
    weight: np.ndarray,
    candidate_weight: np.ndarray,
    bias: np.ndarray,
    hidden: np.ndarray,
    lengths: np.ndarray,
    reverse: bool = False,
    origin: bool = False,
    rectified: bool = False,
) -> np.ndarray:
    """Return the states of all steps, 0 behind the lengths, on inputs that are projected already.

    Args:
        x: (T, B, 3 H), in the order update, reset, candidate.
        weight, candidate_weight, bias: (H, 2 H), (H, H) and (3 H,).
        hidden: (B, H) before the first step.
        lengths: Number of valid steps of each sample.
        reverse: Whether the last valid step comes first.
        origin: Whether the update gate says how much of the state is kept.
        rectified: Whether a candidate is relu, rather than tanh, of its sum.
    """
    y = np.zeros((*x.shape[:2], hidden.shape[1]), x.dtype)
    for b, length in enumerate(lengths):
        h = hidden[b]
        for t in reversed(range(length)) if reverse else range(length):
            given = x[t, b] + bias
            update, reset = np.split(sigmoid(given[: 2 * len(h)] + h @ weight), 2)
            candidate = given[2 * len(h) :] + (reset * h) @ candidate_weight
            candidate = np.maximum(candidate, 0) if rectified else np.tanh(candidate)
            h = update * h + (1 - update) * candidate if origin else (1 - update) * h + update * candidate
            y[t, b] = h
    return y
