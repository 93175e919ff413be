"""Products of several matrices, of all pairs of elements, and of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

from core.kernels.dispatch.errors import OperatorError
from core.kernels.sizes.dimension import example
from core.operators._arguments import axis_argument, broadcast_shape, need_tensor
from core.operators.arithmetic.math import multiply, subtract
from core.operators.creation.creation import assign, cast, eye
from core.operators.indexing.diagonals import diagonal
from core.operators.indexing.slicing import cut
from core.operators.linear_algebra.linalg import matmul
from core.operators.linear_algebra.norms import norm
from core.operators.linear_algebra.solvers import inverse, square_matrices
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import stack
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor


def multi_dot(x: Sequence[Tensor], name: Optional[str] = None) -> Tensor:
    """Multiply a chain of matrices in the order that takes the fewest operations.

    Args:
        x: At least 2 matrices; the first and the last may be vectors.
        name: Unused, as in Paddle.

    Returns:
        The product, without the axis of a vector.

    Raises:
        OperatorError: there are fewer than 2, or neighbours do not fit.
    """
    parts = [need_tensor(part, "multi_dot", f"x[{i}]") for i, part in enumerate(x)]
    if len(parts) < 2:
        raise OperatorError(f"multi_dot: expects at least 2 matrices, got {len(parts)}")
    ends = (parts[0].ndim == 1, parts[-1].ndim == 1)
    if ends[0]:
        parts[0] = reshape_exact(parts[0], [1, parts[0].size])
    if ends[1]:
        parts[-1] = reshape_exact(parts[-1], [parts[-1].size, 1])
    for before, after in zip(parts, parts[1:]):
        if before.ndim != 2 or after.ndim != 2 or before.shape[1] != after.shape[0]:
            raise OperatorError(f"multi_dot: shapes {before.shape} and {after.shape} of neighbours do not fit")
    sizes = example([parts[0].shape[0], *[part.shape[1] for part in parts]])
    product = _chain(parts, _best_splits(sizes), 0, len(parts) - 1)
    kept = [size for size, dropped in zip(product.shape, ends) if not dropped]
    return reshape_exact(product, kept) if any(ends) else product


def _best_splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            ]
            cost[i, j], splits[i, j] = min(options)
    return splits


def _chain(parts: Sequence[Tensor], splits: dict[tuple[int, int], int], i: int, j: int) -> Tensor:
    if i == j:
        return parts[i]
    k = splits[i, j]
    return matmul(_chain(parts, splits, i, k), _chain(parts, splits, k + 1, j))


def matrix_power(x: Tensor, n: int, name: Optional[str] = None) -> Tensor:
    """Multiply a square matrix n times with itself; a negative n takes the inverse.

    Args:
        x: Shape [..., m, m], floating-point.
        n: The exponent.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorError: the matrices are not square, or not invertible for a negative n.
    """
    square_matrices(x, "matrix_power")
    if n == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)
    base, left = (x if n > 0 else inverse(x)), abs(int(n))
    result: Optional[Tensor] = None
    while left:
        if left & 1:
            result = base if result is None else matmul(result, base)
        left >>= 1
        base = matmul(base, base) if left else base
    assert result is not None
    return assign(result) if result is x else result


def kron(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute the Kronecker product: every element of x times the whole of y.

    Args:
        x: A tensor.
        y: A tensor.
        name: Unused, as in Paddle.

    Returns:
        A tensor whose sizes are the products of the operands' sizes.

    Raises:
        OperatorTypeError: an argument is no Tensor.
    """
    need_tensor(x, "kron")
    need_tensor(y, "kron", "y")
    rank = max(x.ndim, y.ndim)
    shape_x, shape_y = ([1] * (rank - part.ndim) + part.shape for part in (x, y))
    spread_x = [size for pair in zip(shape_x, [1] * rank) for size in pair]
    spread_y = [size for pair in zip([1] * rank, shape_y) for size in pair]
    product = multiply(reshape_exact(x, spread_x), reshape_exact(y, spread_y))
    return reshape_exact(product, [a * b for a, b in zip(shape_x, shape_y)])


