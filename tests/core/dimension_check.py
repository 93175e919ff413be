"""Traces or exports a function with unknown sizes and runs it at several sizes against the eager run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

import core
from core.jit import Predictor, tree
from core.jit.exported.reader import read_program
from core.jit.input_spec import InputSpec
from core.jit.passes.passes import is_random
from core.jit.tracing.symbolic import replay, trace_symbolic
from core.kernels.dispatch.errors import OperatorError

SIZES = (1, 3, 8)
FURTHER_SIZES = (4, 6, 9, 12, 7, 10, 11)
EXAMPLES = ((7, 11), (6, 10), (4, 8), (8, 16), (3, 5), (2, 4))

Axes = dict[int, int]
"""The unknown axes of a tensor, each with how much longer it is than the size that a call is made at."""


def resized(tensor: core.Tensor, axes: Axes, size: int) -> core.Tensor:
    """Return a tensor whose unknown axes are cut off, or repeated, to a size."""
    values = tensor.numpy()
    for axis, more in axes.items():
        values = values.take(np.arange(size + more) % values.shape[axis], axis)
    return core.to_tensor(values, dtype=tensor.dtype, stop_gradient=tensor.stop_gradient)


class Call:
    """One example call, whose tensors share an axis, or several, of which any size will do.

    Args:
        function: What is called.
        args: Its arguments; tensors may be nested.
        kwargs: Its named arguments.
        axes: For each tensor, the axes whose sizes are unknown.
    """

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], axes: Sequence[Axes]
    ) -> None:
        self.function = function
        self.tensors, self.skeleton = tree.flatten((list(args), kwargs))
        self.axes = axes

    def on_tensors(self, *given: core.Tensor) -> list[core.Tensor]:
        positional, named = tree.unflatten(self.skeleton, list(given))
        outputs, _ = tree.flatten(self.function(*positional, **named))
        return outputs

    def inputs(self, size: int) -> list[core.Tensor]:
        return [resized(tensor, axes, size) if axes else tensor for tensor, axes in zip(self.tensors, self.axes)]

    def eager(self, size: int) -> Optional[list[np.ndarray]]:
        """Return the results at a size, or None where the call does not take that size."""
        core.seed(3)
        try:
            return [output.as_float_numpy() for output in self.on_tensors(*self.inputs(size))]
        except (OperatorError, ValueError, IndexError, TypeError):
            return None

    def examples(self) -> Optional[tuple[int, int]]:
        """Return two sizes to trace with, or None where the call takes one size only."""
        for pair in EXAMPLES:
            if all(self.eager(size) is not None for size in pair):
                return pair
        return None

    def specs(self, pair: tuple[int, int]) -> list[InputSpec]:
        """Return what the inputs are, with two sizes to trace with."""
        specs = []
        for tensor, axes in zip(self.tensors, self.axes):
            shape = [None if axis in axes else size for axis, size in enumerate(tensor.shape)]
            examples = {axis: (pair[0] + more, pair[1] + more) for axis, more in axes.items()}
            specs.append(InputSpec(shape, tensor.dtype, None, tensor.stop_gradient, examples))
        return specs

    def check(self, pair: tuple[int, int], tolerance: float = 1e-6) -> None:
        """Assert that the program for any size gives the eager results at each size that the call takes."""
        program = trace_symbolic(self.on_tensors, self.specs(pair))
        for size in SIZES:
            expected = self.eager(size)
            if expected is None:
                continue
            core.seed(3)
            values = replay(program, [tensor._value for tensor in self.inputs(size)])[: len(program.outputs)]
            got = [core.Tensor(value).as_float_numpy() for value in values]
            assert len(got) == len(expected)
            for one, other in zip(got, expected):
                assert one.shape == other.shape, f"at size {size}: {one.shape}, eagerly {other.shape}"
                assert one.dtype == other.dtype
                np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=f"at size {size}")

    def export(self, pair: tuple[int, int], folder: Path) -> None:
        """Save the call for any size; tensors whose sizes are all known serve as examples of their values."""
        given = [spec if axes else tensor for spec, tensor, axes in zip(self.specs(pair), self.tensors, self.axes)]
        core.jit.save(self.on_tensors, folder, given)

    def check_exported(self, folder: Path, sizes: Iterable[int], tolerance: float = 1e-5) -> list[str]:
        """Assert that what was saved, loaded again, gives the eager results at two sizes at least.

        Args:
            folder: What :meth:`export` wrote.
            sizes: In this order, until two sizes have run, and all of the first three.
            tolerance: Of the largest element.

        Returns:
            The messages of sizes that the program refuses, and the eager call does not.
        """
        loaded, predictor = core.jit.load(folder), Predictor(folder)
        ways: list[Callable[..., Any]] = [lambda *given: [item.as_float_numpy() for item in loaded(*given)]]
        if not is_random(read_program(folder).nodes):  # a compiled program draws in an order of its own
            ways.append(lambda *given: predictor.run([tensor.as_float_numpy() for tensor in given]))
        refusals, ran = [], 0
        for count, size in enumerate(sizes):
            expected = self.eager(size) if count < len(SIZES) or ran < 2 else None
            if expected is None:
                continue
            refused = []
            for way in ways:
                core.seed(3)
                try:
                    assert_same(way(*self.inputs(size)), expected, size, tolerance)
                except OperatorError as error:
                    refused.append(str(error))
            assert len(refused) in (0, len(ways)), f"at size {size} one of two ways refuses: {refused}"
            refusals += refused
            ran += not refused
        assert ran >= 2, f"ran at {ran} sizes: {refusals}"
        return refusals


def assert_same(got: Sequence[np.ndarray], expected: Sequence[np.ndarray], size: int, tolerance: float) -> None:
    """Assert that results at a size have the eager ones' shapes, types and values."""
    assert len(got) == len(expected)
    for one, other in zip(got, expected):
        assert (one.shape, one.dtype) == (other.shape, other.dtype), f"at size {size}"
        exact = other.dtype.kind != "f"
        scale = 0.0 if exact else max(1.0, float(np.abs(other[np.isfinite(other)]).max(initial=0)))
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * scale, err_msg=f"at size {size}")


