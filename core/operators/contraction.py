"""Sums of products over named or numbered axes, and products of several matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.errors import OperatorError
from core.operators.arguments import axis_argument, broadcast_shape, common_dtype, need_tensor
from core.operators.creation import assign, cast, eye
from core.operators.diagonals import diagonal
from core.operators.joining import cut, stack
from core.operators.linalg import matmul
from core.operators.manipulation import broadcast_to, reshape_exact, transpose
from core.operators.math import multiply, subtract
from core.operators.norms import norm
from core.operators.reduction import sum as reduce_sum
from core.tensor import Tensor


class _Part:
    """One operand of an einsum with one letter per axis."""

    def __init__(self, tensor: Tensor, labels: str) -> None:
        self.tensor = tensor
        self.labels = labels

    def without_repeats(self) -> _Part:
        """Take the diagonal of every letter that stands twice."""
        for label in dict.fromkeys(self.labels):
            while self.labels.count(label) > 1:
                first = self.labels.index(label)
                second = self.labels.index(label, first + 1)
                rest = "".join(c for i, c in enumerate(self.labels) if i not in (first, second))
                self.tensor = diagonal(self.tensor, axis1=first, axis2=second)
                self.labels = rest + label
        return self

    def keeping(self, wanted: set[str]) -> _Part:
        """Sum over the letters that nobody else wants."""
        axes = [i for i, label in enumerate(self.labels) if label not in wanted]
        if axes:
            self.tensor = reduce_sum(self.tensor, axis=axes)
            self.labels = "".join(label for label in self.labels if label in wanted)
        return self

    def ordered(self, labels: str) -> Tensor:
        """Return the tensor with its axes in the order of the letters, all of which it has."""
        return transpose(self.tensor, [self.labels.index(label) for label in labels])


def einsum(equation: str, *operands: Any) -> Tensor:
    """Multiply tensors and sum over axes, as an equation of one letter per axis says.

    Args:
        equation: Letters of each operand's axes, separated by commas, then optionally ``->`` and those of the result;
            ``...`` stands for further axes that broadcast. Without ``->`` the result has the letters that stand once,
            in alphabetical order.
        operands: The tensors, one for each part of the equation.

    Returns:
        A tensor in the operands' common type.

    Raises:
        OperatorError: the equation is malformed or does not fit the shapes.
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    tensors = [need_tensor(operand, "einsum", f"operands[{i}]") for i, operand in enumerate(operands)]
    parts, result = _parse(equation, tensors)
    dtype = common_dtype(*[tensor.dtype for tensor in tensors])
    sizes: dict[str, int] = {}
    for part in parts:
        for label, size in zip(part.labels, part.tensor.shape):
            if sizes.get(label, 1) != 1 and size not in (1, sizes[label]):
                raise OperatorError(f"einsum: {label!r} is {sizes[label]} and {size} in {equation!r}")
            sizes[label] = max(sizes.get(label, 1), size) if size else 0
    for part in parts:
        wide = [sizes[label] for label in part.labels]
        part.tensor = cast(broadcast_to(part.tensor, wide), dtype)
        part.without_repeats()
    while len(parts) > 1:
        first, second = parts.pop(0), parts.pop(0)
        wanted = set(result).union(*[set(part.labels) for part in parts])
        first.keeping(wanted | set(second.labels))
        second.keeping(wanted | set(first.labels))
        parts.insert(0, _contract(first, second, wanted, sizes))
    total = parts[0].keeping(set(result)).ordered(result)
    return assign(total) if any(total is tensor for tensor in tensors) else cast(total, dtype)


def _parse(equation: str, tensors: Sequence[Tensor]) -> tuple[list[_Part], str]:
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors) or not tensors:
        raise OperatorError(f"einsum: {equation!r} names {len(terms)} operands, {len(tensors)} are given")
    free = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if letter not in text]
    dots = max([x.ndim - len(term.replace("...", "")) for term, x in zip(terms, tensors) if "..." in term] + [0])
    hidden = "".join(free[:dots])
    parts = []
    for term, tensor in zip(terms, tensors):
        named = term.replace("...", "")
        extra = tensor.ndim - len(named)
        if not (named.isalpha() or not named) or (extra if "..." not in term else extra < 0):
            raise OperatorError(f"einsum: {term!r} in {equation!r} does not fit a tensor of shape {tensor.shape}")
        parts.append(_Part(tensor, term.replace("...", hidden[len(hidden) - extra :] if extra else "")))
    letters = "".join(part.labels for part in parts)
    if arrow:
        result = right.replace("...", hidden)
        if len(set(result)) != len(result) or not set(result) <= set(letters) or "." in result:
            raise OperatorError(f"einsum: the result of {equation!r} must name letters of the operands once each")
    else:
        result = hidden + "".join(sorted(c for c in set(letters) - set(hidden) if letters.count(c) == 1))
    return parts, result


