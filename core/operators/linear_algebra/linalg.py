"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operand_types import operand_type
from core.kernels.dtypes import int32, int64
from core.operators._arguments import Scalar, broadcast_shape, common_dtype, need_tensor
from core.operators._size_zero import constant_result
from core.operators.arithmetic.math import add, multiply
from core.operators.creation.creation import cast
from core.operators.linear_algebra._product_primitives import integer_matrix_product, product, product_shape
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import broadcast_to, transpose
from core.tensor import Tensor, apply


def swap_last(x: Tensor) -> Tensor:
    """Exchange the last two axes."""
    axes = list(range(x.ndim))
    axes[-2:] = axes[-1], axes[-2]
    return transpose(x, axes)


def matmul(
    x: Tensor, y: Tensor, transpose_x: bool = False, transpose_y: bool = False, name: Optional[str] = None
) -> Tensor:
    """Multiply matrices, vectors, or batches of them.

    Args:
        x: Shape [..., m, k], or [k] for a vector; any number type.
        y: Shape [..., k, n], or [k] for a vector; leading axes broadcast with x's.
        transpose_x: Exchange x's last two axes first; a vector is left as it is.
        transpose_y: The same for y.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [..., m, n] without the axis of a vector; 0-D for two vectors.

    Raises:
        OperatorError: an operand is 0-D, the inner sizes differ, or the leading axes do not broadcast.
    """
    need_tensor(x, "matmul")
    need_tensor(y, "matmul", "y")
    if _are_plain_matrices(x, y, transpose_x, transpose_y):
        return apply(product, x, y, transpose_a=bool(transpose_x), transpose_b=bool(transpose_y))
    if not x.ndim or not y.ndim:
        raise OperatorError("matmul: an operand is 0-D: multiply by a single number with *")
    dtype = operand_type(x.dtype, y.dtype)
    first, second = (x, y) if dtype is None else (cast(x, dtype), cast(y, dtype))
    shape_x, shape_y = x.shape, y.shape
    if x.ndim == 1:
        first, transpose_x = reshape_exact(first, [1, *shape_x]), False
    if y.ndim == 1:
        second, transpose_y = reshape_exact(second, [*shape_y, 1]), False
    inner = (first.shape[-2 if transpose_x else -1], second.shape[-1 if transpose_y else -2])
    if inner[0] != inner[1]:
        raise OperatorError(
            f"matmul: x {shape_x}{' transposed' if transpose_x else ''} and y {shape_y}"
            f"{' transposed' if transpose_y else ''} do not fit: inner sizes {inner[0]} and {inner[1]} differ"
        )
    batch = broadcast_shape(first.shape[:-2], second.shape[:-2], caller="matmul")
    result = _multiply_matrices(first, second, bool(transpose_x), bool(transpose_y), batch)
    if x.ndim == 1 or y.ndim == 1:
        rows, columns = result.shape[-2:]
        kept = ([] if x.ndim == 1 else [rows]) + ([] if y.ndim == 1 else [columns])
        result = reshape_exact(result, [*batch, *kept])
    return result


