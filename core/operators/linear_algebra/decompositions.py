"""Factorisations of matrices and what follows from them, computed by LAPACK through numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int32
from core.operators.arithmetic.math import abs as absolute
from core.operators.arithmetic.math import divide
from core.operators.linear_algebra.linalg import swap_last
from core.operators.linear_algebra.norms import norm
from core.operators.linear_algebra.solvers import guarded, inverse, real_matrices, square_matrices
from core.operators.reductions.reduction import max as largest
from core.operators.reductions.reduction import min as smallest
from core.operators.reductions.reduction import sum as reduce_sum
from core.tensor import Tensor, apply


def _qr_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (*batch, rows, columns), dtype = metas[0]
    inner = min(rows, columns) if options["mode"] == "reduced" else rows
    return [((*batch, rows, inner), dtype), ((*batch, inner, columns), dtype)]


def _svd_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (*batch, rows, columns), dtype = metas[0]
    inner = min(rows, columns)
    left, right = (rows, columns) if options["full_matrices"] else (inner, inner)
    return [((*batch, rows, left), dtype), ((*batch, inner), dtype), ((*batch, right, columns), dtype)]


def _eigh_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [(metas[0][0][:-1], metas[0][1]), metas[0]]


def _symmetric(matrix: np.ndarray, lower: bool) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eigh(matrix, "L" if lower else "U")
    return values, vectors


def _general(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eig(matrix)
    if np.iscomplexobj(values):
        raise OperatorError("eig: some eigenvalues are complex, and there are no complex tensors here")
    return values.astype(matrix.dtype), vectors.astype(matrix.dtype)


def _rank(matrix: np.ndarray, tolerance: Optional[float], hermitian: bool) -> np.ndarray:
    values = np.abs(np.linalg.eigvalsh(matrix)) if hermitian else np.linalg.svd(matrix, compute_uv=False)
    bound: Any = tolerance
    if bound is None:
        bound = values.max(-1, keepdims=True) * max(matrix.shape[-2:]) * np.finfo(matrix.dtype).eps
    return np.asarray((values > bound).sum(-1), np.int32)


_cholesky = HostOperator(
    "cholesky", guarded(np.linalg.cholesky, "cholesky"), infer=lambda metas, options: [metas[0]]
)
_qr = HostOperator("qr", lambda x, mode: tuple(np.linalg.qr(x, mode)), infer=_qr_meta)
_svd = HostOperator(
    "svd", guarded(lambda x, full_matrices: tuple(np.linalg.svd(x, full_matrices)), "svd"), infer=_svd_meta
)
_eigh = HostOperator("eigh", guarded(_symmetric, "eigh"), infer=_eigh_meta)
_eig = HostOperator("eig", guarded(_general, "eig"), infer=_eigh_meta, differentiable=False)
_pinv = HostOperator(
    "pinv",
    guarded(lambda x, rcond, hermitian: np.linalg.pinv(x, rcond, hermitian), "pinv"),
    infer=lambda metas, options: [((*metas[0][0][:-2], metas[0][0][-1], metas[0][0][-2]), metas[0][1])],
)
_matrix_rank = HostOperator(
    "matrix_rank",
    guarded(_rank, "matrix_rank"),
    infer=lambda metas, options: [(metas[0][0][:-2], int32)],
    differentiable=False,
)


def cholesky(x: Tensor, upper: bool = False, name: Optional[str] = None) -> Tensor:
    """Factor symmetric positive-definite matrices as ``l @ l.T``.

    Args:
        x: Shape [..., n, n], float32 or float64; only the lower triangle is read.
        upper: Return the upper factor, ``l.T``.
        name: Unused, as in Paddle.

    Returns:
        Triangular matrices of the same shape.

    Raises:
        OperatorError: a matrix is not square or not positive definite.
    """
    factor = apply(_cholesky, square_matrices(x, "cholesky"))
    return swap_last(factor) if upper else factor


def qr(x: Tensor, mode: str = "reduced", name: Optional[str] = None) -> Any:
    """Factor matrices into an orthonormal and an upper triangular one.

    Args:
        x: Shape [..., m, n], float32 or float64.
        mode: ``reduced``, with min(m, n) columns; ``complete``, with m; ``r``, only the triangular factor.
        name: Unused, as in Paddle.

    Returns:
        The pair of factors, or one tensor for ``r``. The gradient of ``complete`` wants m <= n.

    Raises:
        OperatorError: the mode is another one, or x is no matrix.
    """
    real_matrices(x, "qr")
    if mode not in ("reduced", "complete", "r"):
        raise OperatorError(f"qr: mode must be 'reduced', 'complete' or 'r', got {mode!r}")
    if mode == "complete" and x.shape[-2] > x.shape[-1]:
        return apply(_qr, x.detach(), mode="complete")
    q, r = apply(_qr, x, mode="reduced")
    return r if mode == "r" else (q, r)


def svd(x: Tensor, full_matrices: bool = False, name: Optional[str] = None) -> tuple[Tensor, Tensor, Tensor]:
    """Decompose matrices by singular values: ``x == u @ diag(s) @ vh``.

    Args:
        x: Shape [..., m, n], float32 or float64.
        full_matrices: Complete u and vh to square matrices.
        name: Unused, as in Paddle.

    Returns:
        u [..., m, k], s [..., k] in falling order and vh [..., k, n], with k = min(m, n). Gradients want distinct
        singular values, and flow through completed factors only where they are square anyway.

    Raises:
        OperatorError: x is no matrix.
    """
    real_matrices(x, "svd")
    full = bool(full_matrices) and x.shape[-1] != x.shape[-2]
    return apply(_svd, x.detach() if full else x, full_matrices=full)


def eigh(x: Tensor, UPLO: str = "L", name: Optional[str] = None) -> tuple[Tensor, Tensor]:  # noqa: N803 - Paddle's name
    """Compute eigenvalues and eigenvectors of symmetric matrices.

    Args:
        x: Shape [..., n, n], float32 or float64.
        UPLO: Which triangle is read, ``L`` or ``U``.
        name: Unused, as in Paddle.

    Returns:
        Eigenvalues [..., n] in rising order, and eigenvectors as columns [..., n, n]. The gradient is that of symmetric
        matrices and wants distinct eigenvalues.

    Raises:
        OperatorError: UPLO is another text, or the matrices are not square.
    """
    if UPLO not in ("L", "U"):
        raise OperatorError(f"eigh: UPLO must be 'L' or 'U', got {UPLO!r}")
    return apply(_eigh, square_matrices(x, "eigh"), lower=UPLO == "L")


def eigvalsh(x: Tensor, UPLO: str = "L", name: Optional[str] = None) -> Tensor:  # noqa: N803 - Paddle's name
    """Compute the eigenvalues of symmetric matrices.

    Args:
        x: Shape [..., n, n], float32 or float64.
        UPLO: Which triangle is read, ``L`` or ``U``.
        name: Unused, as in Paddle.

    Returns:
        Eigenvalues of shape [..., n] in rising order.

    Raises:
        OperatorError: UPLO is another text, or the matrices are not square.
    """
    return eigh(x, UPLO)[0]


def eig(x: Tensor, name: Optional[str] = None) -> tuple[Tensor, Tensor]:
    """Compute real eigenvalues and eigenvectors of square matrices; no gradient flows.

    Args:
        x: Shape [..., n, n], float32 or float64.
        name: Unused, as in Paddle.

    Returns:
        Eigenvalues [..., n], in no order, and eigenvectors as columns [..., n, n].

    Raises:
        OperatorError: an eigenvalue is complex (there are no complex tensors here), or the matrices are not square.
    """
    return apply(_eig, square_matrices(x, "eig").detach())


def eigvals(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute real eigenvalues of square matrices; no gradient flows.

    Args:
        x: Shape [..., n, n], float32 or float64.
        name: Unused, as in Paddle.

    Returns:
        Eigenvalues of shape [..., n], in no order.

    Raises:
        OperatorError: an eigenvalue is complex (there are no complex tensors here), or the matrices are not square.
    """
    return eig(x)[0]


