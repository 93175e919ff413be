"""Whole sequences of gated recurrent units that reset before they multiply, forward and backward, float32 on the CPU.

Inputs are projected already. Each thread takes its samples through all steps, as in
:mod:`core.kernels.layers.recurrent.sequences`. What is right is defined by
:func:`core.kernels.layers.recurrent.reference.reset_first_gru_reference`.

Shapes: x and gates (T, B, 3 H) in the order update, reset, candidate; y (T, B, H); weight of the gates (H, 2 H), of the
candidate (H, H).
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads
from core.kernels.layers.lengths import check_lengths
from core.kernels.layers.recurrent.peephole_lstm import before
from core.kernels.layers.recurrent.sequences import groups_of, multiply
from core.kernels.numeric.products import add_rows_of_product, panels, transposed
from core.kernels.numeric.smooth import sigmoid, tanh

_ONE, _ZERO = np.float32(1), np.float32(0)


def reset_first_gru(
    x: np.ndarray,
    weight: np.ndarray,
    candidate_weight: np.ndarray,
    bias: np.ndarray,
    hidden: np.ndarray,
    lengths: np.ndarray,
    *,
    reverse: bool,
    origin: bool,
    repeated: bool,
    rectified: bool = False,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the states of all steps, the last one, the activated gates, and the states that were reset.

    Args:
        x, weight, candidate_weight, bias: Projected inputs, recurrent weights, and biases (3 H,).
        hidden: (B, H) before the first step.
        lengths: Number of valid steps of each sample.
        reverse: Whether the last valid step comes first.
        origin: Whether the update gate says how much of the state is kept, rather than how much of it is new.
        repeated: Whether the states behind a sample's length repeat what was passed through, rather than being 0.
        rectified: Whether a candidate is relu, rather than tanh, of its sum.
        out: (y, last state, gates, reset states (T, B, H)).
    """
    check_lengths(lengths, len(x), "gru")
    y, last, gates, reset = out
    last[...] = hidden
    given = (x, panels(weight), panels(candidate_weight), bias, lengths, reverse, origin, repeated, rectified)
    _forward(*given, last, y, gates, reset, groups_of(x))


