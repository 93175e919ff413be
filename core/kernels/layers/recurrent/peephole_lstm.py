"""Whole sequences of LSTM with peepholes, a projected state and clips, forward and backward, float32 on the CPU.

Inputs are projected already. Each thread takes its samples through all steps, as in
:mod:`core.kernels.layers.recurrent.sequences`. What is right is defined by
:func:`core.kernels.layers.recurrent.reference.peephole_lstm_reference`.

Shapes: x and gates (T, B, 4 H) in the order candidate, input, forget, output; memories (T, B, H); y (T, B, P), where P
is H without a projection; weight (P, 4 H); peepholes (3, H), of input, forget and output gate; projection (H, P).
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads
from core.kernels.layers.lengths import check_lengths
from core.kernels.layers.recurrent.sequences import groups_of, multiply
from core.kernels.numeric.products import add_rows_of_product, panels, transposed
from core.kernels.numeric.smooth import sigmoid, tanh

_ONE, _ZERO = np.float32(1), np.float32(0)
_NONE, _NO_PANELS = np.empty((0, 0), np.float32), np.empty((0, 0, 0), np.float32)


def peephole_lstm(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    hidden: np.ndarray,
    memory: np.ndarray,
    lengths: np.ndarray,
    *others: np.ndarray,
    peeps: bool,
    projects: bool,
    reverse: bool,
    cell_clip: float,
    projection_clip: float,
    squashed: bool,
    repeated: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the states of all steps, the last ones, and what the gradients read.

    Args:
        x, weight, bias: Projected inputs, recurrent weights (P, 4 H) and biases (4 H,).
        hidden, memory: (B, P) and (B, H) before the first step.
        lengths: Number of valid steps of each sample.
        others: Peepholes, if it ``peeps``, and the projection, if it ``projects``.
        peeps, projects: Whether there are peepholes and a projection.
        reverse: Whether the last valid step comes first.
        cell_clip, projection_clip: Largest size of a number of the memory, and of a projected one; 0 for any.
        squashed: Whether tanh is taken of what is projected.
        repeated: Whether the states behind a sample's length repeat what was passed through, rather than being 0.
        out: (y, memories, last hidden state, last memory, gates), and, if it projects, hidden states before the
            projection (T, B, H).
    """
    check_lengths(lengths, len(x), "lstm")
    y, memories, last_hidden, last_memory, gates = out[:5]
    last_hidden[...], last_memory[...] = hidden, memory
    peepholes = others[0] if peeps else _NONE
    projection, wide = (panels(others[-1]), out[5]) if projects else (_NO_PANELS, y)
    options = (reverse, np.float32(cell_clip), np.float32(projection_clip), squashed, repeated)
    given = (x, panels(weight), bias, peepholes, projection, lengths)
    _forward(*given, *options, last_hidden, last_memory, y, memories, gates, wide, groups_of(x))


