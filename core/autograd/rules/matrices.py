"""Rules of inverses, systems and factorisations (core.operators.linear_algebra.solvers and decompositions).

Mike Giles, An extended collection of matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008; Golub and Pereyra 1973 for the pseudo-inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.linear_algebra.factors import permutation_matrices
from core.operators.linear_algebra.linalg import swap_last
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor

Gradients = Sequence[Optional[Tensor]]


def _product(*factors: Tensor) -> Tensor:
    result = factors[0]
    for factor in factors[1:]:
        result = ops.matmul(result, factor)
    return result


def _identity(x: Tensor, size: int) -> Tensor:
    return ops.eye(size, dtype=x.dtype)


def _spread(x: Tensor) -> Tensor:
    """Append two axes of size 1."""
    return reshape_exact(x, [*x.shape, 1, 1])


def _diagonal_matrix(x: Tensor) -> Tensor:
    return reshape_exact(x, [*x.shape, 1]) * _identity(x, x.shape[-1])


def _reciprocal_gaps(values: Tensor) -> Tensor:
    """Return 1 / (values[j] - values[i]) at [i, j] and 0 on the diagonal."""
    gaps = reshape_exact(values, [*values.shape[:-1], 1, values.shape[-1]]) - reshape_exact(values, [*values.shape, 1])
    unit = _identity(values, values.shape[-1])
    return (1.0 - unit) / (gaps + unit)


@rule("inverse")
def _inverse(context: Context, gradient: Tensor) -> Gradients:
    result = swap_last(context.outputs[0])
    return (-_product(result, gradient, result),)


@rule("det")
def _det(context: Context, gradient: Tensor) -> Gradients:
    return (_spread(gradient * context.outputs[0]) * swap_last(ops.inverse(context.inputs[0])),)


@rule("slogdet")
def _slogdet(context: Context, sign: Optional[Tensor], logarithm: Optional[Tensor]) -> Gradients:
    if logarithm is None:
        return (None,)
    return (_spread(logarithm) * swap_last(ops.inverse(context.inputs[0])),)


@rule("solve")
def _solve(context: Context, gradient: Tensor) -> Gradients:
    right = ops.solve(swap_last(context.inputs[0]), gradient)
    return (-ops.matmul(right, context.outputs[0], transpose_y=True) if context.needs[0] else None, right)


@rule("triangular_solve")
def _triangular_solve(context: Context, gradient: Tensor) -> Gradients:
    upper, transpose, unit = context.upper, context.transpose, context.unitriangular
    right = ops.triangular_solve(context.inputs[0], gradient, upper, not transpose, unit)
    if not context.needs[0]:
        return None, right
    result = context.outputs[0]
    full = -(ops.matmul(result, right, transpose_y=True) if transpose else ops.matmul(right, result, transpose_y=True))
    offset = int(unit)
    return (ops.triu(full, offset) if upper else ops.tril(full, -offset)), right


@rule("cholesky")
def _cholesky(context: Context, gradient: Tensor) -> Gradients:
    factor = context.outputs[0]
    half = ops.tril(ops.matmul(factor, gradient, transpose_x=True))
    half = half - 0.5 * half * _identity(half, half.shape[-1])
    left = ops.triangular_solve(factor, half, upper=False, transpose=True)
    full = swap_last(ops.triangular_solve(factor, swap_last(left), upper=False, transpose=True))
    return (0.5 * (full + swap_last(full)),)


def _qr_tall(q: Tensor, r: Tensor, dq: Tensor, dr: Tensor) -> Tensor:
    middle = ops.matmul(r, dr, transpose_y=True) - ops.matmul(dq, q, transpose_x=True)
    copied = ops.tril(middle) + swap_last(ops.tril(middle, -1))
    inner = dq + ops.matmul(q, copied)
    return swap_last(ops.triangular_solve(r, swap_last(inner)))


@rule("qr")
def _qr(context: Context, q_gradient: Optional[Tensor], r_gradient: Optional[Tensor]) -> Gradients:
    q, r = context.outputs
    dq = ops.zeros_like(q) if q_gradient is None else q_gradient
    dr = ops.zeros_like(r) if r_gradient is None else r_gradient
    rows, columns = context.inputs[0].shape[-2:]
    if rows >= columns:
        return (_qr_tall(q, r, dq, dr),)
    left = [rows, columns - rows]
    square, rest = ops.split(context.inputs[0], left, axis=-1)
    dr_square, dr_rest = ops.split(dr, left, axis=-1)
    r_square = ops.split(r, left, axis=-1)[0]
    d_square = _qr_tall(q, r_square, dq + ops.matmul(rest, dr_rest, transpose_y=True), dr_square)
    return (ops.concat([d_square, ops.matmul(q, dr_rest)], axis=-1),)


@rule("svd")
def _svd(
    context: Context, u_gradient: Optional[Tensor], s_gradient: Optional[Tensor], v_gradient: Optional[Tensor]
) -> Gradients:
    u, s, vh = context.outputs
    rows, columns = context.inputs[0].shape[-2:]
    inner = ops.zeros_like(ops.matmul(u, u, transpose_x=True))
    scale = reshape_exact(s, [*s.shape[:-1], 1, s.shape[-1]])
    gaps = _reciprocal_gaps(s * s)
    if s_gradient is not None:
        inner = inner + _diagonal_matrix(s_gradient)
    outside: list[Tensor] = []
    if u_gradient is not None:
        turn = gaps * ops.matmul(u, u_gradient, transpose_x=True)
        inner = inner + (turn + swap_last(turn)) * scale
        if rows > s.shape[-1]:
            apart = u_gradient / scale
            outside.append(ops.matmul(apart - _product(u, swap_last(u), apart), vh))
    if v_gradient is not None:
        turn = gaps * ops.matmul(vh, v_gradient, transpose_y=True)
        inner = inner + swap_last(scale) * (turn + swap_last(turn))
        if columns > s.shape[-1]:
            apart = v_gradient / swap_last(scale)
            outside.append(ops.matmul(u, apart - _product(apart, swap_last(vh), vh)))
    total = _product(u, inner, vh)
    for part in outside:
        total = total + part
    return (total,)


@rule("eigh")
def _eigh(context: Context, value_gradient: Optional[Tensor], vector_gradient: Optional[Tensor]) -> Gradients:
    values, vectors = context.outputs
    inner = ops.zeros_like(vectors) if value_gradient is None else _diagonal_matrix(value_gradient)
    if vector_gradient is not None:
        inner = inner + ops.matmul(vectors, vector_gradient, transpose_x=True) * _reciprocal_gaps(values)
    full = _product(vectors, inner, swap_last(vectors))
    return (0.5 * (full + swap_last(full)),)


@rule("pinv")
def _pinv(context: Context, gradient: Tensor) -> Gradients:
    x, result = context.inputs[0], context.outputs[0]
    transposed, flipped = swap_last(result), swap_last(gradient)
    rows, columns = x.shape[-2:]
    beyond_rows = _identity(x, rows) - ops.matmul(x, result)
    beyond_columns = _identity(x, columns) - ops.matmul(result, x)
    return (
        _product(beyond_rows, flipped, result, transposed)
        + _product(transposed, result, flipped, beyond_columns)
        - _product(transposed, gradient, transposed),
    )


@rule("lu")
def _lu(context: Context, gradient: Optional[Tensor], _: Optional[Tensor]) -> Gradients:
    packed, pivots = context.outputs
    if gradient is None:
        return (None,)
    size = packed.shape[-1]
    lower = ops.tril(packed, -1) + _identity(packed, size)
    upper = ops.triu(packed)
    inner = ops.tril(ops.matmul(lower, ops.tril(gradient, -1), transpose_x=True), -1)
    inner = inner + ops.triu(ops.matmul(ops.triu(gradient), upper, transpose_y=True))
    left = ops.triangular_solve(lower, inner, upper=False, transpose=True, unitriangular=True)
    full = swap_last(ops.triangular_solve(upper, swap_last(left), upper=True))
    return (ops.matmul(permutation_matrices(pivots, size, packed), full),)
