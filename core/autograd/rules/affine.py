"""Rule of products with a bias (core.operators.linear_algebra._affine)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.linear_algebra._affine import affine_backward, linear_backward
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("linear")
def _linear(context: Context, gradient: Tensor) -> Gradients:
    x, weight, _ = context.inputs
    if not context.create_graph and context.needs[0] and context.needs[1]:
        kept = [Tensor(value) for value in context.saved or ()]
        return apply(linear_backward, gradient, x, weight, *kept)
    rows = x.size // x.shape[-1]
    flat = reshape_exact(gradient, [rows, gradient.shape[-1]])
    return (
        ops.matmul(gradient, weight, transpose_y=True) if context.needs[0] else None,
        ops.matmul(reshape_exact(x, [rows, x.shape[-1]]), flat, transpose_x=True) if context.needs[1] else None,
        ops.sum(flat, 0) if context.needs[2] else None,
    )


@rule("affine")
def _affine(context: Context, gradient: Tensor) -> Gradients:
    x, weight, _ = context.inputs
    if not context.create_graph and context.needs[0] and context.needs[1]:
        return apply(affine_backward, gradient, x, weight)
    rows = x.size // x.shape[-1]
    flat = reshape_exact(gradient, [rows, gradient.shape[-1]])
    return (
        ops.matmul(gradient, weight) if context.needs[0] else None,
        ops.matmul(flat, reshape_exact(x, [rows, x.shape[-1]]), transpose_x=True) if context.needs[1] else None,
        ops.sum(flat, 0) if context.needs[2] else None,
    )
