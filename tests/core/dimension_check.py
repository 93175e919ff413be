"""Traces a function with unknown sizes and replays it at several sizes against the eager run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

import core
from core.jit import tree
from core.jit.input_spec import InputSpec
from core.jit.symbolic import replay, trace_symbolic
from core.kernels.errors import OperatorError

SIZES = (1, 3, 8)
EXAMPLES = ((7, 11), (6, 10), (4, 8), (8, 16), (3, 5), (2, 4))


def resized(tensor: core.Tensor, axis: int, size: int) -> core.Tensor:
    """Return a tensor whose axis is cut off, or repeated, to a size."""
    have = tensor.numpy()
    values = have.take(np.arange(size) % have.shape[axis], axis)
    return core.to_tensor(values, dtype=tensor.dtype, stop_gradient=tensor.stop_gradient)


class Call:
    """One example call, whose tensors share an axis of which any size will do.

    Args:
        function: What is called.
        args: Its arguments; tensors may be nested.
        kwargs: Its named arguments.
        axes: For each tensor, the axis whose size is unknown, or None.
    """

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], axes: Sequence[Optional[int]]
    ) -> None:
        self.function = function
        self.tensors, self.skeleton = tree.flatten((list(args), kwargs))
        self.axes = axes

    def on_tensors(self, *given: core.Tensor) -> list[core.Tensor]:
        positional, named = tree.unflatten(self.skeleton, list(given))
        outputs, _ = tree.flatten(self.function(*positional, **named))
        return outputs

    def inputs(self, size: int) -> list[core.Tensor]:
        return [
            tensor if axis is None else resized(tensor, axis, size) for tensor, axis in zip(self.tensors, self.axes)
        ]

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

    def check(self, pair: tuple[int, int], tolerance: float = 1e-6) -> None:
        """Assert that the program for any size gives the eager results at each size that the call takes."""
        specs = []
        for tensor, axis in zip(self.tensors, self.axes):
            shape: list[Optional[int]] = list(tensor.shape)
            if axis is not None:
                shape[axis] = None
            examples = {} if axis is None else {axis: pair}
            specs.append(InputSpec(shape, tensor.dtype, None, tensor.stop_gradient, examples))
        program = trace_symbolic(self.on_tensors, specs)
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


def leading_axes(tensors: Sequence[core.Tensor]) -> list[Optional[int]]:
    """Return 0 for each tensor whose first axis is as long as the first tensor's."""
    size = next((tensor.shape[0] for tensor in tensors if tensor.ndim), None)
    return [0 if tensor.ndim and tensor.shape[0] == size else None for tensor in tensors]


def trailing_axes(tensors: Sequence[core.Tensor]) -> list[Optional[int]]:
    """Return the last axis for each tensor of several axes whose last axis is as long as the first tensor's."""
    size = next((tensor.shape[-1] for tensor in tensors if tensor.ndim > 1), None)
    return [tensor.ndim - 1 if tensor.ndim > 1 and tensor.shape[-1] == size else None for tensor in tensors]


def inner_axes(tensors: Sequence[core.Tensor]) -> list[Optional[int]]:
    """Return the second axis for each tensor of three or more axes whose second axis is as long as the first such's."""
    size = next((tensor.shape[1] for tensor in tensors if tensor.ndim > 2), None)
    return [1 if tensor.ndim > 2 and tensor.shape[1] == size else None for tensor in tensors]
