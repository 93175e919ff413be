"""What a program to be stored is: a model, the sizes that it leaves open, and what it is given."""

from __future__ import annotations

import dataclasses
import math
import zlib
from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

import core
from core.static import InputSpec
from tests.frozen.exported import spread

PERIODS = (1021, 1009, 997, 991, 983)
"""Primes: a repeated input does not line up with sizes, nor two inputs with each other."""
SMALLER = (499, 491, 487, 479, 467, 463)


@dataclasses.dataclass(frozen=True)
class Case:
    """A program to store.

    Attributes:
        model: makes a Layer or a function.
        specs: the arguments of ``core.jit.save``.
        calls: for each call, the inputs; a shape stands for numbers between -4 and 4.
        learns: whether the gradients of a loaded program are kept.
        mixed: whether it also runs under ``auto_cast``.
        random: whether it draws numbers: of its results only the shapes are kept.
        write: writes the folder, where that is not ``core.jit.save``.
    """

    model: Callable[[], Any]
    specs: Sequence[Any]
    calls: Sequence[Sequence[Any]]
    learns: bool = False
    mixed: bool = False
    random: bool = False
    write: Any = None

    def inputs(self, call: int) -> list[np.ndarray]:
        """Return the arrays of a call."""
        return [
            item if isinstance(item, np.ndarray) else spread(item, period, 4.0)
            for item, period in zip(self.calls[call], PERIODS)
        ]


def simple(model: Callable[[], Any], *shapes: Sequence[Any], **more: Any) -> Case:
    """Return a case of one float32 input: its open shape, or its only one, then the shapes of calls."""
    calls = [[shape] for shape in shapes[1:] or shapes]
    return Case(model, [spec(shapes[0], "x", more.pop("dtype", "float32"))], calls, **more)


def spec(shape: Sequence[Any], name: str, dtype: str = "float32") -> InputSpec:
    """Return an InputSpec whose open sizes, but for the first, are small where the export tries them."""
    examples = {axis: (12 + axis, 19 + axis) for axis, size in enumerate(shape) if size is None and axis}
    return InputSpec(list(shape), dtype, name, examples=examples)


def double(shape: Sequence[int], number: int = 0) -> np.ndarray:
    """Return float64 numbers between -4 and 4."""
    return spread(shape, PERIODS[number], 4.0).astype(np.float64)


def whole(shape: Sequence[int], below: int, dtype: str = "int64") -> np.ndarray:
    """Return whole numbers from 0."""
    return np.resize(np.random.default_rng(below).integers(0, below, 211), tuple(shape)).astype(dtype)


def filled(layer: Any) -> Any:
    """Give a Layer weights of few binary digits that repeat, so that they compress; statistics are plausible."""
    for name, tensor in layer.state_dict().items():
        last = name.rpartition(".")[2]
        numbers = spread(tensor.shape, SMALLER[zlib.crc32(name.encode()) % len(SMALLER)])
        if last == "_variance":
            numbers = np.abs(numbers) + 0.5
        elif last in ("weight", "scale") and len(tensor.shape) == 1:
            numbers = 1 + numbers / 4
        elif len(tensor.shape) > 1:
            numbers = numbers * 2.0 ** -round(math.log2(math.prod(tensor.shape) / max(tensor.shape[:2])) / 2)
        elif last != "_mean":
            numbers = numbers / 8
        tensor.set_value(core.to_tensor(numbers, dtype=tensor.dtype))
    return layer
