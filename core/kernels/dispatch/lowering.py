"""Lowering: which implementation computes an operator, chosen in one place that eager calls and programs share.

Operators are semantic: a convolution, a product, a swish. What computes one is chosen when the dispatcher makes a plan,
or a trace builds the engine's graph, from shapes, types, formats, attributes, device and context. An implementation is
the operator itself (the engine's kernel), a custom :class:`core.kernels.dispatch.operator.Kernel`, or a
:class:`core.kernels.dispatch.composition.Composition` of other operators. The rules are in
:mod:`core.kernels.lowerings`; an operator without one computes itself. The record of operations and exported programs
never see the choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional

from core.kernels.dtypes import DType, float32
from core.kernels.engine import engine, host_array

if TYPE_CHECKING:
    from core.kernels.dispatch.dispatcher import Meta, Value
    from core.kernels.dispatch.operator import Operator

# The context of a thread is the sum of these; what the dispatcher remembers about an operator is remembered for a
# context.
GRADIENTS = 1  # operations are recorded
MIXED = 2  # mixed precision chooses the types that operators compute in
PROGRAM = 4  # operators become the graph of a program that this process compiles
SERVING = 8  # operators become the graph of an exported program that a predictor runs
SYMBOLIC = 16  # operators are only recorded, for sizes that are not all known
TRACED = PROGRAM | SERVING | SYMBOLIC
UNUSUAL = MIXED | TRACED

IMAGE_AXES = 4


class Call:
    """What is known about a call of an operator when its implementation is chosen.

    Args:
        metas: Shape and type of each input.
        attributes: Those of the call.
        context: The thread's context.
        formats: The memory format that each input's maker noted on it.
        inputs: The input values where a graph is built; None eagerly.
    """

    __slots__ = ("metas", "attributes", "context", "formats", "inputs")

    def __init__(
        self,
        metas: Sequence[Meta],
        attributes: dict[str, Any],
        context: int,
        formats: Sequence[int],
        inputs: Optional[Sequence[Value]] = None,
    ) -> None:
        self.metas = metas
        self.attributes = attributes
        self.context = context
        self.formats = formats
        self.inputs = inputs

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """Return the shape of an input."""
        return self.metas[index][0]

    def dtype(self, index: int = 0) -> DType:
        """Return the type of an input."""
        return self.metas[index][1]

    def size(self, index: int = 0) -> int:
        """Return how many elements an input has."""
        return math.prod(self.metas[index][0])

    def needs(self, index: int) -> bool:
        """Return whether an input may need a gradient; eagerly a plan serves all tensors of a shape, so that it may."""
        if self.inputs is None:
            return self.learns
        return self.learns and self.inputs[index].requires_grad

    def is_given(self, index: int) -> bool:
        """Return whether an input of a graph's operator is an input of the graph, or a tensor from outside it."""
        value = None if self.inputs is None else self.inputs[index]
        return value is None or value.traced is None or value.traced.is_input(value)

    @property
    def learns(self) -> bool:
        """Whether operations are recorded."""
        return bool(self.context & GRADIENTS)

    @property
    def eager(self) -> bool:
        """Whether it is computed at once."""
        return not self.context & TRACED

    @property
    def serving(self) -> bool:
        """Whether it becomes part of an exported program that a predictor runs."""
        return bool(self.context & SERVING)

    @property
    def is_small(self) -> bool:
        """Whether it is computed at once, on inputs of few elements, of which NumPy's memory may hold results.

        Images stay with the engine, whose convolutions leave them in blocks of channels and want them so.
        """
        return self.eager and all(
            len(shape) < IMAGE_AXES and host_array.is_kept(math.prod(shape), dtype) for shape, dtype in self.metas
        )

    @property
    def is_for_numba(self) -> bool:
        """Whether all inputs are float32 where a custom kernel can write; a predictor's engine is quicker without.

        A custom operator inside an exported program costs more than most of these kernels save.
        """
        if self.serving or not engine.on_cpu():
            return False
        return all(dtype is float32 for _, dtype in self.metas if dtype.is_floating)


Lowering = Callable[[Call], Optional["Operator"]]
LOWERINGS: dict[str, Lowering] = {}
NUMPY_LOWERINGS: dict[str, Lowering] = {}
"""Those for few elements on a CPU, asked first: they return what NumPy computes with."""

UNKNOWN, BY_NORMALIZATION, PLAIN_LAYOUT = 0, 1, 2
"""Memory formats: nothing is known; what oneDNN's batch normalisation or ReLU made, in blocks of channels, or in
bfloat16 with channels last; and rows in order, whose gradient is taken in any format."""

NOTED = {"batch_normalization": BY_NORMALIZATION, "relu": BY_NORMALIZATION, "affine": PLAIN_LAYOUT}
"""The format that is noted on the first result of an operator whose call is recorded; elsewhere none is."""


def lowers(*names: str) -> Callable[[Lowering], Lowering]:
    """Attach the decorated function to operators: it returns what computes a call, None for the operator itself."""
    return _attaching(LOWERINGS, names)


def lowers_small(*names: str) -> Callable[[Lowering], Lowering]:
    """Attach the decorated function to operators: where :attr:`Call.is_small`, it returns what NumPy computes, or None.

    Args:
        *names: Those of the operators.
    """
    return _attaching(NUMPY_LOWERINGS, names)


def _attaching(lowerings: dict[str, Lowering], names: Sequence[str]) -> Callable[[Lowering], Lowering]:
    def attach(function: Lowering) -> Lowering:
        for name in names:
            if name in lowerings:
                raise ValueError(f"operator {name!r} is lowered twice")
            lowerings[name] = function
        return function

    return attach


def lowered(operator: Operator, call: Call) -> Operator:
    """Return what computes a call of an operator."""
    small = NUMPY_LOWERINGS.get(operator.name)
    if small is not None and call.is_small:
        chosen = small(call)
        if chosen is not None:
            return chosen
    rule = LOWERINGS.get(operator.name)
    if rule is None or call.context & SYMBOLIC:
        return operator
    return rule(call) or operator
