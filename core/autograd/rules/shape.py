"""Rules of shape and order (core.operators.shape.manipulation) and of sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.layers.extension import shifted_frames
from core.operators.reductions.reduction import reduced_shape, unbroadcast
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("reshape")
def _reshape(context: Context, gradient: Tensor) -> Gradients:
    return (reshape_exact(gradient, context.inputs[0].shape),)


@rule("transpose")
def _transpose(context: Context, gradient: Tensor) -> Gradients:
    order = context.axes
    return (ops.transpose(gradient, [order.index(i) for i in range(len(order))]),)


@rule("broadcast_to")
def _broadcast_to(context: Context, gradient: Tensor) -> Gradients:
    return (unbroadcast(gradient, context.inputs[0].shape),)


@rule("temporal_shift")
def _temporal_shift(context: Context, gradient: Tensor) -> Gradients:
    options = {"frames": context.frames, "ends": context.ends, "axis": context.axis}
    return (apply(shifted_frames, gradient, reverse=not context.reverse, **options),)


@rule("sum")
def _sum(context: Context, gradient: Tensor) -> Gradients:
    shape = context.inputs[0].shape
    return (ops.broadcast_to(reshape_exact(gradient, reduced_shape(shape, context.axis, True)), shape),)


@rule("constant_result")
def _constant_result(context: Context, gradient: Tensor) -> Gradients:
    return [ops.zeros_like(source) for source in context.inputs]