def _are_plain_matrices(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> bool:
    """Return whether two operands of one type are matrices of known sizes that fit: nothing has to be brought in shape.

    Args:
        x, y: the operands of :func:`matmul`.
        transpose_x, transpose_y: whether each is transposed.
    """
    first, second = x._value, y._value
    (rows, dtype), (columns, other) = first.meta, second.meta
    if len(rows) != 2 or len(columns) != 2 or dtype is not other or first.second or second.second:
        return False
    inner = rows[0 if transpose_x else 1]
    return dtype.is_floating and inner == columns[1 if transpose_y else 0] and 0 not in rows and 0 not in columns


def _multiply_matrices(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool, batch: tuple[int, ...]) -> Tensor:
    if x.ndim > 2 and y.ndim == 2 and not transpose_x and x.size:
        rows = reshape_exact(x, [x.size // x.shape[-1], x.shape[-1]])
        result = _multiply_typed(rows, y, False, transpose_y)
        return reshape_exact(result, [*x.shape[:-1], result.shape[-1]])
    first = broadcast_to(x, [*batch, *x.shape[-2:]])
    second = broadcast_to(y, [*batch, *y.shape[-2:]])
    return _multiply_typed(first, second, transpose_x, transpose_y)


def _multiply_typed(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
    if not x.size or not y.size:
        metas = [(tuple(x.shape), x.dtype), (tuple(y.shape), y.dtype)]
        (shape, _), *_ = product_shape(metas, {"transpose_a": transpose_x, "transpose_b": transpose_y})
        return constant_result([x, y], shape)
    dtype, options = x.dtype, {"transpose_a": transpose_x, "transpose_b": transpose_y}
    if dtype.is_floating:
        return apply(product, x, y, **options)
    wide = dtype if dtype in (int32, int64) else int64
    return cast(apply(integer_matrix_product, cast(x, wide), cast(y, wide), **options), dtype)


def mm(input: Tensor, mat2: Tensor, name: Optional[str] = None) -> Tensor:  # noqa: A002 - Paddle's name
    """Multiply matrices; see :func:`matmul`, without its transposes.

    Args:
        input: Shape [..., m, k].
        mat2: Shape [..., k, n].
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [..., m, n].

    Raises:
        OperatorError: the inner sizes differ.
    """
    return matmul(input, mat2)


def bmm(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Multiply two batches of matrices pairwise.

    Args:
        x: Shape [batch, m, k].
        y: Shape [batch, k, n].
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [batch, m, n].

    Raises:
        OperatorError: an operand is not 3-D, or sizes differ.
    """
    need_tensor(x, "bmm")
    need_tensor(y, "bmm", "y")
    if x.ndim != 3 or y.ndim != 3 or x.shape[0] != y.shape[0]:
        raise OperatorError(f"bmm: expects shapes [b, m, k] and [b, k, n], got {x.shape} and {y.shape}")
    return matmul(x, y)


def mv(x: Tensor, vec: Tensor, name: Optional[str] = None) -> Tensor:
    """Multiply a matrix by a vector.

    Args:
        x: Shape [m, k].
        vec: Shape [k].
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [m].

    Raises:
        OperatorError: the shapes are not those.
    """
    need_tensor(x, "mv")
    need_tensor(vec, "mv", "vec")
    if x.ndim != 2 or vec.ndim != 1:
        raise OperatorError(f"mv: expects a matrix and a vector, got shapes {x.shape} and {vec.shape}")
    return matmul(x, vec)


def dot(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Sum the products of corresponding elements of two vectors, or of the rows of two matrices.

    Args:
        x: Shape [k] or [rows, k].
        y: The same shape.
        name: Unused, as in Paddle.

    Returns:
        A 0-D tensor, or one of shape [rows].

    Raises:
        OperatorError: the shapes differ or have other ranks.
    """
    need_tensor(x, "dot")
    need_tensor(y, "dot", "y")
    if x.ndim not in (1, 2) or x.shape != y.shape:
        raise OperatorError(f"dot: expects two vectors or two matrices of one shape, got {x.shape} and {y.shape}")
    dtype = common_dtype(x.dtype, y.dtype)
    return cast(reduce_sum(multiply(x, y), axis=-1), dtype)


def addmm(
    input: Tensor, x: Tensor, y: Tensor, beta: Scalar = 1.0, alpha: Scalar = 1.0, name: Optional[str] = None  # noqa: A002
) -> Tensor:
    """Compute ``beta * input + alpha * (x @ y)``.

    Args:
        input: Shape [m, n], or one that broadcasts to it.
        x: Shape [m, k].
        y: Shape [k, n].
        beta: Factor of input.
        alpha: Factor of the product.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [m, n].

    Raises:
        OperatorError: the shapes do not fit.
    """
    need_tensor(input, "addmm", "input")
    need_tensor(x, "addmm")
    need_tensor(y, "addmm", "y")
    if x.ndim != 2 or y.ndim != 2 or input.ndim > 2:
        raise OperatorError(f"addmm: expects matrices, got shapes {input.shape}, {x.shape} and {y.shape}")
    result = matmul(x, y)
    if broadcast_shape(input.shape, result.shape, caller="addmm") != tuple(result.shape):
        raise OperatorError(f"addmm: input {input.shape} does not broadcast to the product's shape {result.shape}")
    if not result.dtype.is_floating and not (float(alpha).is_integer() and float(beta).is_integer()):
        raise OperatorTypeError(f"addmm: alpha {alpha!r} and beta {beta!r} must be integers for {result.dtype.name}")
    return add(_scaled(input, beta), _scaled(result, alpha))


def _scaled(x: Tensor, factor: Scalar) -> Tensor:
    return x if factor == 1 else multiply(x, factor if x.dtype.is_floating else int(factor))


def t(input: Tensor, name: Optional[str] = None) -> Tensor:  # noqa: A002 - Paddle's name
    """Transpose a matrix; vectors and 0-D tensors stay as they are.

    Args:
        input: A tensor of at most 2 axes.
        name: Unused, as in Paddle.

    Returns:
        A tensor with the axes exchanged.

    Raises:
        OperatorError: there are more than 2 axes.
    """
    need_tensor(input, "t", "input")
    if input.ndim > 2:
        raise OperatorError(f"t: expects at most 2 axes, got shape {input.shape}: use transpose with perm")
    return swap_last(input) if input.ndim == 2 else reshape_exact(input, input.shape)


__all__ = ["addmm", "bmm", "dot", "matmul", "mm", "mv", "t"]
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = ("addmm", "t")
