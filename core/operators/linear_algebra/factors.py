"""Factors with pivots, products of reflections and principal components."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import DType, int32
from core.operators._arguments import need_tensor
from core.operators.arithmetic.math import add, multiply, subtract
from core.operators.creation.creation import eye, zeros
from core.operators.indexing.diagonals import tril, triu
from core.operators.indexing.slicing import cut
from core.operators.linear_algebra.decompositions import svd
from core.operators.linear_algebra.linalg import matmul, swap_last
from core.operators.linear_algebra.solvers import real_matrices, triangular_solve
from core.operators.reductions.reduction import mean
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import concat
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, apply


def _packed_factors(matrix: np.ndarray, pivot: bool) -> tuple[np.ndarray, np.ndarray]:
    """Eliminate column by column; pivots count from 1, as LAPACK's do."""
    rows, columns = matrix.shape[-2:]
    packed = matrix.reshape(-1, rows, columns).copy()
    steps = min(rows, columns)
    pivots = np.empty((len(packed), steps), np.int32)
    for table, swaps in zip(packed, pivots):
        for i in range(steps):
            place = i + int(np.argmax(np.abs(table[i:, i]))) if pivot else i
            swaps[i] = place + 1
            if place != i:
                table[[i, place]] = table[[place, i]]
            if table[i, i] != 0:
                table[i + 1 :, i] /= table[i, i]
                table[i + 1 :, i + 1 :] -= np.outer(table[i + 1 :, i], table[i, i + 1 :])
    return packed.reshape(matrix.shape), pivots.reshape(*matrix.shape[:-2], steps)


def _permutations(pivots: np.ndarray, rows: int, dtype: DType) -> np.ndarray:
    """Return matrices p with ``x == p @ l @ u``."""
    flat = pivots.reshape(-1, pivots.shape[-1])
    result = np.zeros((len(flat), rows, rows), dtype.numpy)
    for table, swaps in zip(result, flat):
        order = np.arange(rows)
        for i, place in enumerate(swaps):
            order[[i, place - 1]] = order[[place - 1, i]]
        table[order, np.arange(rows)] = 1
    return result.reshape(*pivots.shape[:-1], rows, rows)


_lu = HostOperator(
    "lu",
    _packed_factors,
    infer=lambda metas, options: [metas[0], ((*metas[0][0][:-2], min(metas[0][0][-2:])), int32)],
)
_permutation = HostOperator(
    "pivot_permutation",
    _permutations,
    infer=lambda metas, options: [((*metas[0][0][:-1], options["rows"], options["rows"]), options["dtype"])],
    differentiable=False,
)


def permutation_matrices(pivots: Tensor, rows: int, like: Tensor) -> Tensor:
    """Return the permutation matrices, of another tensor's dtype, that pivots stand for."""
    return apply(_permutation, pivots, rows=rows, dtype=like.dtype)


def lu(x: Tensor, pivot: bool = True, get_infos: bool = False, name: Optional[str] = None) -> Any:
    """Factor matrices into a lower and an upper triangular one, with rows exchanged.

    Args:
        x: Shape [..., m, n], float32 or float64.
        pivot: Exchange rows for accuracy.
        get_infos: Return zeros, one per matrix, too (shape [1] for one matrix): failures raise here.
        name: Unused, as in Paddle.

    Returns:
        Both factors in one tensor of x's shape (the lower one without its diagonal of ones), and int32 pivots
        [..., min(m, n)] that count from 1.

    Raises:
        OperatorError: x is no matrix.
    """
    rows, columns = real_matrices(x, "lu").shape[-2:]
    packed, pivots = apply(_lu, x if rows == columns else x.detach(), pivot=bool(pivot))
    if rows != columns and not x.stop_gradient:
        packed = _rectangular(x, pivots)
    return (packed, pivots, zeros(x.shape[:-2] or [1], "int32")) if get_infos else (packed, pivots)


def _rectangular(x: Tensor, pivots: Tensor) -> Tensor:
    """Return the factors of matrices whose rows the pivots exchange, from those of their square part."""
    rows, columns = x.shape[-2:]
    size = min(rows, columns)
    ordered = matmul(permutation_matrices(pivots, rows, x), x, transpose_x=True)
    axis = x.ndim - (2 if rows > columns else 1)
    square, rest = apply(_lu, cut(ordered, axis, 0, size), pivot=False)[0], cut(ordered, axis, size, x.shape[axis])
    if rows > columns:
        rest = swap_last(triangular_solve(square, swap_last(rest), upper=True, transpose=True))
    else:
        rest = triangular_solve(square, rest, upper=False, unitriangular=True)
    return concat([square, rest], axis)


