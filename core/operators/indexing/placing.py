"""Placing values into a part of a tensor: one slice, a diagonal, everything."""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.operators._arguments import Scalar, axis_argument, need_tensor
from core.operators.creation.creation import cast, filled
from core.operators.indexing.diagonals import diagonal_length, diagonal_positions
from core.operators.indexing.masking import masked_fill
from core.operators.indexing.scattering import set_rows
from core.operators.indexing.slicing import assign_ranges
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.arrangement import moveaxis
from core.operators.shape.manipulation import unsqueeze
from core.tensor import Tensor


def select_scatter(x: Tensor, values: Tensor, axis: int, index: int, name: Optional[str] = None) -> Tensor:
    """Replace one slice of a tensor.

    Args:
        x: A tensor of at least one axis.
        values: x's shape without the axis.
        axis: The axis.
        index: Which slice; negative ones count from the end.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: the values have another shape.
        OperatorIndexError: there is no such axis or slice.
    """
    shape = need_tensor(x, "select_scatter").shape
    place = axis_argument(axis, len(shape), "select_scatter")
    if not shape or (index >= shape[place] if index >= 0 else -index > shape[place]):
        raise OperatorIndexError(f"select_scatter: index {index} is outside axis {axis} of a tensor of shape {shape}")
    wanted = [*shape[:place], *shape[place + 1 :]]
    if need_tensor(values, "select_scatter", "values").shape != wanted:
        raise OperatorError(f"select_scatter: values must have the shape {wanted}, got {values.shape}")
    ranges = [(0, size, 1) for size in shape]
    ranges[place] = (index if index >= 0 else shape[place] + index, 1, 1)
    return assign_ranges(x, ranges, unsqueeze(values, place))


def diagonal_scatter(
    x: Tensor, y: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Optional[str] = None
) -> Tensor:
    """Replace the diagonals of the matrices that two axes form.

    Args:
        x: A tensor of at least two axes.
        y: The diagonals, shaped as :func:`core.diagonal` gives them.
        offset: Which diagonal: 0 is the main one, positive ones lie above it.
        axis1: The matrices' rows.
        axis2: The matrices' columns.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: y has another shape, or the two axes are the same one.
        OperatorIndexError: an axis does not exist.
    """
    rank = need_tensor(x, "diagonal_scatter").ndim
    first, second = axis_argument(axis1, rank, "diagonal_scatter"), axis_argument(axis2, rank, "diagonal_scatter")
    if first == second:
        raise OperatorError(f"diagonal_scatter: axis1 {axis1} and axis2 {axis2} are the same axis")
    turned = moveaxis(x, [first, second], [0, 1])
    rows, columns, *rest = turned.shape
    count = diagonal_length(rows, columns, offset)
    if need_tensor(y, "diagonal_scatter", "y").shape != [*rest, count]:
        raise OperatorError(f"diagonal_scatter: y must have the shape {[*rest, count]}, got {y.shape}")
    places = diagonal_positions(columns, count, offset)
    table = reshape_exact(turned, [rows * columns, *rest])
    new = set_rows(table, places, moveaxis(cast(y, x.dtype), -1, 0))
    return moveaxis(reshape_exact(new, turned.shape), [0, 1], [first, second])


def fill_diagonal_tensor(
    x: Tensor, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: Optional[str] = None
) -> Tensor:
    """Replace the diagonals of the matrices that two axes form; see :func:`diagonal_scatter`."""
    return diagonal_scatter(x, y, offset, dim1, dim2)


def fill_diagonal(x: Tensor, value: Scalar, offset: int = 0, wrap: bool = False, name: Optional[str] = None) -> Tensor:
    """Set the diagonal of a tensor to a number (``Tensor.fill_diagonal_``).

    Args:
        x: A matrix, or a tensor of more axes of one size.
        value: The number.
        offset: Which diagonal of a matrix: 0 is the main one, positive ones lie above it.
        wrap: Begin again below, after each square of a matrix with more rows than columns.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: x has fewer than two axes, or more axes of different sizes.
    """
    shape = need_tensor(x, "fill_diagonal").shape
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise OperatorError(f"fill_diagonal_: expects a matrix or axes of one size, got shape {shape}")
    mask = np.zeros(shape, bool)
    if len(shape) > 2:
        np.fill_diagonal(mask, True)
    elif wrap:
        start = offset if offset >= 0 else -offset * shape[1]
        mask.reshape(-1)[start :: shape[1] + 1] = True
    else:
        mask |= np.eye(shape[0], shape[1], k=offset, dtype=bool)
    return masked_fill(x, Tensor(mask), value)


def fill(x: Tensor, value: Scalar) -> Tensor:
    """Return a tensor of x's shape and type that holds one number (``Tensor.fill_``)."""
    return filled(tuple(need_tensor(x, "fill").shape), value, x.dtype)


def zero(x: Tensor) -> Tensor:
    """Return a tensor of zeros of x's shape and type (``Tensor.zero_``)."""
    return fill(x, 0)


__all__ = ["diagonal_scatter", "select_scatter"]
TENSOR_METHODS = ("diagonal_scatter", "fill_diagonal_tensor", "select_scatter")
IN_PLACE_METHODS = ("fill", "fill_diagonal", "fill_diagonal_tensor", "zero")
