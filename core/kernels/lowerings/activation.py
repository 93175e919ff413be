"""Sigmoid, swish and hard swish: of many numbers by custom kernels, of few by the engine's operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Meta, Value
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Kernel, Operator
from core.kernels.dtypes import float32, float64
from core.kernels.engine.custom_kernels import gradient_of_first, kernel

FEWEST_ELEMENTS = 2**13
"""Below it, calling a custom kernel costs more than the engine's operators."""


def _one(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return metas[:1]


def _kernels(name: str) -> tuple[Kernel, Kernel]:
    """Declare our kernels of an activation and of its gradient, from the gradient of the result and the input."""
    gradient = kernel("layers.swish", f"{name}_gradient")
    return (
        Kernel(f"{name}.numba", kernel("layers.swish", name), infer=_one, gradients=gradient_of_first(gradient)),
        Kernel(f"{name}_backward.numba", gradient, infer=_one, differentiable=False),
    )


_SWISH, _SWISH_BACKWARD = _kernels("swish")
_HARD_SWISH, _HARD_SWISH_BACKWARD = _kernels("hard_swish")
_sigmoid_gradient = kernel("layers.swish", "sigmoid_gradient")
_SIGMOID = Kernel(
    "sigmoid.numba",
    kernel("layers.swish", "sigmoids"),
    infer=_one,
    gradients=lambda gradients, inputs, outputs, out: _sigmoid_gradient(gradients[0], outputs[0], out=out[0]),
)
_SIGMOID_BACKWARD = Kernel("sigmoid_backward.numba", _sigmoid_gradient, infer=_one, differentiable=False)

# In float32 oneDNN's is exact up to 17.33; Paddle's, like this one, is 1 from 16.64 on: scores beyond tie.
_PLAIN_SIGMOID = Operator("sigmoid", "sigmoid", register=False)


def _are_many(call: Call) -> bool:
    return call.is_for_numba and call.size() >= FEWEST_ELEMENTS


@lowers("sigmoid")
def _sigmoid(call: Call) -> Optional[Operator]:
    if _are_many(call):
        return _SIGMOID
    return _PLAIN_SIGMOID if call.dtype() in (float32, float64) else None


@lowers("sigmoid_backward")
def _sigmoid_backward(call: Call) -> Optional[Operator]:
    return _SIGMOID_BACKWARD if _are_many(call) else None


@Composition
def _swish_by_parts(x: Value) -> Value:
    return apply("multiply", x, apply("sigmoid", x))


@Composition
def _swish_backward_by_parts(gradient: Value, x: Value) -> Value:
    y = apply("sigmoid", x)
    bend = apply("multiply", apply("multiply", x, y), apply("subtract_reverse_scalar", y, scalar=1.0))
    return apply("multiply", gradient, apply("add", y, bend))


@Composition
def _hard_swish_by_parts(x: Value) -> Value:
    if x.meta[1] is float32:
        return apply("multiply", x, apply("hard_sigmoid", x, slope=1.0 / 6.0, offset=0.5))
    line = apply("add_scalar", apply("multiply_scalar", x, scalar=1.0 / 6.0), scalar=0.5)
    return apply("multiply", x, apply("clip", line, a_min=0.0, a_max=1.0))


@Composition
def _hard_swish_backward_by_parts(gradient: Value, x: Value) -> Value:
    line = apply("hard_sigmoid", x, slope=1.0 / 6.0, offset=0.5)
    of_line = apply("hard_sigmoid_backward", apply("multiply", gradient, x), x, slope=1.0 / 6.0, offset=0.5)
    return apply("add", apply("multiply", gradient, line), of_line)


@lowers("swish")
def _swish(call: Call) -> Optional[Operator]:
    return _SWISH if _are_many(call) else _swish_by_parts


@lowers("swish_backward")
def _swish_backward(call: Call) -> Optional[Operator]:
    return _SWISH_BACKWARD if _are_many(call) else _swish_backward_by_parts


@lowers("hard_swish")
def _hard_swish(call: Call) -> Optional[Operator]:
    return _HARD_SWISH if _are_many(call) else _hard_swish_by_parts


@lowers("hard_swish_backward")
def _hard_swish_backward(call: Call) -> Optional[Operator]:
    return _HARD_SWISH_BACKWARD if _are_many(call) else _hard_swish_backward_by_parts
