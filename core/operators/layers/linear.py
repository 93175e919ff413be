"""Layers' functions that are no activation, convolution or loss: linear, embedding, bilinear, distances, smoothing."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.operators._arguments import axis_argument, need_tensor, optional_tensor
from core.operators.arithmetic.math import abs as absolute
from core.operators.arithmetic.math import maximum, sqrt
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import check_range, index_argument, take_rows
from core.operators.layers._activation_primitives import floating_tensor, through_float32
from core.operators.linear_algebra._affine import affine_map
from core.operators.linear_algebra.linalg import matmul
from core.operators.reductions.reduction import max as largest
from core.operators.reductions.reduction import min as smallest
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import transpose, unsqueeze
from core.tensor import Tensor


def linear(x: Tensor, weight: Tensor, bias: Optional[Tensor] = None, name: Optional[str] = None) -> Tensor:
    """Multiply by a matrix and add a bias.

    Args:
        x: Shape (..., in_features), floating-point. A tuple stands for its first tensor, as in Paddle.
        weight: Shape (in_features, out_features); (in_features,) or (..., in_features, out_features) as for matmul.
        bias: Shape (out_features,), or any shape that broadcasts.
        name: Unused, as in Paddle.

    Returns:
        Shape (..., out_features), without the last axis for a weight of one axis.

    Raises:
        OperatorError: in_features differ.
        OperatorTypeError: x or weight is no Tensor.
    """
    if not isinstance(weight, Tensor):
        raise OperatorTypeError(f"linear: weight must be a Tensor, got {type(weight).__name__}: use to_tensor()")
    x = x[0] if isinstance(x, tuple) and x else x
    floating_tensor(x, "linear")
    optional_tensor(bias, "linear", "bias")
    rows = weight.shape[-2:][0] if weight.ndim else 1
    if x.ndim == 0 or weight.ndim == 0 or x.shape[-1] != rows:
        raise OperatorError(
            f"linear: an input of shape {x.shape} does not fit a weight of shape {weight.shape}: its last axis must be"
            f" {rows}"
        )
    if weight.ndim == 2:
        return affine_map(x, weight, bias)
    product = matmul(x, weight)
    return product if bias is None else product + bias


def embedding(
    x: Tensor, weight: Tensor, padding_idx: Optional[int] = None, sparse: bool = False, name: Optional[str] = None
) -> Tensor:
    """Look rows up in a table.

    Args:
        x: Row numbers of any shape, integers with 0 <= x < rows.
        weight: The table, shape (rows, features).
        padding_idx: A row that gives zeros and gets no gradient; negative ones count from the end.
        sparse: Unused: gradients are dense.
        name: Unused, as in Paddle.

    Returns:
        Shape (*x.shape, features), of the table's type.

    Raises:
        OperatorIndexError: a row number lies outside the table (checked where the numbers can be read).
        OperatorError: padding_idx lies outside the table, or the table is not 2-D.
        OperatorTypeError: x does not hold integers.
    """
    index = index_argument(x, "embedding", "x")
    if not isinstance(weight, Tensor) or weight.ndim != 2:
        shape = weight.shape if isinstance(weight, Tensor) else type(weight).__name__
        raise OperatorError(f"embedding: weight must be a Tensor of shape (rows, features), got {shape}")
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise OperatorError(f"embedding: padding_idx {padding_idx} is outside a table of {rows} rows")
    check_range(index, rows, "embedding", name="row number")
    result = take_rows(weight, index)
    if padding_idx is None:
        return result
    kept = cast(index != padding_idx % rows, weight.dtype)
    return result * unsqueeze(kept, -1)


def bilinear(
    x1: Tensor, x2: Tensor, weight: Tensor, bias: Optional[Tensor] = None, name: Optional[str] = None
) -> Tensor:
    """Compute x1 · weight[k] · x2 for each output feature k.

    Args:
        x1: Shape (batch, in1).
        x2: Shape (batch, in2).
        weight: Shape (out, in1, in2).
        bias: Shape (1, out).
        name: Unused, as in Paddle.

    Returns:
        Shape (batch, out).

    Raises:
        OperatorError: shapes do not fit each other.
    """
    for name_of, tensor in (("x1", x1), ("x2", x2), ("weight", weight)):
        need_tensor(tensor, "bilinear", name_of)
    optional_tensor(bias, "bilinear", "bias")
    if x1.ndim != 2 or x2.ndim != 2 or weight.ndim != 3 or weight.shape[1:] != [x1.shape[1], x2.shape[1]]:
        raise OperatorError(f"bilinear: shapes {x1.shape}, {x2.shape} and weight {weight.shape} do not fit each other")
    outputs, first, second = weight.shape
    wide = matmul(x1, reshape_exact(transpose(weight, [1, 0, 2]), [first, outputs * second]))
    wide = reshape_exact(wide, [x1.shape[0], outputs, second])
    result = reduce_sum(wide * unsqueeze(x2, 1), -1)
    return result if bias is None else result + bias


def label_smooth(
    label: Tensor, prior_dist: Optional[Tensor] = None, epsilon: float = 0.1, name: Optional[str] = None
) -> Tensor:
    """Mix labels with a prior: (1 - epsilon) * label + epsilon * prior (https://arxiv.org/abs/1512.00567).

    Args:
        label: One-hot or soft labels, shape (..., classes), floating-point.
        prior_dist: The prior, shape (1, classes); uniform when None.
        epsilon: Share of the prior, within [0, 1].
        name: Unused, as in Paddle.

    Returns:
        A tensor of label's shape.

    Raises:
        OperatorError: epsilon lies outside [0, 1].
    """
    if not 0.0 <= epsilon <= 1.0:
        raise OperatorError(f"label_smooth: epsilon must lie within [0, 1], got {epsilon}")
    floating_tensor(label, "label_smooth")
    optional_tensor(prior_dist, "label_smooth", "prior_dist")
    if label.ndim == 0 or label.size == 0:
        raise OperatorError(f"label_smooth: the label must have classes, got shape {label.shape}")
    prior: Any = epsilon / label.shape[-1] if prior_dist is None else prior_dist * epsilon
    return label * (1.0 - epsilon) + prior


def cosine_similarity(x1: Tensor, x2: Tensor, axis: int = 1, eps: float = 1e-8) -> Tensor:
    """Compute the cosine of the angle between vectors along an axis.

    Args:
        x1: Floating-point; the shapes broadcast.
        x2: Floating-point.
        axis: The axis of the vectors.
        eps: The product of lengths is at least this.

    Returns:
        The broadcast shape without that axis.

    Raises:
        OperatorTypeError: an input is no floating-point Tensor.
    """
    floating_tensor(x1, "cosine_similarity")
    floating_tensor(x2, "cosine_similarity")
    if x1.dtype.size == 2:
        return through_float32(cosine_similarity, x1, x2, axis, eps)
    product = reduce_sum(x1 * x2, axis)
    squares = reduce_sum(x1 * x1, axis) * reduce_sum(x2 * x2, axis)
    return product / sqrt(maximum(squares, eps * eps))


def pairwise_distance(
    x: Tensor, y: Tensor, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: Optional[str] = None
) -> Tensor:
    """Compute the p-norm of x - y + epsilon over the last axis.

    Args:
        x: Shape (N, D) or (D,), floating-point.
        y: The same shape.
        p: The norm's order; 0 counts elements, inf and -inf take the largest and the smallest.
        epsilon: Added to every difference.
        keepdim: Keep the last axis with size 1.
        name: Unused, as in Paddle.

    Returns:
        Shape (N,) or (), with a last axis of size 1 under keepdim.

    Raises:
        OperatorTypeError: an input is no floating-point Tensor.
    """
    floating_tensor(x, "pairwise_distance")
    floating_tensor(y, "pairwise_distance")
    return vector_norm(x - y + float(epsilon), float(p), -1, keepdim)


def vector_norm(x: Tensor, p: float, axis: int, keepdim: bool, smallest_norm: float = 0.0) -> Tensor:
    """Compute the p-norm along one axis; a norm below ``smallest_norm`` becomes that number, without a gradient."""
    size = absolute(x)
    if p == float("inf"):
        return maximum(largest(size, axis, keepdim), smallest_norm)
    if p == float("-inf"):
        return maximum(smallest(size, axis, keepdim), smallest_norm)
    if p == 0:
        return maximum(reduce_sum(cast(size > 0, x.dtype) + size * 0.0, axis, keepdim=keepdim), smallest_norm)
    if p == 1:
        return maximum(reduce_sum(size, axis, keepdim=keepdim), smallest_norm)
    if p == 2:
        total = reduce_sum(x * x, axis, keepdim=keepdim)
        return sqrt(maximum(total, smallest_norm**2) if smallest_norm else total)
    total = reduce_sum(size**p, axis, keepdim=keepdim)
    return (maximum(total, smallest_norm**p) if smallest_norm else total) ** (1.0 / p)


def normalize(x: Tensor, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: Optional[str] = None) -> Tensor:
    """Divide vectors along an axis by their p-norm.

    Args:
        x: Floating-point.
        p: The norm's order.
        axis: The axis of the vectors; a 1-D tensor is one vector.
        epsilon: The smallest norm to divide by.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: x has no such axis.
        OperatorTypeError: x is no floating-point Tensor.
    """
    floating_tensor(x, "normalize")
    if x.dtype.size == 2:
        return through_float32(normalize, x, p, axis, epsilon)
    place = axis_argument(0 if x.ndim == 1 and axis == 1 else axis, x.ndim, "normalize")
    return x / vector_norm(x, float(p), place, True, epsilon)


__all__ = ["bilinear", "cosine_similarity", "embedding", "label_smooth", "linear", "normalize", "pairwise_distance"]
