"""The gradients of whole sequences of recurrent cells, see :mod:`core.kernels.layers.recurrent.sequences`.

What is left of a step are products with the gradients of the later one's gates; the gradients of the weights are
products over all rows, at the end.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.layers.recurrent.backward import backward_steps
from core.kernels.layers.recurrent.cells import GRU, LSTM, RELU, TANH
from core.kernels.layers.recurrent.forward import counters_of
from core.kernels.layers.recurrent.rows import Rows
from core.kernels.layers.recurrent.sequences import multiply, shares_of
from core.kernels.numeric.products import add_transposed_product, biased_product, panels

_NOTHING = np.empty((0, 0), np.float32)
_TOGETHER = 512
"""Rows whose products are added to the gradient of a weight at a time: their panels stay in the cache."""


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
    """Write the gradients of (x, weight_ih, weight_hh, either bias, hidden, memory) of :func:`recurrent.lstm`."""
    rows = Rows(len(x), x.shape[1], lengths, reverse)
    first, cells = rows.sorted(hidden), _flat(memories)[: rows.bounds[-1]]
    before = (rows.before(rows.of(y), first), rows.before(cells, rows.sorted(memory)))
    grad_memory = rows.sorted(grad_last_memory)
    kept = (_flat(gates)[: rows.bounds[-1]], before[1], cells)
    weights = (weight_ih, weight_hh)
    _backward(LSTM, rows, grad_y, grad_last_hidden, grad_memory, x, weights, before[0], kept, (*out[:4], None, out[4]))
    rows.put(grad_memory, out[5])


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
    """Write the gradients of (x, weight_ih, weight_hh, bias_ih, bias_hh, hidden) of :func:`recurrent.gru`."""
    rows = Rows(len(x), x.shape[1], lengths, reverse)
    before = rows.before(rows.of(y), rows.sorted(hidden))
    kept = (_flat(gates)[: rows.bounds[-1]], before, _flat(candidates)[: rows.bounds[-1]])
    _backward(GRU, rows, grad_y, grad_last_hidden, _NOTHING, x, (weight_ih, weight_hh), before, kept, out)


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
    """Write the gradients of (x, weight_ih, weight_hh, either bias, hidden) of :func:`recurrent.simple`."""
    rows = Rows(len(x), x.shape[1], lengths, reverse)
    states = rows.of(y)
    before = rows.before(states, rows.sorted(hidden))
    kind = RELU if activation == "relu" else TANH
    given = (rows, grad_y, grad_last_hidden, _NOTHING, x, (weight_ih, weight_hh), before, (states, before, before))
    _backward(kind, *given, (*out[:4], None, out[4]))


def _backward(
    kind: int,
    rows: Rows,
    grad_y: np.ndarray,
    grad_last_hidden: np.ndarray,
    grad_memory: np.ndarray,
    x: np.ndarray,
    weights: tuple[np.ndarray, np.ndarray],
    before: np.ndarray,
    kept: tuple[np.ndarray, ...],
    out: tuple[Any, ...],
) -> None:
    """Write the gradients of (x, weight_ih, weight_hh, bias_ih, bias_hh, hidden); ``grad_memory`` becomes another.

    Args:
        kind: LSTM, GRU, TANH or RELU.
        rows: Of the batch.
        grad_y, grad_last_hidden, grad_memory: Of the results, the last one in the order of the rows.
        x, weights: Inputs, weight_ih and weight_hh.
        before: States before each row's step.
        kept: (gates, states or memories before each step, memories or recurrent candidates) of the rows.
        out: The gradients; None for a second bias whose gradient is the first one's.
    """
    grad_x, grad_weight_ih, grad_weight_hh, grad_bias, grad_bias_hh, grad_hidden = out
    weight_ih, weight_hh = weights
    groups, parts = shares_of(x.shape[1], weight_hh)
    projected = np.empty(kept[0].shape, np.float32)
    recurrent = np.empty(kept[0].shape, np.float32) if kind == GRU else projected
    passed = rows.sorted(grad_last_hidden)
    behind = rows.behind(grad_y)
    if not rows.reverse:  # what repeats the last state
        passed += behind
    cut = panels(weight_hh)
    given = (kind, rows.bounds, rows.reverse, cut, rows.of(grad_y), *kept, projected, recurrent)
    backward_steps(*given, passed, grad_memory, counters_of(len(x), groups, parts), groups, parts)
    found = np.empty_like(passed)
    biased_product(np.ascontiguousarray(rows.first(recurrent)), cut, np.zeros(len(found.T), np.float32), found)
    found += passed
    if rows.reverse:  # what repeats the first state
        found += behind
    rows.put(found, grad_hidden)
    target = rows.room(grad_x)
    multiply(projected, weight_ih, target)
    rows.spread(target, np.zeros((x.shape[1], x.shape[2]), np.float32), grad_x)
    _add_up(projected, rows.of(x), grad_weight_ih)
    _add_up(recurrent, before, grad_weight_hh)
    projected.sum(0, out=grad_bias)
    if grad_bias_hh is not None:
        recurrent.sum(0, out=grad_bias_hh)


def _add_up(left: np.ndarray, right: np.ndarray, result: np.ndarray) -> None:
    """Write the product of a transpose and a matrix."""
    result[...] = 0
    for start in range(0, len(left), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        add_transposed_product(left[part], panels(right[part]), result)


def _flat(x: np.ndarray) -> np.ndarray:
    return x.reshape(-1, x.shape[-1])
