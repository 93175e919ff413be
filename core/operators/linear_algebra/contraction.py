"""Sums of products over named or numbered axes, and products of several matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.sizes.dimension import contains_dimension, larger
from core.operators._arguments import axis_argument, common_dtype, need_tensor
from core.operators.arithmetic.math import multiply
from core.operators.creation.creation import assign, cast
from core.operators.indexing.diagonals import diagonal
from core.operators.linear_algebra.linalg import matmul
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import broadcast_to, transpose
from core.tensor import Tensor


class _Part:
    """One operand of an einsum with one letter per axis."""

    def __init__(self, tensor: Tensor, labels: str) -> None:
        self.tensor = tensor
        self.labels = labels

    def without_repeats(self) -> _Part:
        """Take the diagonal of every letter that occurs twice."""
        for label in dict.fromkeys(self.labels):
            while self.labels.count(label) > 1:
                first = self.labels.index(label)
                second = self.labels.index(label, first + 1)
                rest = "".join(c for i, c in enumerate(self.labels) if i not in (first, second))
                self.tensor = diagonal(self.tensor, axis1=first, axis2=second)
                self.labels = rest + label
        return self

    def keeping(self, wanted: set[str]) -> _Part:
        """Sum over the letters that nobody else expects."""
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
            ``...`` stands for further axes that broadcast. Without ``->`` the result has the letters that occur once,
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
            known = sizes.get(label, 1)
            if contains_dimension([known, size]):
                sizes[label] = larger(known, size)  # the engine checks each run
                continue
            if known != 1 and size not in (1, known):
                raise OperatorError(f"einsum: {label!r} is {known} and {size} in {equation!r}")
            sizes[label] = max(known, size) if size else 0
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


__all__ = ["einsum", "tensordot"]
TENSOR_METHODS = ("tensordot",)
