"""Rules of matrix products, decompositions and solvers (core.operators.linear_algebra.linalg and its neighbours)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.linear_algebra._product_primitives import inner_products_backward, product_backward
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("matrix_product")
def _matrix_product(context: Context, gradient: Tensor) -> Gradients:
    x, y = context.inputs
    transpose_x, transpose_y = context.transpose_a, context.transpose_b
    if not context.create_graph and all(context.needs):
        kept = [Tensor(value) for value in context.saved or ()]
        return apply(product_backward, gradient, x, y, *kept, **context.attributes)
    dx = dy = None
    if context.needs[0]:
        if transpose_x:
            dx = ops.matmul(y, gradient, transpose_x=transpose_y, transpose_y=True)
        else:
            dx = ops.matmul(gradient, y, transpose_y=not transpose_y)
    if context.needs[1]:
        if transpose_y:
            dy = ops.matmul(gradient, x, transpose_x=True, transpose_y=transpose_x)
        else:
            dy = ops.matmul(x, gradient, transpose_x=not transpose_x)
    return dx, dy


@rule("inner_products")
def _inner_products(context: Context, gradient: Tensor) -> Gradients:
    x, weight = context.inputs
    if not context.create_graph and all(context.needs):
        return apply(inner_products_backward, gradient, x, weight)
    dx = dw = None
    if context.needs[0]:
        dx = ops.matmul(gradient, weight)
    if context.needs[1]:
        rows = x.size // x.shape[-1]
        flat = reshape_exact(gradient, [rows, gradient.shape[-1]])
        dw = ops.matmul(flat, reshape_exact(x, [rows, x.shape[-1]]), transpose_x=True)
    return dx, dw