def lu_unpack(
    x: Tensor, y: Tensor, unpack_ludata: bool = True, unpack_pivots: bool = True, name: Optional[str] = None
) -> tuple[Optional[Tensor], Optional[Tensor], Optional[Tensor]]:
    """Take what :func:`core.linalg.lu` returned apart: ``p @ l @ u`` is the matrix again.

    Args:
        x: The factors in one tensor, shape [..., m, n].
        y: The pivots.
        unpack_ludata: Return the triangular factors; None otherwise.
        unpack_pivots: Return the permutation; None otherwise.
        name: Unused, as in Paddle.

    Returns:
        p [..., m, m], l [..., m, k] and u [..., k, n], with k = min(m, n).

    Raises:
        OperatorError: x is no matrix.
    """
    rows, columns = real_matrices(x, "lu_unpack").shape[-2:]
    size = min(rows, columns)
    permutation = permutation_matrices(need_tensor(y, "lu_unpack", "y"), rows, x) if unpack_pivots else None
    if not unpack_ludata:
        return permutation, None, None
    lower = add(tril(cut(x, x.ndim - 1, 0, size), -1), eye(rows, size, dtype=x.dtype))
    return permutation, lower, triu(cut(x, x.ndim - 2, 0, size))


def householder_product(x: Tensor, tau: Tensor, name: Optional[str] = None) -> Tensor:
    """Multiply reflections, as a QR factorisation of LAPACK leaves them.

    Args:
        x: Shape [..., m, n] with m >= n; below the diagonal of column i is vector i, whose entry i is 1.
        tau: Factors of the reflections, shape [..., k] with k <= n.
        name: Unused, as in Paddle.

    Returns:
        The first n columns of the product, shape [..., m, n].

    Raises:
        OperatorError: the shapes do not fit.
    """
    rows, columns = real_matrices(x, "householder_product").shape[-2:]
    if rows < columns or need_tensor(tau, "householder_product", "tau").shape[:-1] != x.shape[:-2]:
        raise OperatorError(
            f"householder_product: expects x [..., m, n], m >= n, and tau [..., k], got {x.shape} and {tau.shape}"
        )
    if tau.shape[-1] > columns:
        raise OperatorError(f"householder_product: {tau.shape[-1]} factors for {columns} vectors")
    vectors = add(tril(x, -1), eye(rows, columns, dtype=x.dtype))
    result = broadcast_to(eye(rows, columns, dtype=x.dtype), x.shape)
    for i in reversed(range(tau.shape[-1])):
        vector = cut(vectors, x.ndim - 1, i, i + 1)
        factor = reshape_exact(cut(tau, tau.ndim - 1, i, i + 1), [*x.shape[:-2], 1, 1])
        shadow = matmul(vector, matmul(vector, result, transpose_x=True))
        result = subtract(result, multiply(factor, shadow))
    return result


def pca_lowrank(
    x: Tensor, q: Optional[int] = None, center: bool = True, niter: int = 2, name: Optional[str] = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the leading principal components of rows.

    Args:
        x: Observations of shape [..., m, n], float32 or float64.
        q: How many components; min(6, m, n) when None.
        center: Subtract the mean of each column first.
        niter: Accepted as in Paddle; an exact decomposition replaces its random iteration.
        name: Unused, as in Paddle.

    Returns:
        u [..., m, q], singular values [..., q] and components as columns v [..., n, q].

    Raises:
        OperatorError: q is outside 0 to min(m, n).
    """
    size = min(real_matrices(x, "pca_lowrank").shape[-2:])
    count = min(6, size) if q is None else int(q)
    if not 0 <= count <= size:
        raise OperatorError(f"pca_lowrank: q must lie within 0 and {size}, got {q}")
    u, s, vh = svd(subtract(x, mean(x, -2, True)) if center else x)
    return cut(u, x.ndim - 1, 0, count), cut(s, x.ndim - 2, 0, count), cut(swap_last(vh), x.ndim - 1, 0, count)


__all__ = ["householder_product", "lu", "lu_unpack", "pca_lowrank"]
TENSOR_METHODS = tuple(__all__)
