"""Inverses, determinants and linear systems, computed by LAPACK through numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int32
from core.kernels.sizes.dimension import larger
from core.operators._arguments import broadcast_shape, need_tensor
from core.operators.creation.creation import cast
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import stack
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, apply


def guarded(function: Callable[..., Any], caller: str) -> Callable[..., Any]:
    """Return the function with LAPACK's refusals turned into one clear line."""

    def call(*arrays: np.ndarray, **options: Any) -> Any:
        try:
            return function(*arrays, **options)
        except np.linalg.LinAlgError as error:
            raise OperatorError(f"{caller}: {str(error).lower()}") from None

    return call


def _solved_triangular(
    matrix: np.ndarray, right: np.ndarray, upper: bool, transpose: bool, unitriangular: bool
) -> np.ndarray:
    kept = np.triu(matrix) if upper else np.tril(matrix)
    if unitriangular:
        size = matrix.shape[-1]
        kept[..., range(size), range(size)] = 1
    return np.linalg.solve(kept.swapaxes(-1, -2) if transpose else kept, right)


def _same(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [metas[0]]


def _second(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [metas[1]]


def _sign_and_logarithm(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sign, logarithm = np.linalg.slogdet(matrix)
    return np.asarray(sign), np.asarray(logarithm)


def _least_squares(matrix: np.ndarray, right: np.ndarray, rcond: float) -> tuple[np.ndarray, ...]:
    if not (np.isfinite(matrix).all() and np.isfinite(right).all()):
        raise OperatorError("lstsq: the matrices must be finite")
    batch = matrix.shape[:-2]
    rows, columns, wanted = matrix.shape[-2], matrix.shape[-1], right.shape[-1]
    results = [
        np.linalg.lstsq(a, b, rcond=rcond)
        for a, b in zip(matrix.reshape(-1, rows, columns), right.reshape(-1, rows, wanted))
    ]
    solution = np.stack([result[0] for result in results]).reshape(*batch, columns, wanted)
    exact = rows > columns and all(result[2] == columns for result in results)
    residuals = np.empty(0, right.dtype)
    if exact:
        residuals = np.stack([result[1] for result in results]).reshape(*batch, wanted)
    ranks = np.array([result[2] for result in results], np.int32).reshape(batch)
    singular = np.stack([result[3] for result in results]).reshape(*batch, -1)
    return solution, residuals, ranks, singular


_inverse = HostOperator("inverse", guarded(np.linalg.inv, "inverse"), infer=_same)
_det = HostOperator(
    "det", lambda matrix: np.asarray(np.linalg.det(matrix)), infer=lambda metas, _: [(metas[0][0][:-2], metas[0][1])]
)
_slogdet = HostOperator(
    "slogdet", _sign_and_logarithm, infer=lambda metas, _: [(metas[0][0][:-2], metas[0][1])] * 2
)
_solve = HostOperator("solve", guarded(np.linalg.solve, "solve"), infer=_second)
_triangular_solve = HostOperator("triangular_solve", guarded(_solved_triangular, "triangular_solve"), infer=_second)
_lstsq = HostOperator("lstsq", guarded(_least_squares, "lstsq"), differentiable=False)


def real_matrices(x: Any, caller: str, name: str = "x") -> Tensor:
    """Return the tensor if it is a floating-point matrix, or a batch of them, in a type that LAPACK knows.

    Raises:
        OperatorError: it has fewer than 2 axes.
        OperatorTypeError: its dtype is another one.
    """
    need_tensor(x, caller, name)
    if not x.dtype.is_floating or x.dtype.size == 2:
        raise OperatorTypeError(f"{caller}: {name} must be float32 or float64, got {x.dtype.name}: cast it to float32")
    if x.ndim < 2:
        raise OperatorError(f"{caller}: {name} must be a matrix or a batch of them, got shape {x.shape}")
    return x


def square_matrices(x: Any, caller: str, name: str = "x") -> Tensor:
    """Return the tensor if it is a square floating-point matrix, or a batch of them.

    Raises:
        OperatorError: it is not square.
    """
    if real_matrices(x, caller, name).shape[-1] != x.shape[-2]:
        raise OperatorError(f"{caller}: {name} must be square, got shape {x.shape}")
    return x


def inverse(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Invert square matrices.

    Args:
        x: Shape [..., n, n], float32 or float64.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorError: the matrices are not square, or one is singular.
    """
    return apply(_inverse, square_matrices(x, "inverse"))


def det(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute the determinants of square matrices.

    Args:
        x: Shape [..., n, n], float32 or float64.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [...]; its gradient wants invertible matrices.

    Raises:
        OperatorError: the matrices are not square.
    """
    return apply(_det, square_matrices(x, "det"))


def slogdet(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute sign and logarithm of the absolute value of determinants.

    Args:
        x: Shape [..., n, n], float32 or float64.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [2, ...]: the signs, then the logarithms.

    Raises:
        OperatorError: the matrices are not square.
    """
    sign, logarithm = apply(_slogdet, square_matrices(x, "slogdet"))
    return stack([sign.detach(), logarithm])


def _system(x: Tensor, y: Tensor, caller: str) -> tuple[Tensor, Tensor]:
    """Return matrices and right-hand sides of equal dtype and leading axes."""
    square_matrices(x, caller)
    real_matrices(y, caller, "y")
    if x.dtype is not y.dtype:
        raise OperatorTypeError(f"{caller}: x is {x.dtype.name}, y is {y.dtype.name}: cast one of them")
    if x.shape[-1] != y.shape[-2]:
        raise OperatorError(f"{caller}: matrices {x.shape} do not fit right-hand sides {y.shape}")
    batch = broadcast_shape(x.shape[:-2], y.shape[:-2], caller=caller)
    return broadcast_to(x, [*batch, *x.shape[-2:]]), broadcast_to(y, [*batch, *y.shape[-2:]])


def solve(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Solve linear systems: the result z has ``x @ z == y``.

    Args:
        x: Shape [..., n, n], float32 or float64.
        y: Shape [..., n, k], or [..., n] for one right-hand side; the leading axes broadcast.
        name: Unused, as in Paddle.

    Returns:
        A tensor of y's shape.

    Raises:
        OperatorError: shapes do not fit, or a matrix is singular.
    """
    square_matrices(x, "solve")
    is_vector = need_tensor(y, "solve", "y").ndim == 1 or (y.ndim == x.ndim - 1 and y.shape == x.shape[:-1])
    first, second = _system(x, reshape_exact(y, [*y.shape, 1]) if is_vector else y, "solve")
    result = apply(_solve, first, second)
    return reshape_exact(result, result.shape[:-1]) if is_vector else result


def triangular_solve(
    x: Tensor,
    y: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Solve linear systems of triangular matrices.

    Args:
        x: Shape [..., n, n], float32 or float64; the other triangle is not read.
        y: Shape [..., n, k]; the leading axes broadcast.
        upper: Whether the upper triangle of x counts; the lower one otherwise.
        transpose: Whether x is transposed first.
        unitriangular: Take the diagonal of x to be ones.
        name: Unused, as in Paddle.

    Returns:
        A tensor of y's shape.

    Raises:
        OperatorError: shapes do not fit, or a matrix is singular.
    """
    first, second = _system(x, y, "triangular_solve")
    options = {"upper": bool(upper), "transpose": bool(transpose), "unitriangular": bool(unitriangular)}
    return apply(_triangular_solve, first, second, **options)


def cholesky_solve(x: Tensor, y: Tensor, upper: bool = False, name: Optional[str] = None) -> Tensor:
    """Solve linear systems from the Cholesky factors of their matrices.

    Args:
        x: Right-hand sides of shape [..., n, k].
        y: Factors of shape [..., n, n], as :func:`cholesky` returns them.
        upper: Whether the factors are upper triangular.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: shapes do not fit.
    """
    half = triangular_solve(y, x, upper=upper, transpose=upper)
    return triangular_solve(y, half, upper=upper, transpose=not upper)


def lstsq(
    x: Tensor, y: Tensor, rcond: Optional[float] = None, driver: Optional[str] = None, name: Optional[str] = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Solve linear systems in the sense of least squares; no gradient flows.

    Args:
        x: Shape [..., m, n], float32 or float64.
        y: Shape [..., m, k].
        rcond: Singular values below this fraction of the largest count as 0; machine precision times max(m, n) if None.
        driver: Accepted as in Paddle; LAPACK's gelsd always serves.
        name: Unused, as in Paddle.

    Returns:
        The solutions [..., n, k], the squared residuals [..., k] (empty unless m > n and every rank is n), the ranks
        and the singular values.

    Raises:
        OperatorError: shapes do not fit.
    """
    real_matrices(x, "lstsq")
    real_matrices(y, "lstsq", "y")
    if x.shape[:-1] != y.shape[:-1] or x.dtype is not y.dtype:
        raise OperatorError(f"lstsq: {x.dtype.name}{x.shape} and {y.dtype.name}{y.shape} do not fit")
    smallest = rcond if rcond is not None else larger(*x.shape[-2:]) * float(np.finfo(x.dtype.numpy).eps)
    solution, residuals, ranks, singular = apply(_lstsq, x.detach(), y.detach(), rcond=float(smallest))
    return solution, residuals, cast(ranks, int32), singular


__all__ = ["cholesky_solve", "det", "inverse", "lstsq", "slogdet", "solve", "triangular_solve"]
TENSOR_METHODS = tuple(__all__)