def _contract(first: _Part, second: _Part, wanted: set[str], sizes: dict[str, int]) -> _Part:
    """Multiply two operands by one batched product of matrices, summing over the letters that only they have."""
    shared = [label for label in first.labels if label in second.labels]
    batch = "".join(label for label in shared if label in wanted)
    summed = "".join(label for label in shared if label not in wanted)
    rows = "".join(label for label in first.labels if label not in shared)
    columns = "".join(label for label in second.labels if label not in shared)

    def size(labels: str) -> int:
        return math.prod(sizes[label] for label in labels)

    outer = [sizes[label] for label in batch]
    a = reshape_exact(first.ordered(batch + rows + summed), [*outer, size(rows), size(summed)])
    b = reshape_exact(second.ordered(batch + summed + columns), [*outer, size(summed), size(columns)])
    product = multiply(a, reshape_exact(b, [*outer, 1, size(columns)])) if not summed else matmul(a, b)
    labels = batch + rows + columns
    return _Part(reshape_exact(product, [sizes[label] for label in labels]), labels)


def tensordot(x: Tensor, y: Tensor, axes: Any = 2, name: Optional[str] = None) -> Tensor:
    """Sum the products of two tensors over pairs of axes.

    Args:
        x: A tensor.
        y: A tensor.
        axes: How many of x's last and y's first axes to sum over, or a list of axes for both, or one list for each.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's remaining axes followed by y's.

    Raises:
        OperatorError: paired axes differ in size.
        OperatorIndexError: an axis does not exist.
    """
    need_tensor(x, "tensordot")
    need_tensor(y, "tensordot", "y")
    axes = axes.tolist() if isinstance(axes, Tensor) else axes
    if isinstance(axes, (int, np.integer)):
        if not 0 <= axes <= min(x.ndim, y.ndim):
            raise OperatorError(f"tensordot: {axes} axes do not fit shapes {x.shape} and {y.shape}")
        first, second = list(range(x.ndim - int(axes), x.ndim)), list(range(int(axes)))
    else:
        lists = list(axes) if axes and isinstance(axes[0], (list, tuple)) else [list(axes), list(axes)]
        lists = lists * 2 if len(lists) == 1 else lists
        count = max(len(lists[0]), len(lists[1]))  # the shorter list is continued by the longer one, as in Paddle
        first = [axis_argument(axis, x.ndim, "tensordot") for axis in [*lists[0], *lists[1][len(lists[0]) : count]]]
        second = [axis_argument(axis, y.ndim, "tensordot") for axis in [*lists[1], *lists[0][len(lists[1]) : count]]]
    for i, j in zip(first, second):
        if x.shape[i] != y.shape[j]:
            raise OperatorError(f"tensordot: axis {i} of {x.shape} and axis {j} of {y.shape} differ in size")
    rest_x = [i for i in range(x.ndim) if i not in first]
    rest_y = [i for i in range(y.ndim) if i not in second]
    shape_x, shape_y = [x.shape[i] for i in rest_x], [y.shape[i] for i in rest_y]
    inner = math.prod(x.shape[i] for i in first)
    a = reshape_exact(transpose(x, [*rest_x, *first]), [math.prod(shape_x), inner])
    b = reshape_exact(transpose(y, [*second, *rest_y]), [inner, math.prod(shape_y)])
    return reshape_exact(matmul(a, b), [*shape_x, *shape_y])


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
        raise OperatorError(f"multi_dot: wants at least 2 matrices, got {len(parts)}")
    ends = (parts[0].ndim == 1, parts[-1].ndim == 1)
    if ends[0]:
        parts[0] = reshape_exact(parts[0], [1, parts[0].size])
    if ends[1]:
        parts[-1] = reshape_exact(parts[-1], [parts[-1].size, 1])
    for before, after in zip(parts, parts[1:]):
        if before.ndim != 2 or after.ndim != 2 or before.shape[1] != after.shape[0]:
            raise OperatorError(f"multi_dot: shapes {before.shape} and {after.shape} of neighbours do not fit")
    sizes = [parts[0].shape[0], *[part.shape[1] for part in parts]]
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
    from core.operators.solvers import inverse, square_matrices

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
        raise OperatorError(f"cdist: wants shapes [..., m, k] and [..., n, k], got {x.shape} and {y.shape}")
    first = reshape_exact(x, [*x.shape[:-1], 1, x.shape[-1]])
    second = reshape_exact(y, [*y.shape[:-2], 1, *y.shape[-2:]])
    return norm(subtract(first, second), float(p), -1)


__all__ = ["cdist", "cross", "einsum", "kron", "matrix_power", "multi_dot", "tensordot", "trace"]
TENSOR_METHODS = ("cdist", "cross", "kron", "matrix_power", "multi_dot", "tensordot", "trace")