def reset_first_gru_gradients(
    grad_y: np.ndarray,
    grad_last: np.ndarray,
    weight: np.ndarray,
    candidate_weight: np.ndarray,
    hidden: np.ndarray,
    lengths: np.ndarray,
    y: np.ndarray,
    gates: np.ndarray,
    reset: np.ndarray,
    *,
    reverse: bool,
    origin: bool,
    repeated: bool,
    rectified: bool = False,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the gradients of (x, weight, candidate_weight, bias, hidden) of :func:`reset_first_gru`."""
    grad_x, grad_weight, grad_candidate_weight, grad_bias, grad_hidden = out
    size, flat = hidden.shape[1], grad_x.reshape(-1, grad_x.shape[2])
    grad_hidden[...] = grad_last
    earlier = before(hidden, y, lengths, reverse)
    given = (grad_y, panels(weight.T), panels(candidate_weight.T), lengths, earlier, gates)
    _backward(*given, reverse, origin, repeated, rectified, grad_x, grad_hidden, groups_of(grad_x))
    of_gates, of_candidates = np.ascontiguousarray(flat[:, : 2 * size]), np.ascontiguousarray(flat[:, 2 * size :])
    multiply(transposed(earlier.reshape(len(flat), -1)), of_gates, grad_weight)
    multiply(transposed(reset.reshape(len(flat), -1)), of_candidates, grad_candidate_weight)
    flat.sum(0, out=grad_bias)


@compiled
def _forward(
    x: np.ndarray,
    weight: np.ndarray,
    candidate_weight: np.ndarray,
    bias: np.ndarray,
    lengths: np.ndarray,
    reverse: bool,
    origin: bool,
    repeated: bool,
    rectified: bool,
    hidden: np.ndarray,
    y: np.ndarray,
    gates: np.ndarray,
    reset: np.ndarray,
    groups: int,
) -> None:
    """Take the states through all steps."""
    steps, batch, size = y.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        sums, candidates = np.empty((batch, 2 * size), np.float32), np.empty((batch, size), np.float32)
        for i in range(steps):
            t = steps - 1 - i if reverse else i
            for b in range(first, last):
                for j in range(2 * size):
                    sums[b, j] = x[t, b, j] + bias[j]
                for j in range(size):
                    candidates[b, j] = x[t, b, 2 * size + j] + bias[2 * size + j]
            add_rows_of_product(hidden, weight, sums, first, last)
            for b in range(first, last):
                for j in range(2 * size):
                    gates[t, b, j] = sigmoid(sums[b, j])
                for j in range(size):
                    reset[t, b, j] = gates[t, b, size + j] * hidden[b, j]
            add_rows_of_product(reset[t], candidate_weight, candidates, first, last)
            for b in range(first, last):
                _step(gates[t, b], candidates[b], origin, rectified, t < lengths[b], hidden[b], reset[t, b])
                for j in range(size):
                    y[t, b, j] = hidden[b, j] if repeated or t < lengths[b] else _ZERO


@serial
def _step(
    gates: np.ndarray,
    candidates: np.ndarray,
    origin: bool,
    rectified: bool,
    valid: bool,
    hidden: np.ndarray,
    reset: np.ndarray,
) -> None:
    size = hidden.size
    if not valid:
        for j in range(3 * size):
            gates[j] = 0
        for j in range(size):
            reset[j] = 0
        return
    for j in range(size):
        gates[2 * size + j] = max(candidates[j], _ZERO) if rectified else tanh(candidates[j])
    for j in range(size):
        new = _ONE - gates[j] if origin else gates[j]
        hidden[j] += new * (gates[2 * size + j] - hidden[j])


@compiled
def _backward(
    grad_y: np.ndarray,
    weight: np.ndarray,
    candidate_weight: np.ndarray,
    lengths: np.ndarray,
    earlier: np.ndarray,
    gates: np.ndarray,
    reverse: bool,
    origin: bool,
    repeated: bool,
    rectified: bool,
    grad_gates: np.ndarray,
    grad_hidden: np.ndarray,
    groups: int,
) -> None:
    """Fill the gradients of the gates before their activations; turn that of the last state into the first one's."""
    steps, batch, size = grad_y.shape
    for group in threads(groups):
        first, last = batch * group // groups, batch * (group + 1) // groups
        before_reset, of_candidates = np.empty((batch, size), np.float32), np.empty((batch, size), np.float32)
        of_gates = np.empty((batch, 2 * size), np.float32)
        for i in range(steps - 1, -1, -1):
            t = steps - 1 - i if reverse else i
            for b in range(first, last):
                if repeated or t < lengths[b]:
                    for j in range(size):
                        grad_hidden[b, j] += grad_y[t, b, j]
                for j in range(size):
                    before_reset[b, j] = 0
                    of_candidates[b, j] = 0
                for j in range(2 * size):
                    of_gates[b, j] = 0
                if t < lengths[b]:
                    grads = grad_hidden[b], of_gates[b], of_candidates[b]
                    _step_back(gates[t, b], earlier[t, b], origin, rectified, *grads)
            add_rows_of_product(of_candidates, candidate_weight, before_reset, first, last)
            for b in range(first, last):
                if t < lengths[b]:
                    for j in range(size):
                        reset = gates[t, b, size + j]
                        of_gates[b, size + j] = before_reset[b, j] * earlier[t, b, j] * reset * (_ONE - reset)
                        grad_hidden[b, j] += before_reset[b, j] * reset
                for j in range(2 * size):
                    grad_gates[t, b, j] = of_gates[b, j]
                for j in range(size):
                    grad_gates[t, b, 2 * size + j] = of_candidates[b, j]
            add_rows_of_product(of_gates, weight, grad_hidden, first, last)


@serial
def _step_back(
    gates: np.ndarray,
    before: np.ndarray,
    origin: bool,
    rectified: bool,
    grad_hidden: np.ndarray,
    of_gates: np.ndarray,
    of_candidates: np.ndarray,
) -> None:
    """Fill the gradients of the update gate and the candidate; leave that of what is kept."""
    size = before.size
    for j in range(size):
        update, candidate = gates[j], gates[2 * size + j]
        new = _ONE - update if origin else update
        of_update = grad_hidden[j] * (candidate - before[j]) * update * (_ONE - update)
        of_gates[j] = -of_update if origin else of_update
        steepness = (_ONE if candidate > _ZERO else _ZERO) if rectified else _ONE - candidate * candidate
        of_candidates[j] = grad_hidden[j] * new * steepness
        grad_hidden[j] *= _ONE - new