def leading_axes(tensors: Sequence[core.Tensor]) -> list[Axes]:
    """Return the first axis for each tensor in which it is as long as the first tensor's."""
    size = next((tensor.shape[0] for tensor in tensors if tensor.ndim), None)
    return [{0: 0} if tensor.ndim and tensor.shape[0] == size else {} for tensor in tensors]


def trailing_axes(tensors: Sequence[core.Tensor]) -> list[Axes]:
    """Return the last axis for each tensor of several axes whose last axis is as long as the first tensor's."""
    size = next((tensor.shape[-1] for tensor in tensors if tensor.ndim > 1), None)
    return [{tensor.ndim - 1: 0} if tensor.ndim > 1 and tensor.shape[-1] == size else {} for tensor in tensors]


def inner_axes(tensors: Sequence[core.Tensor]) -> list[Axes]:
    """Return the second axis for each tensor of three or more axes whose second axis is as long as the first such's."""
    size = next((tensor.shape[1] for tensor in tensors if tensor.ndim > 2), None)
    return [{1: 0} if tensor.ndim > 2 and tensor.shape[1] == size else {} for tensor in tensors]


def image_axes(tensors: Sequence[core.Tensor]) -> list[Axes]:
    """Return all axes but the second for each tensor of three or more axes: a batch of images of any size."""
    shape = next((tensor.shape for tensor in tensors if tensor.ndim > 2), None)
    if shape is None:
        return [{} for _ in tensors]
    found: list[Axes] = []
    for tensor in tensors:
        alike = tensor.ndim == len(shape) and [tensor.shape[0], *tensor.shape[2:]] == [shape[0], *shape[2:]]
        spatial = {axis: axis - 1 for axis in range(2, tensor.ndim)} if alike else {}
        found.append({0: 0, **spatial} if tensor.ndim and tensor.shape[0] == shape[0] else {})
    return found
