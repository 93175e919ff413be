"""The loops over the steps of recurrent networks, for :mod:`core.kernels.layers.recurrent`.

``groups`` says among how many threads the batch is shared out. A sample whose ``lengths`` entry is not above a step
passes its states through; empty lengths mean that every step counts.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads
from core.kernels.numeric.products import add_rows_of_product, product_panel
from core.kernels.numeric.smooth import sigmoid, tanh

_ONE = np.float32(1)


@serial
def _project(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    gates: np.ndarray,
    low: int,
    high: int,
    base: int,
    first: int,
    last: int,
) -> None:
    """Write the projected inputs of the steps from ``low`` to before ``high``; ``gates`` begin with step ``base``."""
    batch = x.shape[1]
    whole = last - first == batch
    flat, result = x[low:high].reshape(-1, x.shape[2]), gates[low - base : high - base].reshape(-1, gates.shape[2])
    for panel in range(weight.shape[0]):  # each stays in the cache while the steps pass
        if whole:
            product_panel(flat, weight, bias, result, panel, 0, flat.shape[0])
        else:
            for k in range(high - low):
                product_panel(flat, weight, bias, result, panel, k * batch + first, k * batch + last)


@compiled
def lstm_forward(
    x: np.ndarray,
    weight_ih: np.ndarray,
    bias: np.ndarray,
    weight: np.ndarray,
    hidden: np.ndarray,
    memory: np.ndarray,
    lengths: np.ndarray,
    reverse: bool,
    span: int,
    y: np.ndarray,
    memories: np.ndarray,
    gates: np.ndarray,
    groups: int,
) -> None:
    """Fill the states; project inputs ``span`` steps at a time, and turn them into activated gates.

    ``gates`` and ``memories`` have room for all steps, or for ``span`` steps and two; without panels in ``weight_ih``
    the inputs are projected already.
    """
    steps, batch, size = y.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        base = 0
        for i in range(steps):
            t = steps - 1 - i if reverse else i
            if i % span == 0 and weight_ih.shape[0]:
                low, high = (max(t + 1 - span, 0), t + 1) if reverse else (t, min(t + span, steps))
                base = 0 if gates.shape[0] == steps else low
                _project(x, weight_ih, bias, gates, low, high, base, first, last)
            h = hidden if i == 0 else y[t + 1 if reverse else t - 1]
            old, new = (i - 1) % 2, i % 2
            if memories.shape[0] == steps:
                old, new = t + 1 if reverse else t - 1, t
            c = memory if i == 0 else memories[old]
            add_rows_of_product(h, weight, gates[t - base], first, last)
            for b in range(first, last):
                if lengths.size and t >= lengths[b]:
                    _copy(h[b], y[t, b])
                    _copy(c[b], memories[new, b])
                else:
                    _lstm_step(gates[t - base, b], c[b], memories[new, b], y[t, b])


@serial
def _lstm_step(gates: np.ndarray, before: np.ndarray, memory: np.ndarray, hidden: np.ndarray) -> None:
    size = memory.size
    _sigmoid(gates[: 2 * size])
    _tanh(gates[2 * size : 3 * size])
    _sigmoid(gates[3 * size :])
    for j in range(size):
        memory[j] = gates[size + j] * before[j] + gates[j] * gates[2 * size + j]
    for j in range(size):
        hidden[j] = gates[3 * size + j] * tanh(memory[j])


@serial
def _sigmoid(x: np.ndarray) -> None:
    for j in range(x.size):
        x[j] = sigmoid(x[j])


@serial
def _tanh(x: np.ndarray) -> None:
    for j in range(x.size):
        x[j] = tanh(x[j])


@compiled
def lstm_backward(
    grad_y: np.ndarray,
    weight: np.ndarray,
    memory: np.ndarray,
    memories: np.ndarray,
    gates: np.ndarray,
    lengths: np.ndarray,
    reverse: bool,
    grad_gates: np.ndarray,
    grad_hidden: np.ndarray,
    grad_memory: np.ndarray,
    groups: int,
) -> None:
    """Fill the gradients of the gates before their activations; turn those of the last states into the first ones'."""
    steps, batch, size = grad_y.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        for i in range(steps - 1, -1, -1):
            t = steps - 1 - i if reverse else i
            c = memory if i == 0 else memories[t + 1 if reverse else t - 1]
            for b in range(first, last):
                _add(grad_hidden[b], grad_y[t, b])
                if lengths.size and t >= lengths[b]:
                    grad_gates[t, b] = 0
                else:
                    _lstm_step_back(gates[t, b], c[b], memories[t, b], grad_hidden[b], grad_memory[b], grad_gates[t, b])
                    grad_hidden[b] = 0
            add_rows_of_product(grad_gates[t], weight, grad_hidden, first, last)