def peephole_lstm_gradients(
    grad_y: np.ndarray,
    grad_memories: np.ndarray,
    grad_last_hidden: np.ndarray,
    grad_last_memory: np.ndarray,
    weight: np.ndarray,
    hidden: np.ndarray,
    memory: np.ndarray,
    lengths: np.ndarray,
    y: np.ndarray,
    memories: np.ndarray,
    gates: np.ndarray,
    *others: np.ndarray,
    peeps: bool,
    projects: bool,
    reverse: bool,
    cell_clip: float,
    projection_clip: float,
    squashed: bool,
    repeated: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the gradients of (x, weight, bias, hidden, memory, others) of :func:`peephole_lstm`.

    Args:
        grad_y, grad_memories, grad_last_hidden, grad_last_memory: The gradients of its first results.
        weight, hidden, memory, lengths, y, memories, gates: Its inputs and results.
        others: Its last result, if it projects, and its other inputs.
        peeps, projects, reverse, cell_clip, projection_clip, squashed, repeated: As they were.
        out: The gradients.
    """
    grad_x, grad_weight, grad_bias, grad_hidden, grad_memory, *grad_others = out
    wide, *others_given = others if projects else (y, *others)
    size, rows = memory.shape[1], grad_x.reshape(-1, grad_x.shape[2])
    grad_hidden[...], grad_memory[...] = grad_last_hidden, grad_last_memory
    earlier = before(memory, memories, lengths, reverse)
    peepholes = others_given[0] if peeps else _NONE
    projection = panels(others_given[-1].T) if projects else _NO_PANELS
    grad_projected = np.zeros(y.shape if projects else (1, 1, 1), np.float32)
    options = (reverse, np.float32(cell_clip), np.float32(projection_clip), squashed, repeated)
    given = (grad_y, grad_memories, panels(weight.T), peepholes, projection, lengths, y, memories, earlier, gates)
    _backward(*given, *options, grad_x, grad_projected, grad_hidden, grad_memory, groups_of(grad_x))
    previous = before(hidden, y, lengths, reverse)
    multiply(transposed(previous.reshape(len(rows), -1)), rows, grad_weight)
    rows.sum(0, out=grad_bias)
    if peeps:
        for i, cells in enumerate((earlier, earlier, memories)):
            (grad_x[:, :, (i + 1) * size : (i + 2) * size] * cells).sum((0, 1), out=grad_others[0][i])
    if projects:
        multiply(transposed(wide.reshape(len(rows), -1)), grad_projected.reshape(len(rows), -1), grad_others[-1])


def before(first: np.ndarray, states: np.ndarray, lengths: np.ndarray, reverse: bool) -> np.ndarray:
    """Return the states before each step.

    Args:
        first: (B, H), before the first step.
        states: (T, B, H), after each step.
        lengths: Number of valid steps of each sample.
        reverse: Whether the last valid step comes first.
    """
    result = np.concatenate((states[1:], first[None]) if reverse else (first[None], states[:-1]))
    if reverse and len(states):
        rows = np.nonzero(lengths)[0]
        result[lengths[rows] - 1, rows] = first[rows]
    return result


@compiled
def _forward(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    peepholes: np.ndarray,
    projection: np.ndarray,
    lengths: np.ndarray,
    reverse: bool,
    cell_clip: np.float32,
    projection_clip: np.float32,
    squashed: bool,
    repeated: bool,
    hidden: np.ndarray,
    memory: np.ndarray,
    y: np.ndarray,
    memories: np.ndarray,
    gates: np.ndarray,
    wide: np.ndarray,
    groups: int,
) -> None:
    """Take the states through all steps."""
    steps, batch, size = memories.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        for i in range(steps):
            t = steps - 1 - i if reverse else i
            for b in range(first, last):
                for j in range(4 * size):
                    gates[t, b, j] = x[t, b, j] + bias[j]
            add_rows_of_product(hidden, weight, gates[t], first, last)
            for b in range(first, last):
                if t < lengths[b]:
                    _step(gates[t, b], peepholes, cell_clip, memory[b], wide[t, b])
                else:
                    for j in range(4 * size):
                        gates[t, b, j] = 0
                    for j in range(size):
                        wide[t, b, j] = 0
                for j in range(size):
                    memories[t, b, j] = memory[b, j] if repeated or t < lengths[b] else _ZERO
            if projection.size:
                for b in range(first, last):
                    for j in range(y.shape[2]):
                        y[t, b, j] = 0
                add_rows_of_product(wide[t], projection, y[t], first, last)
            for b in range(first, last):
                if t < lengths[b]:
                    if projection.size:
                        _finish(y[t, b], squashed, projection_clip)
                        for j in range(y.shape[2]):
                            hidden[b, j] = y[t, b, j]
                    else:
                        for j in range(size):
                            hidden[b, j] = wide[t, b, j]
                for j in range(y.shape[2]):
                    y[t, b, j] = hidden[b, j] if repeated or t < lengths[b] else _ZERO


@serial
def _step(
    gates: np.ndarray, peepholes: np.ndarray, clip: np.float32, memory: np.ndarray, hidden: np.ndarray
) -> None:
    size = memory.size
    if peepholes.size:
        for j in range(size):
            gates[size + j] += memory[j] * peepholes[0, j]
        for j in range(size):
            gates[2 * size + j] += memory[j] * peepholes[1, j]
    for j in range(size):
        gates[j] = tanh(gates[j])
    for j in range(size, 3 * size):
        gates[j] = sigmoid(gates[j])
    for j in range(size):
        memory[j] = gates[j] * gates[size + j] + memory[j] * gates[2 * size + j]
    if clip > 0:
        _clip(memory, clip)
    if peepholes.size:
        for j in range(size):
            gates[3 * size + j] += memory[j] * peepholes[2, j]
    for j in range(size):
        gates[3 * size + j] = sigmoid(gates[3 * size + j])
    for j in range(size):
        hidden[j] = gates[3 * size + j] * tanh(memory[j])


@serial
def _clip(x: np.ndarray, limit: np.float32) -> None:
    for j in range(x.size):
        x[j] = limit if x[j] > limit else (-limit if x[j] < -limit else x[j])


@serial
def _finish(x: np.ndarray, squashed: bool, limit: np.float32) -> None:
    if squashed:
        for j in range(x.size):
            x[j] = tanh(x[j])
    if limit > 0:
        _clip(x, limit)


@compiled
def _backward(
    grad_y: np.ndarray,
    grad_memories: np.ndarray,
    weight: np.ndarray,
    peepholes: np.ndarray,
    projection: np.ndarray,
    lengths: np.ndarray,
    y: np.ndarray,
    memories: np.ndarray,
    earlier: np.ndarray,
    gates: np.ndarray,
    reverse: bool,
    cell_clip: np.float32,
    projection_clip: np.float32,
    squashed: bool,
    repeated: bool,
    grad_gates: np.ndarray,
    grad_projected: np.ndarray,
    grad_hidden: np.ndarray,
    grad_memory: np.ndarray,
    groups: int,
) -> None:
    """Fill the gradients of the gates before their activations; turn those of the last states into the first ones'.

    ``grad_projected`` becomes what flows into the product with the projection.
    """
    steps, batch, size = memories.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        grad_wide = np.empty((batch if projection.size else 0, size), np.float32)
        for i in range(steps - 1, -1, -1):
            t = steps - 1 - i if reverse else i
            for b in range(first, last):
                if repeated or t < lengths[b]:
                    for j in range(y.shape[2]):
                        grad_hidden[b, j] += grad_y[t, b, j]
                    for j in range(size):
                        grad_memory[b, j] += grad_memories[t, b, j]
                if projection.size and t < lengths[b]:
                    for j in range(y.shape[2]):
                        grad_projected[t, b, j] = grad_hidden[b, j]
                        if projection_clip > 0 and abs(y[t, b, j]) >= projection_clip:
                            grad_projected[t, b, j] = 0
                        elif squashed:
                            grad_projected[t, b, j] *= _ONE - y[t, b, j] * y[t, b, j]
            if projection.size:
                for b in range(first, last):
                    for j in range(size):
                        grad_wide[b, j] = 0
                add_rows_of_product(grad_projected[t], projection, grad_wide, first, last)
            for b in range(first, last):
                if t < lengths[b]:
                    above = grad_wide[b] if projection.size else grad_hidden[b]
                    given = (gates[t, b], earlier[t, b], memories[t, b], peepholes, cell_clip)
                    _step_back(*given, above, grad_memory[b], grad_gates[t, b])
                    for j in range(y.shape[2]):
                        grad_hidden[b, j] = 0
                else:
                    for j in range(4 * size):
                        grad_gates[t, b, j] = 0
            add_rows_of_product(grad_gates[t], weight, grad_hidden, first, last)


@serial
def _step_back(
    gates: np.ndarray,
    before: np.ndarray,
    memory: np.ndarray,
    peepholes: np.ndarray,
    clip: np.float32,
    grad_hidden: np.ndarray,
    grad_memory: np.ndarray,
    grad_gates: np.ndarray,
) -> None:
    size = memory.size
    candidate, entry, keep, exit_ = gates[:size], gates[size : 2 * size], gates[2 * size : 3 * size], gates[3 * size :]
    for j in range(size):
        squashed = tanh(memory[j])
        grad_gates[3 * size + j] = grad_hidden[j] * squashed * exit_[j] * (_ONE - exit_[j])
        grad_memory[j] += grad_hidden[j] * exit_[j] * (_ONE - squashed * squashed)
    if peepholes.size:
        for j in range(size):
            grad_memory[j] += grad_gates[3 * size + j] * peepholes[2, j]
    if clip > 0:
        for j in range(size):
            grad_memory[j] = _ZERO if abs(memory[j]) >= clip else grad_memory[j]
    for j in range(size):
        grad_gates[j] = grad_memory[j] * entry[j] * (_ONE - candidate[j] * candidate[j])
    for j in range(size):
        grad_gates[size + j] = grad_memory[j] * candidate[j] * entry[j] * (_ONE - entry[j])
    for j in range(size):
        grad_gates[2 * size + j] = grad_memory[j] * before[j] * keep[j] * (_ONE - keep[j])
    for j in range(size):
        grad_memory[j] *= keep[j]
    if peepholes.size:
        for j in range(size):
            grad_memory[j] += grad_gates[size + j] * peepholes[0, j] + grad_gates[2 * size + j] * peepholes[1, j]
