"""Rules of reductions (core.operators.reduction) and of running sums, products and extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.manipulation import reshape_exact
from core.operators.reduction import reduced_shape
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