@serial
def _lstm_step_back(
    gates: np.ndarray,
    before: np.ndarray,
    memory: np.ndarray,
    grad_hidden: np.ndarray,
    grad_memory: np.ndarray,
    grad_gates: np.ndarray,
) -> None:
    size = memory.size
    entry, keep, candidate, exit_ = gates[:size], gates[size : 2 * size], gates[2 * size : 3 * size], gates[3 * size :]
    for j in range(size):
        squashed = tanh(memory[j])
        grad_gates[3 * size + j] = grad_hidden[j] * squashed * exit_[j] * (_ONE - exit_[j])
        grad_memory[j] += grad_hidden[j] * exit_[j] * (_ONE - squashed * squashed)
    for j in range(size):
        grad_gates[j] = grad_memory[j] * candidate[j] * entry[j] * (_ONE - entry[j])
    for j in range(size):
        grad_gates[size + j] = grad_memory[j] * before[j] * keep[j] * (_ONE - keep[j])
    for j in range(size):
        grad_gates[2 * size + j] = grad_memory[j] * entry[j] * (_ONE - candidate[j] * candidate[j])
    for j in range(size):
        grad_memory[j] *= keep[j]


@serial
def _copy(x: np.ndarray, result: np.ndarray) -> None:
    for j in range(result.size):
        result[j] = x[j]


@serial
def _add(total: np.ndarray, x: np.ndarray) -> None:
    for j in range(total.size):
        total[j] += x[j]


@compiled
def gru_forward(
    x: np.ndarray,
    weight_ih: np.ndarray,
    bias_ih: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    hidden: np.ndarray,
    lengths: np.ndarray,
    reverse: bool,
    span: int,
    y: np.ndarray,
    gates: np.ndarray,
    candidates: np.ndarray,
    groups: int,
) -> None:
    """Fill the states, the activated gates, and the recurrent part of the candidates where there is room for it.

    ``span``, ``gates`` and ``weight_ih`` are as in :func:`lstm_forward`.
    """
    steps, batch, size = y.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        recurrent = np.empty((last - first, 3 * size), np.float32)
        base = 0
        for i in range(steps):
            t = steps - 1 - i if reverse else i
            if i % span == 0 and weight_ih.shape[0]:
                low, high = (max(t + 1 - span, 0), t + 1) if reverse else (t, min(t + span, steps))
                base = 0 if gates.shape[0] == steps else low
                _project(x, weight_ih, bias_ih, gates, low, high, base, first, last)
            h = hidden if i == 0 else y[t + 1 if reverse else t - 1]
            for panel in range(weight.shape[0]):
                product_panel(h[first:last], weight, bias, recurrent, panel, 0, last - first)
            for b in range(first, last):
                if lengths.size and t >= lengths[b]:
                    _copy(h[b], y[t, b])
                else:
                    if candidates.size:
                        _copy(recurrent[b - first, 2 * size :], candidates[t, b])
                    _gru_step(gates[t - base, b], recurrent[b - first], h[b], y[t, b])


@serial
def _gru_step(gates: np.ndarray, recurrent: np.ndarray, before: np.ndarray, hidden: np.ndarray) -> None:
    size = hidden.size
    for j in range(2 * size):
        gates[j] = sigmoid(gates[j] + recurrent[j])
    for j in range(2 * size, 3 * size):
        gates[j] = tanh(gates[j] + gates[j - 2 * size] * recurrent[j])
    for j in range(size):
        hidden[j] = gates[2 * size + j] + gates[size + j] * (before[j] - gates[2 * size + j])


