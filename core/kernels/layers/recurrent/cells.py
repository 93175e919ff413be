"""One step of some units of recurrent cells, for a few samples: what is left when the products are added up.

Blocks have the numbers of COLUMNS units of each sample, one sample behind the other, so that each loop here is one
over contiguous memory of a few kilobytes. ``sums`` has such a block for each gate.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import serial
from core.kernels.numeric.columns import add_columns, copy_columns
from core.kernels.numeric.smooth import gate_sigmoid, gate_tanh
from core.kernels.numeric.tiles import COLUMNS

LSTM, GRU, TANH, RELU = range(4)
_ONE, _ZERO = np.float32(1), np.float32(0)


@serial
def take(source: np.ndarray, start: int, line: int, rows: int, width: int, block: np.ndarray) -> None:
    """Copy ``source[start + r * line + j]``, j below ``width``, into a block; what fills it up becomes 0."""
    for r in range(rows):
        if width == COLUMNS:
            copy_columns(source, start + r * line, block, r * COLUMNS)
        else:
            for j in range(width):
                block[r * COLUMNS + j] = source[start + r * line + j]
            for j in range(width, COLUMNS):
                block[r * COLUMNS + j] = 0


@serial
def put(block: np.ndarray, rows: int, width: int, target: np.ndarray, start: int, line: int) -> None:
    """Copy a block to where :func:`take` found such a one."""
    for r in range(rows):
        if width == COLUMNS:
            copy_columns(block, r * COLUMNS, target, start + r * line)
        else:
            for j in range(width):
                target[start + r * line + j] = block[r * COLUMNS + j]


@serial
def add(source: np.ndarray, start: int, line: int, rows: int, width: int, block: np.ndarray) -> None:
    """Add to a block what :func:`take` would copy into it."""
    for r in range(rows):
        if width == COLUMNS:
            add_columns(source, start + r * line, block, r * COLUMNS)
        else:
            for j in range(width):
                block[r * COLUMNS + j] += source[start + r * line + j]


@serial
def to_tanh(x: np.ndarray) -> None:
    """Replace numbers by their hyperbolic tangents."""
    for j in range(x.size):
        x[j] = gate_tanh(x[j])


@serial
def lstm_memory(sums: np.ndarray, memory: np.ndarray) -> None:
    """Activate the gates i, f, g, and renew a block of memory."""
    size = memory.size
    entry, keep, candidate = sums[:size], sums[size : 2 * size], sums[2 * size : 3 * size]
    for j in range(size):
        open_, kept, new = gate_sigmoid(entry[j]), gate_sigmoid(keep[j]), gate_tanh(candidate[j])
        memory[j] = kept * memory[j] + open_ * new
        entry[j], keep[j], candidate[j] = open_, kept, new


@serial
def lstm_state(sums: np.ndarray, memory: np.ndarray, state: np.ndarray) -> None:
    """Activate the gate o and write the new state, behind :func:`lstm_memory`."""
    exit_ = sums[3 * memory.size : 4 * memory.size]
    for j in range(memory.size):
        open_ = gate_sigmoid(exit_[j])
        state[j] = open_ * gate_tanh(memory[j])
        exit_[j] = open_


@serial
def gru_gates(sums: np.ndarray, candidates: np.ndarray) -> None:
    """Activate the gate r and the candidates, of which ``candidates`` are the projected inputs."""
    size = candidates.size
    reset, recurrent = sums[:size], sums[2 * size : 3 * size]
    for j in range(size):
        open_ = gate_sigmoid(reset[j])
        candidates[j] = gate_tanh(candidates[j] + open_ * recurrent[j])
        reset[j] = open_


@serial
def gru_state(sums: np.ndarray, candidates: np.ndarray, state: np.ndarray) -> None:
    """Activate the gate z and turn a block of states into the new ones."""
    update = sums[candidates.size : 2 * candidates.size]
    for j in range(candidates.size):
        kept = gate_sigmoid(update[j])
        state[j] = candidates[j] + kept * (state[j] - candidates[j])
        update[j] = kept


@serial
def simple_state(sums: np.ndarray, rectified: bool, state: np.ndarray) -> None:
    """Write the new states."""
    for j in range(state.size):
        state[j] = sums[j]
    if rectified:
        for j in range(state.size):
            state[j] = _ZERO if state[j] < 0 else state[j]
    else:
        to_tanh(state)


@serial
def lstm_back(
    gates: np.ndarray, memory: np.ndarray, before: np.ndarray, grad_state: np.ndarray, grad_memory: np.ndarray
) -> None:
    """Turn the blocks of a step's gates into their gradients, and the gradient of the memory into the earlier one's."""
    size = memory.size  # each loop is one over few arrays: of more the compiler makes no vectors
    entry, keep, candidate, exit_ = gates[:size], gates[size : 2 * size], gates[2 * size : 3 * size], gates[3 * size :]
    for j in range(size):
        squashed, open_ = gate_tanh(memory[j]), exit_[j]
        exit_[j] = grad_state[j] * squashed * open_ * (_ONE - open_)
        grad_memory[j] += grad_state[j] * open_ * (_ONE - squashed * squashed)
    for j in range(size):
        given, new = entry[j], candidate[j]
        entry[j] = grad_memory[j] * new * given * (_ONE - given)
        candidate[j] = grad_memory[j] * given * (_ONE - new * new)
    for j in range(size):
        kept = keep[j]
        keep[j] = grad_memory[j] * before[j] * kept * (_ONE - kept)
        grad_memory[j] *= kept


@serial
def gru_back(gates: np.ndarray, recurrent: np.ndarray, before: np.ndarray, grad_state: np.ndarray) -> None:
    """Turn a step's gates into the gradients of their inputs' parts, and the state's into what passes by the gates.

    ``recurrent`` becomes the gradient of the candidates' recurrent part.
    """
    size = before.size
    reset, update, candidate = gates[:size], gates[size : 2 * size], gates[2 * size :]
    for j in range(size):
        kept, new, grad = update[j], candidate[j], grad_state[j]
        update[j] = grad * (before[j] - new) * kept * (_ONE - kept)
        candidate[j] = grad * (_ONE - kept) * (_ONE - new * new)
        grad_state[j] = grad * kept
    for j in range(size):
        open_ = reset[j]
        reset[j] = candidate[j] * recurrent[j] * open_ * (_ONE - open_)
        recurrent[j] = candidate[j] * open_


@serial
def simple_back(state: np.ndarray, rectified: bool, grad_state: np.ndarray) -> None:
    """Turn a block of states into the gradients of what was activated."""
    for j in range(state.size):
        slope = _ONE - state[j] * state[j]
        if rectified:
            slope = _ONE if state[j] > 0 else _ZERO
        state[j] = grad_state[j] * slope
