"""A channels-last network: its layers, and the plan for each shape of its input that it has met."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.kernels.channels_last.forms import FLOAT32
from core.kernels.channels_last.layer import Layer, Shape, shapes_of
from core.kernels.channels_last.narrow_run import run_narrow
from core.kernels.channels_last.plan import Plan
from core.kernels.channels_last.run import run
from core.kernels.channels_last.table import AS_LAST, AS_ROW, UNREAD
from core.kernels.channels_last.vectors import LANES
from core.kernels.engine import forked
from core.kernels.engine.compiled import number_of_threads

_PLANS = 8
_numbers = itertools.count(1)

NETWORKS: weakref.WeakValueDictionary[str, Network] = weakref.WeakValueDictionary()
"""Networks by name; the programs in which they stand keep them alive."""


class Network:
    """Layers on one input.

    Attributes:
        name: By which an operator's attribute refers to it.
        form: Of the numbers that it computes with beside float32.

    Args:
        layers: What it does, in order.
        channels: Of the input.
        weights: How many numbers its packed weights are.
        outputs: The values to return, and how each comes out (core.kernels.channels_last.table).
        input_grid: The scale and zero point of the bytes to which the input of a network of bytes is rounded first.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        channels: int,
        weights: int,
        outputs: Sequence[tuple[int, str]],
        input_grid: Optional[tuple[float, float]] = None,
    ) -> None:
        self.layers, self.channels, self.weights, self.outputs = tuple(layers), channels, weights, tuple(outputs)
        self.name = f"network {next(_numbers)}"
        NETWORKS[self.name] = self
        self.input_grid = input_grid
        self.form = max([layer.form for layer in layers], default=FLOAT32)
        self._plans: OrderedDict[tuple[int, ...], Plan] = OrderedDict()
        self._lock = forked.survives(threading.Lock())

    def output_shapes(self, shape: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the shapes of the results for an input (N, C, H, W).

        Raises:
            ValueError: the input is too small, its images are no whole clips, or values of different sizes are to be
                joined.
        """
        shapes = shapes_of(self.layers, shape)
        for place, (_, _, height, width) in enumerate(shapes):
            if height < 1 or width < 1:
                raise ValueError(f"step {place} leaves nothing of images of {shape[2]} x {shape[3]}")
        return [_come_out(shapes[place], form) for place, form in self.outputs]

    def __call__(self, x: np.ndarray, weights: np.ndarray, out: Sequence[np.ndarray]) -> None:
        """Compute the results for an input (N, C, H, W), C-contiguous."""
        plan = self._plan(x.shape)
        memory = np.empty(plan.scratch + number_of_threads() * plan.room + LANES, np.float32)
        memory = memory[-memory.ctypes.data // memory.itemsize % LANES :]  # vectors do not cross cache lines
        given = (x.reshape(-1), memory, weights, plan.table, plan.numbers, plan.places, plan.scratch, plan.room)
        if self.form == FLOAT32:
            run(*given)
        else:
            run_narrow(self.form, *given)
        for (place, form), result in zip(self.outputs, out):
            if form != UNREAD:
                plan.read(memory, place, result, form == AS_LAST)

    def _plan(self, shape: tuple[int, ...]) -> Plan:
        with self._lock:
            plan = self._plans.get(shape)
            if plan is None:
                read = [place for place, form in self.outputs if form != UNREAD]
                plan = self._plans[shape] = Plan(self.layers, shape, read, self.input_grid)
                if len(self._plans) > _PLANS:
                    self._plans.popitem(last=False)
            self._plans.move_to_end(shape)
            return plan


def _come_out(shape: Shape, form: str) -> tuple[int, ...]:
    batch, channels, height, width = shape
    return {AS_ROW: (batch, channels), AS_LAST: (batch, height, width, channels)}.get(form, shape)