@compiled
def gru_backward(
    grad_y: np.ndarray,
    weight: np.ndarray,
    before: np.ndarray,
    gates: np.ndarray,
    candidates: np.ndarray,
    lengths: np.ndarray,
    reverse: bool,
    grad_gates: np.ndarray,
    grad_recurrent: np.ndarray,
    grad_hidden: np.ndarray,
    groups: int,
) -> None:
    """Fill the gradients of the gates' two parts; turn that of the last state into the first one's."""
    steps, batch, size = grad_y.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        for i in range(steps - 1, -1, -1):
            t = steps - 1 - i if reverse else i
            for b in range(first, last):
                _add(grad_hidden[b], grad_y[t, b])
                if lengths.size and t >= lengths[b]:
                    grad_gates[t, b], grad_recurrent[t, b] = 0, 0
                else:
                    grads = grad_hidden[b], grad_gates[t, b], grad_recurrent[t, b]
                    _gru_step_back(gates[t, b], candidates[t, b], before[t, b], *grads)
            add_rows_of_product(grad_recurrent[t], weight, grad_hidden, first, last)


@serial
def _gru_step_back(
    gates: np.ndarray,
    recurrent: np.ndarray,
    before: np.ndarray,
    grad_hidden: np.ndarray,
    grad_gates: np.ndarray,
    grad_recurrent: np.ndarray,
) -> None:
    size = before.size
    reset, update, candidate = gates[:size], gates[size : 2 * size], gates[2 * size :]
    for j in range(size):
        grad_gates[size + j] = grad_hidden[j] * (before[j] - candidate[j]) * update[j] * (_ONE - update[j])
    for j in range(size):
        grad_gates[2 * size + j] = grad_hidden[j] * (_ONE - update[j]) * (_ONE - candidate[j] * candidate[j])
    for j in range(size):
        grad_gates[j] = grad_gates[2 * size + j] * recurrent[j] * reset[j] * (_ONE - reset[j])
    for j in range(size):
        grad_hidden[j] *= update[j]
    for j in range(2 * size):
        grad_recurrent[j] = grad_gates[j]
    for j in range(size):
        grad_recurrent[2 * size + j] = grad_gates[2 * size + j] * reset[j]


@compiled
def simple_forward(
    y: np.ndarray,
    weight: np.ndarray,
    hidden: np.ndarray,
    lengths: np.ndarray,
    reverse: bool,
    rectified: bool,
    groups: int,
) -> None:
    """Turn projected inputs into states."""
    steps, batch, size = y.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        for i in range(steps):
            t = steps - 1 - i if reverse else i
            h = hidden if i == 0 else y[t + 1 if reverse else t - 1]
            add_rows_of_product(h, weight, y[t], first, last)
            for b in range(first, last):
                if lengths.size and t >= lengths[b]:
                    _copy(h[b], y[t, b])
                elif rectified:
                    for j in range(size):
                        y[t, b, j] = np.float32(0) if y[t, b, j] < 0 else y[t, b, j]
                else:
                    _tanh(y[t, b])


@compiled
def simple_backward(
    grad_y: np.ndarray,
    weight: np.ndarray,
    y: np.ndarray,
    lengths: np.ndarray,
    reverse: bool,
    rectified: bool,
    grad_gates: np.ndarray,
    grad_hidden: np.ndarray,
    groups: int,
) -> None:
    """Fill the gradients of what was activated; turn that of the last state into the first one's."""
    steps, batch, size = y.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        for i in range(steps - 1, -1, -1):
            t = steps - 1 - i if reverse else i
            for b in range(first, last):
                _add(grad_hidden[b], grad_y[t, b])
                if lengths.size and t >= lengths[b]:
                    grad_gates[t, b] = 0
                    continue
                for j in range(size):
                    slope = _ONE - y[t, b, j] * y[t, b, j]
                    if rectified:
                        slope = _ONE if y[t, b, j] > 0 else np.float32(0)
                    grad_gates[t, b, j] = grad_hidden[b, j] * slope
                grad_hidden[b] = 0
            add_rows_of_product(grad_gates[t], weight, grad_hidden, first, last)
