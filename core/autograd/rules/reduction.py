"""Rules of reductions (core.operators.reductions.reduction) and of running sums, products and extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.reductions.reduction import reduced_shape
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor

Gradients = Sequence[Optional[Tensor]]


def kept(context: Context, reduced: Tensor) -> Tensor:
    """Return a reduced tensor with the reduced axes put back as size 1, so that it broadcasts against the input."""
    return reshape_exact(reduced, reduced_shape(context.inputs[0].shape, context.axis, True))


@rule("max", "min")
def _extreme(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    chosen = ops.cast(ops.equal(x, kept(context, context.outputs[0])), x.dtype)
    return (chosen * kept(context, gradient),)


@rule("amax", "amin")
def _shared_extreme(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    chosen = ops.cast(ops.equal(x, kept(context, context.outputs[0])), x.dtype)
    return (chosen * (kept(context, gradient) / ops.sum(chosen, axis=list(context.axis), keepdim=True)),)


@rule("prod")
def _prod(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    axes = list(context.axis)
    zero = ops.cast(ops.equal(x, 0.0), x.dtype)
    other = 1.0 - zero
    safe = x * other + zero
    only_zero = zero * ops.cast(ops.equal(ops.sum(zero, axis=axes, keepdim=True), 1.0), x.dtype)
    others = other * kept(context, context.outputs[0]) / safe + only_zero * ops.prod(safe, axis=axes, keepdim=True)
    return (kept(context, gradient) * others,)


def running_from_end(x: Tensor, axis: int) -> Tensor:
    """Sum each element with all after it along an axis."""
    return ops.flip(ops.cumsum(ops.flip(x, [axis]), axis=axis), [axis])


@rule("cumsum")
def _cumsum(context: Context, gradient: Tensor) -> Gradients:
    return (running_from_end(gradient, context.axis),)


@rule("cumprod")
def _cumprod(context: Context, gradient: Tensor) -> Gradients:
    x, axis = context.inputs[0], context.axis
    zero = ops.cast(ops.equal(x, 0.0), x.dtype)
    first = zero * ops.cast(ops.equal(ops.cumsum(zero, axis=axis), 1.0), x.dtype)
    safe = x * (1.0 - zero) + zero
    without_first = ops.cumprod(x * (1.0 - first) + first, dim=axis)
    usual = (1.0 - zero) * running_from_end(gradient * context.outputs[0], axis) / safe
    return (usual + first * running_from_end(gradient * without_first, axis),)


@rule("logcumsumexp")
def _logcumsumexp(context: Context, gradient: Tensor) -> Gradients:
    x, axis, result = context.inputs[0], context.axis, context.outputs[0]
    if context.create_graph:
        shift = ops.max(x, axis=axis, keepdim=True).detach()
        return (ops.exp(x - shift) * running_from_end(gradient * ops.exp(shift - result), axis),)
    total = None
    for sign in (1.0, -1.0):  # in the logarithmic domain, where nothing overflows
        part = ops.log(ops.clip(gradient * sign, 0.0)) - result
        sums = ops.flip(ops.logcumsumexp(ops.flip(part, [axis]), axis=axis), [axis])
        term = sign * ops.exp(x + sums)
        total = term if total is None else total + term
    return (total,)