def pinv(x: Tensor, rcond: float = 1e-15, hermitian: bool = False, name: Optional[str] = None) -> Tensor:
    """Compute the pseudo-inverses of matrices.

    Args:
        x: Shape [..., m, n], float32 or float64.
        rcond: Singular values below this fraction of the largest count as 0.
        hermitian: Whether the matrices are symmetric, which is faster.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [..., n, m].

    Raises:
        OperatorError: x is no matrix.
    """
    return apply(_pinv, real_matrices(x, "pinv"), rcond=float(rcond), hermitian=bool(hermitian))


def matrix_rank(
    x: Tensor, tol: Union[float, Tensor, None] = None, hermitian: bool = False, name: Optional[str] = None
) -> Tensor:
    """Count the singular values that are not negligible.

    Args:
        x: Shape [..., m, n], float32 or float64.
        tol: Values up to this one are negligible; by default the largest times max(m, n) times machine precision.
        hermitian: Whether the matrices are symmetric, which is faster.
        name: Unused, as in Paddle.

    Returns:
        An int32 tensor of shape [...].

    Raises:
        OperatorError: x is no matrix.
    """
    bound = tol.item() if isinstance(tol, Tensor) else tol
    real_matrices(x, "matrix_rank")
    return apply(
        _matrix_rank, x.detach(), tolerance=None if bound is None else float(bound), hermitian=bool(hermitian)
    )


def cond(x: Tensor, p: Union[float, str, None] = None, name: Optional[str] = None) -> Tensor:
    """Compute condition numbers: the norm of a matrix times that of its inverse.

    Args:
        x: Shape [..., m, n] for p None, 2 or -2, else [..., n, n]; float32 or float64.
        p: Which norm: None or 2, -2, 1, -1, infinity, minus infinity, ``fro`` or ``nuc``.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [...].

    Raises:
        OperatorError: p is another one, or the matrices are not square where they must be.
    """
    if p in (None, 2, -2):
        values = svd(real_matrices(x, "cond"))[1]
        top, bottom = largest(values, -1), smallest(values, -1)
        return divide(bottom, top) if p == -2 else divide(top, bottom)
    square_matrices(x, "cond")
    return _matrix_norm(x, p) * _matrix_norm(inverse(x), p)


def _matrix_norm(x: Tensor, p: Any) -> Tensor:
    if p == "fro":
        return norm(x, 2, [-2, -1])
    if p == "nuc":
        return reduce_sum(svd(x)[1], -1)
    if p not in (1, -1, float("inf"), float("-inf")):
        raise OperatorError(f"cond: p must be None, 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc', got {p!r}")
    sums = reduce_sum(absolute(x), -2 if abs(p) == 1 else -1)
    return (largest if p > 0 else smallest)(sums, -1)


__all__ = ["cholesky", "cond", "eig", "eigh", "eigvals", "eigvalsh", "matrix_rank", "pinv", "qr", "svd"]
TENSOR_METHODS = tuple(__all__)
