"""Whole sequences of LSTM, GRU and simple recurrent cells in one call, forward and backward, float32 on the CPU.

The inputs of all steps are projected in one product. The recurrence itself shares the batch out among the threads: each
takes its samples through all steps, so that no step waits for a thread. What is right is defined by
:mod:`core.kernels.layers.recurrent_reference`.

Shapes: x (T, B, inputs), y and memory (T, B, H), gates (T, B, G · H), weights (G · H, inputs) and (G · H, H).
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.engine.compiled import number_of_threads
from core.kernels.layers.recurrent_loops import (
    gru_backward,
    gru_forward,
    lstm_backward,
    lstm_forward,
    simple_backward,
    simple_forward,
)
from core.kernels.numeric.products import add_transposed_product, biased_product, panels
from core.kernels.numeric.tiles import COLUMNS

_NO_LENGTHS = np.empty(0, np.int64)
_NO_CANDIDATES = np.empty((0, 0, 0), np.float32)
_NO_WEIGHT = np.empty((0, 0, COLUMNS), np.float32)
_FEWEST_SAMPLES = 4
"""Samples of one thread: with fewer, reading the weights takes longer than using them."""
_TOGETHER = 512
"""Rows whose products are added to the gradient of a weight at a time: their panels stay in the cache."""
_ROWS = 128
"""Rows of inputs that are projected together, before the steps that use them: they stay in the cache."""


def lstm(
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias_ih: np.ndarray,
    bias_hh: np.ndarray,
    hidden: np.ndarray,
    memory: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Run long short-term memory; writes hidden states of all steps, last states, memories and gates of all steps.

    Args:
        x: Inputs.
        weight_ih, weight_hh, bias_ih, bias_hh: Of the gates in the order i, f, g, o.
        hidden, memory: (B, H) before the first step.
        lengths: Number of valid steps of each sample; the states stay as they are in the others.
        reverse: Whether the last step comes first.
        out: (y, last hidden state, last memory, memories, gates).
    """
    y, last_hidden, last_memory, memories, gates = out
    weights = (*_projected(x, weight_ih, bias_ih + bias_hh, gates), panels(weight_hh.T))
    given = (x, *weights, hidden, memory, _NO_LENGTHS if lengths is None else lengths, reverse, span_of(x))
    lstm_forward(*given, y, memories, gates, groups_of(x))
    last_hidden[...], last_memory[...] = y[0 if reverse else -1], memories[0 if reverse else -1]


