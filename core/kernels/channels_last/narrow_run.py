"""Running a channels-last network with values of 16 or 8 bits in one call; see :mod:`core.kernels.channels_last.run`.

Steps between float32 values are those of other networks. Each of the two forms has kernels of its own, which are
compiled when the first such network runs.
"""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.channels_last.convolutions import multiply
from core.kernels.channels_last.forms import BFLOAT16, FLOAT32
from core.kernels.channels_last.narrow_input import pack_plain, round_plain
from core.kernels.channels_last.narrow_steps import (
    add_narrow_up,
    average_narrow,
    combine_narrow,
    convolve_narrow_rows,
    gather_narrow,
    multiply_narrow,
)
from core.kernels.channels_last.steps import clear_border, copy_plain, join
from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads
from core.kernels.numeric.sharing import APART, next_task, wait_for_all


def run_narrow(
    form: int,
    image: np.ndarray,
    memory: np.ndarray,
    weights: np.ndarray,
    table: np.ndarray,
    numbers: np.ndarray,
    places: np.ndarray,
    scratch: int,
    room: int,
) -> None:
    """Run all steps.

    Args:
        form: Of the values beside float32.
        image, memory, weights, table, numbers, places, scratch, room: As of :func:`core.kernels.channels_last.run.run`.
    """
    marker = np.empty(0, np.uint16 if form == BFLOAT16 else np.uint8)
    counters = np.zeros(len(table) * 2 * APART, np.int64)
    _run(marker, image, memory, weights, table, numbers, places, scratch, room, counters, number_of_threads())


@compiled
def _run(
    marker: np.ndarray,
    image: np.ndarray,
    memory: np.ndarray,
    weights: np.ndarray,
    table: np.ndarray,
    numbers: np.ndarray,
    places: np.ndarray,
    scratch: int,
    room: int,
    counters: np.ndarray,
    workers: int,
) -> None:
    for worker in threads(workers):
        _work(marker, image, memory, weights, table, numbers, places, scratch + worker * room, counters)


@serial
def _work(
    marker: np.ndarray,
    image: np.ndarray,
    memory: np.ndarray,
    weights: np.ndarray,
    table: np.ndarray,
    numbers: np.ndarray,
    places: np.ndarray,
    scratch: int,
    counters: np.ndarray,
) -> None:
    """Do what one thread gets to do of each step."""
    for i in range(table.shape[0]):
        step, number = table[i], numbers[i]
        kind, tasks, work = step[t.KIND], step[t.TASKS], step[t.WORK]
        is_wide = step[t.FORM] == FLOAT32 and step[t.TARGET_FORM] == FLOAT32 and step[t.OTHER_FORM] <= FLOAT32
        done = 0
        task = next_task(counters, i)
        while task < tasks:
            if task >= work:
                clear_border(memory, step, number, places, task - work)
            elif kind == t.PRODUCT:
                if is_wide:
                    multiply(memory, weights, step, number, places, scratch, task)
                else:
                    multiply_narrow(marker, memory, weights, step, number, places, scratch, task)
            elif kind == t.ROW:
                convolve_narrow_rows(marker, memory, weights, step, number, places, scratch, task)
            elif kind == t.PLAIN:
                copy_plain(image, memory, step, task)
                if number[t.INVERSE] > 0:
                    round_plain(memory, step, number, task)
            elif kind == t.PACK:
                pack_plain(image, memory, step, number, task)
            elif kind == t.SUM:
                add_narrow_up(marker, memory, step, number, scratch, task)
            elif kind == t.MEAN:
                average_narrow(marker, memory, weights, step, number, places, scratch, task)
            elif kind == t.MAXIMUM:
                gather_narrow(marker, memory, weights, step, number, places, scratch, task)
            elif kind == t.JOIN:
                join(memory, step, places, task)
            else:
                combine_narrow(marker, memory, weights, step, number, places, scratch, task)
            done += 1
            task = next_task(counters, i)
        wait_for_all(counters, i, done, tasks)