def cross(x: Tensor, y: Tensor, axis: int = 9, name: Optional[str] = None) -> Tensor:
    """Compute the vector product of vectors of 3 elements.

    Args:
        x: A tensor.
        y: A tensor; the shapes broadcast.
        axis: The axis of size 3; the first of that size when 9.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        OperatorError: the axis has another size, or there is none of size 3.
    """
    shape = list(broadcast_shape(need_tensor(x, "cross").shape, need_tensor(y, "cross", "y").shape, caller="cross"))
    if axis == 9:
        if 3 not in shape:
            raise OperatorError(f"cross: no axis of {shape} has size 3")
        place = shape.index(3)
    else:
        place = axis_argument(axis, len(shape), "cross")
    if not shape or shape[place] != 3:
        raise OperatorError(f"cross: axis {place} of {shape} must have size 3")
    x, y = broadcast_to(x, shape), broadcast_to(y, shape)
    a, b = ([cut(part, place, i, i + 1) for i in range(3)] for part in (x, y))
    parts = [subtract(multiply(a[i - 2], b[i - 1]), multiply(a[i - 1], b[i - 2])) for i in range(3)]
    rest = shape[:place] + shape[place + 1 :]
    return stack([reshape_exact(part, rest) for part in parts], axis=place)


def trace(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Optional[str] = None) -> Tensor:
    """Sum a diagonal.

    Args:
        x: A tensor of at least 2 axes.
        offset: Which diagonal; above the main one when positive.
        axis1: The rows.
        axis2: The columns.
        name: Unused, as in Paddle.

    Returns:
        A tensor without the two axes.

    Raises:
        OperatorError: x has fewer than 2 axes, or the axes are one.
    """
    need_tensor(x, "trace")
    return cast(reduce_sum(diagonal(x, offset, axis1, axis2), axis=-1), x.dtype)


def cdist(
    x: Tensor,
    y: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
    name: Optional[str] = None,
) -> Tensor:
    """Compute the p-norm distance of every row of x from every row of y.

    Args:
        x: Shape [..., rows, size].
        y: Shape [..., other rows, size].
        p: As for :func:`norm`.
        compute_mode: Accepted as in Paddle; the differences are always formed, which is exact.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [..., rows, other rows].

    Raises:
        OperatorError: there are fewer than 2 axes, or the sizes differ.
    """
    if need_tensor(x, "cdist").ndim < 2 or need_tensor(y, "cdist", "y").ndim < 2 or x.shape[-1] != y.shape[-1]:
        raise OperatorError(f"cdist: expects shapes [..., m, k] and [..., n, k], got {x.shape} and {y.shape}")
    first = reshape_exact(x, [*x.shape[:-1], 1, x.shape[-1]])
    second = reshape_exact(y, [*y.shape[:-2], 1, *y.shape[-2:]])
    return norm(subtract(first, second), float(p), -1)


def inner(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Multiply along the last axes: every row of x with every row of y.

    Args:
        x: Shape [..., k], or 0-D.
        y: Shape [..., k], or 0-D.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's leading axes followed by y's; the product when one is 0-D.

    Raises:
        OperatorError: the last sizes differ.
    """
    need_tensor(x, "inner")
    need_tensor(y, "inner", "y")
    if not x.ndim or not y.ndim:
        return multiply(x, y)
    if x.shape[-1] != y.shape[-1]:
        raise OperatorError(f"inner: the last sizes of {x.shape} and {y.shape} differ")
    rows = [reshape_exact(part, [math.prod(part.shape[:-1]), part.shape[-1]]) for part in (x, y)]
    return reshape_exact(matmul(rows[0], rows[1], transpose_y=True), [*x.shape[:-1], *y.shape[:-1]])


def outer(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Multiply every element of x by every element of y.

    Args:
        x: Any tensor; read as a vector of m elements.
        y: Any tensor; read as a vector of n elements.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [m, n].

    Raises:
        OperatorTypeError: an argument is no Tensor.
    """
    need_tensor(x, "outer")
    need_tensor(y, "outer", "y")
    return multiply(reshape_exact(x, [x.size, 1]), reshape_exact(y, [1, y.size]))


__all__ = ["cdist", "cross", "inner", "kron", "matrix_power", "multi_dot", "outer", "trace"]
TENSOR_METHODS = tuple(__all__)
