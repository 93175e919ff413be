"""The steps of recurrent networks, backward; threads and rows as in :mod:`core.kernels.layers.recurrent.forward`."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads
from core.kernels.layers.recurrent.cells import GRU, LSTM, RELU, add, gru_back, lstm_back, put, simple_back, take
from core.kernels.layers.recurrent.forward import next_block, rows_of_group
from core.kernels.numeric.products import multiply_panel
from core.kernels.numeric.sharing import wait_for_all
from core.kernels.numeric.tiles import COLUMNS


@compiled
def backward_steps(
    kind: int,
    bounds: np.ndarray,
    reverse: bool,
    weight: np.ndarray,
    grad_y: np.ndarray,
    gates: np.ndarray,
    before: np.ndarray,
    others: np.ndarray,
    grad_gates: np.ndarray,
    grad_recurrent: np.ndarray,
    passed: np.ndarray,
    grad_memory: np.ndarray,
    counters: np.ndarray,
    groups: int,
    parts: int,
) -> None:
    """Fill the gradients of what goes into the gates.

    Args:
        kind: LSTM, GRU, TANH or RELU.
        bounds: The rows of each step.
        reverse: Whether the last step came first.
        weight: Panels of the recurrent weight, (blocks, gates · H, COLUMNS).
        grad_y: Gradients of the states, (N, H).
        gates: Activated gates, or the states of a simple network, (N, gates · H).
        before: Memories of an LSTM, or states of a GRU, before each step, (N, H).
        others: Memories of an LSTM, recurrent candidates of a GRU, (N, H).
        grad_gates: To be filled, (N, gates · H).
        grad_recurrent: Likewise with the gradients of the recurrent products; the same array where they are equal.
        passed: Gradients of the last states, (B, H), of which what passed by the gates in the first steps is left.
        grad_memory: Gradients of the last memories, (B, H), which become those of the first ones.
        counters, groups, parts: As for :func:`forward_steps`.
    """
    steps, blocks = bounds.size - 1, weight.shape[0]
    count = gates.shape[1] // grad_y.shape[1]
    most = (passed.shape[0] + groups - 1) // groups * COLUMNS
    for worker in threads(groups * parts):
        group, part = worker // parts, worker % parts
        room = np.empty((count + 4) * most, np.float32)
        of_group = counters[group]
        for i in range(steps):
            t = i if reverse else steps - 1 - i
            rows = rows_of_group(bounds[t + 1] - bounds[t], group, groups)
            later, known = np.int64(0), 0
            if i > 0:
                later = bounds[t - 1 if reverse else t + 1]
                number = bounds[t if reverse else t + 2] - later
                known = min(rows, rows_of_group(number, group, groups))
            given = (kind, weight, grad_y, gates, before, others, grad_gates, grad_recurrent, passed, grad_memory)
            more = (bounds[t], later, group, groups, rows, known, room)
            if parts == 1:
                for block in range(blocks):
                    _block(*given, *more, block)
            else:
                done = 0
                block = next_block(of_group, i, part, parts, blocks)
                while block >= 0:
                    _block(*given, *more, block)
                    done += 1
                    block = next_block(of_group, i, part, parts, blocks)
                wait_for_all(of_group, i * parts, done, blocks)


@serial
def _block(
    kind: int,
    weight: np.ndarray,
    grad_y: np.ndarray,
    gates: np.ndarray,
    before: np.ndarray,
    others: np.ndarray,
    grad_gates: np.ndarray,
    grad_recurrent: np.ndarray,
    passed: np.ndarray,
    grad_memory: np.ndarray,
    at: int,
    later: int,
    group: int,
    groups: int,
    rows: int,
    known: int,
    room: np.ndarray,
    block: int,
) -> None:
    """Compute one step of some units for a group's ``rows`` samples, of which ``known`` take part in the later one."""
    size, wide = grad_y.shape[1], gates.shape[1]
    count = wide // size
    first, numbers = block * COLUMNS, rows * COLUMNS
    width = min(COLUMNS, size - first)
    there, apart, here = (at + group) * size + first, groups * size, group * size + first
    begin, line = (at + group) * wide + first, groups * wide
    grad, of_memory = room[:numbers], room[numbers : 2 * numbers]
    earlier, other, cells = room[2 * numbers : 3 * numbers], room[3 * numbers : 4 * numbers], room[4 * numbers :]
    take(grad_y.reshape(-1), there, apart, rows, width, grad)
    add(passed.reshape(-1), here, apart, rows, width, grad)
    given = (grad_recurrent.reshape(-1), (later + group) * wide, groups * wide, 1)
    multiply_panel(*given, weight.reshape(-1), block * wide * COLUMNS, wide, room, 0, COLUMNS, known, COLUMNS, True)
    for gate in range(count):
        take(gates.reshape(-1), begin + gate * size, line, rows, width, cells[gate * numbers : (gate + 1) * numbers])
    if kind == LSTM:
        take(others.reshape(-1), there, apart, rows, width, other)
        take(before.reshape(-1), there, apart, rows, width, earlier)
        take(grad_memory.reshape(-1), here, apart, rows, width, of_memory)
        lstm_back(cells[: 4 * numbers], other, earlier, grad, of_memory)
        put(of_memory, rows, width, grad_memory.reshape(-1), here, apart)
    elif kind == GRU:
        take(others.reshape(-1), there, apart, rows, width, other)
        take(before.reshape(-1), there, apart, rows, width, earlier)
        gru_back(cells[: 3 * numbers], other, earlier, grad)
        for gate in range(2):
            put(cells[gate * numbers :], rows, width, grad_recurrent.reshape(-1), begin + gate * size, line)
        put(other, rows, width, grad_recurrent.reshape(-1), begin + 2 * size, line)
    else:
        simple_back(cells[:numbers], kind == RELU, grad)
    for gate in range(count):
        put(cells[gate * numbers :], rows, width, grad_gates.reshape(-1), begin + gate * size, line)
    if kind != GRU:
        for j in range(numbers):
            grad[j] = 0
    put(grad, rows, width, passed.reshape(-1), here, apart)
