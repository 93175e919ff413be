"""Running a channels-last network, float32 on the CPU, in one call: its steps follow each other without Python.

All values are in one flat memory. A pixel holds its channels in a row, filled up to a multiple of LANES; a value that
wider kernels read has a border of zeros. What each step does, and where, is in tables
(:mod:`core.kernels.channels_last.plan`). No bit of a result depends on the number of threads.
"""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.channels_last.convolutions import convolve_rows, multiply
from core.kernels.channels_last.steps import (
    add_up,
    average,
    clear_border,
    combine,
    copy_plain,
    join,
    pool,
    shift,
)
from core.kernels.channels_last.winograd_step import convolve_tiles
from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads
from core.kernels.numeric.sharing import APART, next_task, wait_for_all


def run(
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
        image: The input, flat.
        memory: Room for all values, flat.
        weights: All weights, flat.
        table: The steps (steps, FIELDS).
        numbers: Those of each step (steps, NUMBERS).
        places: Distances that the steps look up, flat.
        scratch: Where in memory each thread's own room begins.
        room: How many numbers each thread has.
    """
    counters = np.zeros(len(table) * 2 * APART, np.int64)
    _run(image, memory, weights, table, numbers, places, scratch, room, counters, number_of_threads())


@compiled
def _run(
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
        _work(image, memory, weights, table, numbers, places, scratch + worker * room, counters)


@serial
def _work(
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
        done = 0
        task = next_task(counters, i)
        while task < tasks:
            if task >= work:
                clear_border(memory, step, number, places, task - work)
            elif kind == t.PRODUCT:
                multiply(memory, weights, step, number, places, scratch, task)
            elif kind == t.WINOGRAD:
                convolve_tiles(memory, weights, step, number, places, scratch, task)
            elif kind == t.ROW:
                convolve_rows(memory, weights, step, number, task)
            elif kind == t.PLAIN:
                copy_plain(image, memory, step, task)
            elif kind == t.SUM:
                add_up(memory, step, task)
            elif kind == t.MEAN:
                average(memory, step, number, task)
            elif kind == t.MAXIMUM:
                pool(memory, step, number, task)
            elif kind == t.JOIN:
                join(memory, step, places, task)
            elif kind == t.SHIFT:
                shift(memory, step, task)
            else:
                combine(memory, step, number, task)
            done += 1
            task = next_task(counters, i)
        wait_for_all(counters, i, done, tasks)