def lstm_states(
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias_ih: np.ndarray,
    bias_hh: np.ndarray,
    hidden: np.ndarray,
    memory: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Do what :func:`lstm` does where nothing is learned: gates and memories of a few steps at a time are enough.

    Args:
        x, weight_ih, weight_hh, bias_ih, bias_hh, hidden, memory, lengths, reverse: As there.
        out: (y, last hidden state, last memory), and what else there is stays as it is.
    """
    y, last_hidden, last_memory = out[:3]
    steps, rows = len(x), weight_hh.shape[0]
    span = span_of(x)
    gates = np.empty((min(span, steps), x.shape[1], rows), np.float32)
    memories = np.empty((min(2, steps), *hidden.shape), np.float32)
    weights = (*_projected(x, weight_ih, bias_ih + bias_hh, gates), panels(weight_hh.T))
    given = (x, *weights, hidden, memory, _NO_LENGTHS if lengths is None else lengths, reverse, span)
    lstm_forward(*given, y, memories, gates, groups_of(x))
    last_hidden[...] = y[0 if reverse else -1]
    last_memory[...] = memories[(0 if reverse else -1) if steps <= 2 else (steps - 1) % 2]


def gru(
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias_ih: np.ndarray,
    bias_hh: np.ndarray,
    hidden: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Run gated recurrent units; writes hidden states of all steps, the last one, gates, and what r is multiplied with.

    Args:
        x: Inputs.
        weight_ih, weight_hh, bias_ih, bias_hh: Of the gates in the order r, z, c.
        hidden: (B, H) before the first step.
        lengths: Number of valid steps of each sample; the states stay as they are in the others.
        reverse: Whether the last step comes first.
        out: (y, last state, gates, recurrent candidates (T, B, H)).
    """
    y, last_hidden, gates, candidates = out
    weights = (*_projected(x, weight_ih, bias_ih, gates), panels(weight_hh.T), bias_hh)
    lengths = _NO_LENGTHS if lengths is None else lengths
    gru_forward(x, *weights, hidden, lengths, reverse, span_of(x), y, gates, candidates, groups_of(x))
    last_hidden[...] = y[0 if reverse else -1]


def gru_states(
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias_ih: np.ndarray,
    bias_hh: np.ndarray,
    hidden: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Do what :func:`gru` does where nothing is learned: gates of a few steps at a time are enough.

    Args:
        x, weight_ih, weight_hh, bias_ih, bias_hh, hidden, lengths, reverse: As there.
        out: (y, last state), and what else there is stays as it is.
    """
    y, last_hidden = out[:2]
    span = span_of(x)
    gates = np.empty((min(span, len(x)), x.shape[1], weight_hh.shape[0]), np.float32)
    weights = (*_projected(x, weight_ih, bias_ih, gates), panels(weight_hh.T), bias_hh)
    lengths = _NO_LENGTHS if lengths is None else lengths
    gru_forward(x, *weights, hidden, lengths, reverse, span, y, gates, _NO_CANDIDATES, groups_of(x))
    last_hidden[...] = y[0 if reverse else -1]


def simple(
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias_ih: np.ndarray,
    bias_hh: np.ndarray,
    hidden: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    activation: str,
    out: tuple[np.ndarray, ...],
) -> None:
    """Run a simple recurrent network; writes its states of all steps and the last one.

    Args:
        x: Inputs.
        weight_ih, weight_hh, bias_ih, bias_hh: Its weights.
        hidden: (B, H) before the first step.
        lengths: Number of valid steps of each sample; the states stay as they are in the others.
        reverse: Whether the last step comes first.
        activation: ``tanh`` or ``relu``.
        out: (y, last state).
    """
    y, last_hidden = out
    biased_product(_flat(x), panels(weight_ih.T), bias_ih + bias_hh, _flat(y))
    lengths = _NO_LENGTHS if lengths is None else lengths
    simple_forward(y, panels(weight_hh.T), hidden, lengths, reverse, activation == "relu", groups_of(x))
    last_hidden[...] = y[0 if reverse else -1]


def lstm_gradients(
    grad_y: np.ndarray,
    grad_last_hidden: np.ndarray,
    grad_last_memory: np.ndarray,
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    hidden: np.ndarray,
    memory: np.ndarray,
    y: np.ndarray,
    memories: np.ndarray,
    gates: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the gradients of (x, weight_ih, weight_hh, either bias, hidden, memory) of :func:`lstm`."""
    grad_hidden, grad_memory = out[4:]
    grad_hidden[...], grad_memory[...] = grad_last_hidden, grad_last_memory
    projected = np.empty(gates.shape, np.float32)
    lengths = _NO_LENGTHS if lengths is None else lengths
    given = (grad_y, panels(weight_hh), memory, memories, gates, lengths, reverse)
    lstm_backward(*given, projected, grad_hidden, grad_memory, groups_of(x))
    _weight_gradients(projected, projected, x, weight_ih, _before(hidden, y, reverse), *out[:3])
    projected.reshape(-1, gates.shape[-1]).sum(0, out=out[3])


def gru_gradients(
    grad_y: np.ndarray,
    grad_last_hidden: np.ndarray,
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    hidden: np.ndarray,
    y: np.ndarray,
    gates: np.ndarray,
    candidates: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the gradients of (x, weight_ih, weight_hh, bias_ih, bias_hh, hidden) of :func:`gru`."""
    projected, recurrent = np.empty(gates.shape, np.float32), np.empty(gates.shape, np.float32)
    before = _before(hidden, y, reverse)
    lengths = _NO_LENGTHS if lengths is None else lengths
    given = (grad_y, panels(weight_hh), before, gates, candidates, lengths, reverse)
    out[5][...] = grad_last_hidden
    gru_backward(*given, projected, recurrent, out[5], groups_of(x))
    _weight_gradients(projected, recurrent, x, weight_ih, before, *out[:3])
    projected.reshape(-1, gates.shape[-1]).sum(0, out=out[3])
    recurrent.reshape(-1, gates.shape[-1]).sum(0, out=out[4])


def simple_gradients(
    grad_y: np.ndarray,
    grad_last_hidden: np.ndarray,
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    hidden: np.ndarray,
    y: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    activation: str,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the gradients of (x, weight_ih, weight_hh, either bias, hidden) of :func:`simple`."""
    projected = np.empty(y.shape, np.float32)
    lengths = _NO_LENGTHS if lengths is None else lengths
    given = (grad_y, panels(weight_hh), y, lengths, reverse, activation == "relu")
    out[4][...] = grad_last_hidden
    simple_backward(*given, projected, out[4], groups_of(x))
    _weight_gradients(projected, projected, x, weight_ih, _before(hidden, y, reverse), *out[:3])
    projected.reshape(-1, y.shape[-1]).sum(0, out=out[3])


def _flat(x: np.ndarray) -> np.ndarray:
    return x.reshape(-1, x.shape[-1])


def _projected(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, gates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the panels of a weight and the bias, to project with.

    Where threads share out no samples, all inputs are projected at once, by all of them; then there are no panels.
    """
    cut = panels(weight.T)
    if groups_of(x) < number_of_threads() and len(gates) == len(x):
        biased_product(_flat(x), cut, bias, _flat(gates))
        return _NO_WEIGHT, bias
    return cut, bias


def span_of(x: np.ndarray) -> int:
    """Return how many steps' inputs are projected together; all where that is for threads to share."""
    return len(x) if groups_of(x) < number_of_threads() else max(1, _ROWS * groups_of(x) // max(x.shape[1], 1))


def _before(hidden: np.ndarray, y: np.ndarray, reverse: bool) -> np.ndarray:
    """Return the hidden states before each step."""
    parts = (y[1:], hidden[None]) if reverse else (hidden[None], y[:-1])
    return np.concatenate(parts)


def _weight_gradients(
    projected: np.ndarray,
    recurrent: np.ndarray,
    x: np.ndarray,
    weight_ih: np.ndarray,
    before: np.ndarray,
    grad_x: np.ndarray,
    grad_weight_ih: np.ndarray,
    grad_weight_hh: np.ndarray,
) -> None:
    """Write what follows from the gradients of the projected inputs and of the recurrent products."""
    flat, inputs, states = _flat(projected), _flat(x), _flat(before)
    multiply(flat, weight_ih, _flat(grad_x))
    grad_weight_ih[...], grad_weight_hh[...] = 0, 0
    for start in range(0, len(flat), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        add_transposed_product(flat[part], panels(inputs[part]), grad_weight_ih)
        add_transposed_product(_flat(recurrent)[part], panels(states[part]), grad_weight_hh)


def multiply(left: np.ndarray, right: np.ndarray, result: np.ndarray) -> None:
    """Write the product of two matrices."""
    biased_product(left, panels(right), np.zeros(result.shape[1], np.float32), result)


def groups_of(x: np.ndarray) -> int:
    """Return among how many threads to share the batch out."""
    return max(1, min(number_of_threads(), x.shape[1] // _FEWEST_SAMPLES))
