"""The steps of recurrent networks, forward: threads share out samples, or units, and then wait for each other.

Rows are those of :mod:`core.kernels.layers.recurrent.rows`. A task is the step of some units, COLUMNS of them, for the
samples of a group: the products with the state, and, while they are in the cache, what becomes of them.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads
from core.kernels.layers.recurrent.cells import (
    GRU,
    LSTM,
    RELU,
    gru_gates,
    gru_state,
    lstm_memory,
    lstm_state,
    put,
    simple_state,
    take,
)
from core.kernels.numeric.products import add_dots, multiply_panel
from core.kernels.numeric.sharing import APART, next_task, wait_for_all
from core.kernels.numeric.tiles import COLUMNS


@serial
def rows_of_group(active: int, group: int, groups: int) -> int:
    """Return how many of the first ``active`` samples a group has: each has every ``groups``-th one."""
    return max(0, (active - group + groups - 1) // groups)


@serial
def next_block(counters: np.ndarray, step: int, part: int, parts: int, blocks: int) -> int:
    """Return a block that nobody works at, from the thread's own share while there is one; -1 when there is none."""
    for i in range(parts):
        share = (part + i) % parts
        first, last = blocks * share // parts, blocks * (share + 1) // parts
        task = first + next_task(counters, step * parts + share)
        if task < last:
            return task
    return -1


@compiled
def forward_steps(
    kind: int,
    low: int,
    high: int,
    bounds: np.ndarray,
    reverse: bool,
    weight: np.ndarray,
    bias: np.ndarray,
    projected: np.ndarray,
    base: int,
    states: np.ndarray,
    memory: np.ndarray,
    y: np.ndarray,
    memories: np.ndarray,
    candidates: np.ndarray,
    keeps: bool,
    counters: np.ndarray,
    groups: int,
    parts: int,
) -> None:
    """Compute the steps from ``low`` to before ``high``, in the order of computation.

    Args:
        kind: LSTM, GRU, TANH or RELU.
        low, high: See above.
        bounds: The rows of each step.
        reverse: Whether the last step comes first.
        weight: Panels of the recurrent weight of each gate, (gates, blocks, H, COLUMNS); of a single
            group also its rows, (gates, H, H, 1).
        bias: (H,) of a GRU's recurrent candidates.
        projected: Projected inputs, (rows, gates · H), which become activated gates where it ``keeps`` them.
        base: The first row that ``projected`` has.
        states: (2, B, H): which of the two is read, and which written, changes from step to step.
        memory: (B, H), of an LSTM.
        y: All states, (N, H).
        memories, candidates: Likewise memories of an LSTM, and recurrent candidates of a GRU, where it ``keeps`` them.
        keeps: See above.
        counters: Zeros, of :mod:`core.kernels.numeric.sharing`, ``parts`` for each step.
        groups, parts: Among how many threads samples, and each group's units, are shared out.
    """
    gates, blocks = weight.shape[0], (weight.shape[2] + COLUMNS - 1) // COLUMNS
    steps = bounds.size - 1
    most = (states.shape[1] + groups - 1) // groups * COLUMNS
    for worker in threads(groups * parts):
        group, part = worker // parts, worker % parts
        sums, block_of_memory = np.empty(gates * most, np.float32), np.empty(most, np.float32)
        state = np.empty(most, np.float32)
        of_group = counters[group]
        for i in range(low, high):
            t = steps - 1 - i if reverse else i
            rows = rows_of_group(bounds[t + 1] - bounds[t], group, groups)
            given = (kind, weight, bias, projected, bounds[t] - base, states[i % 2], memory, states[(i + 1) % 2], y)
            more = (bounds[t], memories, candidates, keeps, group, groups, rows, sums, block_of_memory, state)
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
    bias: np.ndarray,
    projected: np.ndarray,
    place: int,
    old: np.ndarray,
    memory: np.ndarray,
    new: np.ndarray,
    y: np.ndarray,
    at: int,
    memories: np.ndarray,
    candidates: np.ndarray,
    keeps: bool,
    group: int,
    groups: int,
    rows: int,
    all_sums: np.ndarray,
    all_memory: np.ndarray,
    all_state: np.ndarray,
    block: int,
) -> None:
    """Compute one step of some units for a group's ``rows`` samples."""
    gates, blocks, size, columns = weight.shape
    first, numbers = block * COLUMNS, rows * COLUMNS
    width = min(COLUMNS, size - first)
    wide = gates * size  # of a row of projected inputs
    flat, begin, line = projected.reshape(-1), (place + group) * wide + first, groups * wide
    here, there, apart = group * size + first, (at + group) * size + first, groups * size
    sums, state, cells = all_sums[: gates * numbers], all_state[:numbers], all_memory[:numbers]
    for gate in range(gates):
        part = sums[gate * numbers : (gate + 1) * numbers]
        if kind == GRU and gate == 2:
            take(bias, first, 0, rows, width, part)
        else:
            take(flat, begin + gate * size, line, rows, width, part)
        if columns == 1:
            for r in range(rows):
                add_dots(weight.reshape(-1), (gate * size + first) * size, width, old[r], part[r * COLUMNS :])
        else:
            panel = (gate * blocks + block) * size * COLUMNS
            given = (old.reshape(-1), group * size, apart, 1, weight.reshape(-1), panel, size)
            multiply_panel(*given, sums, gate * numbers, COLUMNS, rows, COLUMNS, True)
    if kind == LSTM:
        take(memory.reshape(-1), here, apart, rows, width, cells)
        lstm_memory(sums, cells)
        put(cells, rows, width, memory.reshape(-1), here, apart)
        lstm_state(sums, cells, state)
        if keeps:
            put(cells, rows, width, memories.reshape(-1), there, apart)
            for gate in range(4):
                put(sums[gate * numbers :], rows, width, flat, begin + gate * size, line)
    elif kind == GRU:
        take(flat, begin + 2 * size, line, rows, width, cells)
        if keeps:
            put(sums[2 * numbers :], rows, width, candidates.reshape(-1), there, apart)
        gru_gates(sums, cells)
        take(old.reshape(-1), here, apart, rows, width, state)
        gru_state(sums, cells, state)
        if keeps:
            put(sums, rows, width, flat, begin, line)
            put(sums[numbers:], rows, width, flat, begin + size, line)
            put(cells, rows, width, flat, begin + 2 * size, line)
    else:
        simple_state(sums, kind == RELU, state)
    put(state, rows, width, new.reshape(-1), here, apart)
    put(state, rows, width, y.reshape(-1), there, apart)


def counters_of(steps: int, groups: int, parts: int) -> np.ndarray:
    """Return zeros to share the steps with."""
    return np.zeros((groups, steps * parts * 2 * APART if parts > 1 else 1), np.int64)
