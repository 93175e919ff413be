"""Rules of the activation primitives (core.operators.layers.activation*)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import float32
from core.operators.layers.activation import hard_swish_backward
from core.operators.layers.activation_smooth import swish_backward
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


def _engine_backward(name: str, engine_name: str, **options: Any) -> Operator:
    """Declare the engine's kernel that gives the input's gradient from (gradient, ...)."""
    return Operator(
        name,
        engine_name,
        infer=lambda metas, attributes: metas[:1],
        attributes=lambda metas, attributes: {**options, **attributes},
        differentiable=False,
        allocate=True,
        needs_custom_operator=True,
    )


_relu_backward = _engine_backward("relu_backward", "_backward_Activation", act_type="relu")
_sigmoid_backward = _engine_backward("sigmoid_backward", "_backward_sigmoid")
_half_sigmoid_backward = _engine_backward("half_sigmoid_backward", "_backward_Activation", act_type="sigmoid")
_tanh_backward = _engine_backward("tanh_backward", "_backward_Activation", act_type="tanh")
_leaky_relu_backward = _engine_backward("leaky_relu_backward", "_backward_LeakyReLU", act_type="leaky")
_gelu_backward = _engine_backward("gelu_backward", "_backward_LeakyReLU", act_type="gelu")
_hard_sigmoid_backward = Operator(
    "hard_sigmoid_backward",
    "_backward_hard_sigmoid",
    infer=lambda metas, attributes: metas[:1],
    attributes=lambda metas, options: {"alpha": options["slope"], "beta": options["offset"]},
    differentiable=False,
    allocate=True,
    needs_custom_operator=True,
)
_softmax_backward = _engine_backward("softmax_backward", "_backward_softmax")
_log_softmax_backward = _engine_backward("log_softmax_backward", "_backward_log_softmax")


@rule("relu")
def _relu(context: Context, gradient: Tensor) -> Gradients:
    output = context.outputs[0]
    if not context.create_graph:
        return (apply(_relu_backward, gradient, output),)
    return (gradient * ops.cast(output > 0, gradient.dtype),)


@rule("leaky_relu")
def _leaky_relu(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    if not context.create_graph:
        return (apply(_leaky_relu_backward, gradient, x, context.outputs[0], slope=context.slope),)
    slope = context.slope
    return (gradient * (ops.cast(x > 0, gradient.dtype) * (1.0 - slope) + slope),)


@rule("hard_sigmoid")
def _hard_sigmoid(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    if not context.create_graph:
        options = {"slope": context.slope, "offset": context.offset}
        return (apply(_hard_sigmoid_backward, gradient, x, **options),)
    line = x.detach() * context.slope + context.offset
    return (gradient * (ops.cast(ops.logical_and(line >= 0, line <= 1), gradient.dtype) * context.slope),)


@rule("swish")
def _swish(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    if not context.create_graph:
        return (apply(swish_backward, gradient, x),)
    y = ops.sigmoid(x)
    return (gradient * y * (1.0 + x * (1.0 - y)),)


@rule("hard_swish")
def _hard_swish(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    if not context.create_graph and x.dtype is float32:
        return (apply(hard_swish_backward, gradient, x),)
    fixed = x.detach()
    within = ops.cast(ops.logical_and(fixed > -3.0, fixed < 3.0), x.dtype)
    return (gradient * (within * (x * (1.0 / 3.0) + 0.5) + ops.cast(fixed >= 3.0, x.dtype)),)


@rule("sigmoid")
def _sigmoid(context: Context, gradient: Tensor) -> Gradients:
    y = context.outputs[0]
    if not context.create_graph:
        if y.dtype.size == 2:
            return (apply(_half_sigmoid_backward, gradient, y, context.inputs[0]),)
        return (apply(_sigmoid_backward, gradient, y),)
    return (gradient * (y * (1.0 - y)),)


@rule("tanh")
def _tanh(context: Context, gradient: Tensor) -> Gradients:
    y = context.outputs[0]
    if not context.create_graph:
        return (apply(_tanh_backward, gradient, y, context.inputs[0]),)
    return (gradient * (1.0 - y * y),)


@rule("gelu")
def _gelu(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    if not context.create_graph:
        return (apply(_gelu_backward, gradient, x, context.outputs[0]),)
    below = 0.5 * (1.0 + ops.erf(x * math.sqrt(0.5)))
    density = ops.exp(x * x * -0.5) * (1.0 / math.sqrt(2.0 * math.pi))
    return (gradient * (below + x * density),)


@rule("softmax")
def _softmax(context: Context, gradient: Tensor) -> Gradients:
    y = context.outputs[0]
    if not context.create_graph:
        return (apply(_softmax_backward, gradient, y, axis=context.axis),)
    weighted = gradient * y
    return (weighted - y * ops.sum(weighted, context.axis, keepdim=True),)


@rule("log_softmax")
def _log_softmax(context: Context, gradient: Tensor) -> Gradients:
    y = context.outputs[0]
    if not context.create_graph:
        return (apply(_log_softmax_backward, gradient, y, axis=context.axis),)
    return (gradient - ops.exp(y) * ops.sum(gradient, context.axis, keepdim=True),)
