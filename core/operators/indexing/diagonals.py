"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import ConstantOperator
from core.kernels.dtypes import DTypeLike
from core.kernels.sizes.dimension import larger, smaller
from core.operators._arguments import Scalar, axis_argument, need_tensor
from core.operators.creation._constants import constant, lower_triangle
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import take_along
from core.operators.indexing.masking import where
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.arrangement import moveaxis
from core.operators.shape.manipulation import broadcast_to, unsqueeze
from core.operators.shape.padding import pad_exact
from core.tensor import Tensor

_diagonal = ConstantOperator(
    "diagonal_positions",
    lambda columns, count, offset: (np.arange(count) + max(-offset, 0)) * columns + np.arange(count) + max(offset, 0),
    lambda columns, count, offset: ([count], np.int64),
)
_on_diagonal = ConstantOperator(
    "diagonal_mask",
    lambda size, offset: np.eye(size, k=offset, dtype=bool),
    lambda size, offset: ([size, size], bool),
)


def diagonal_length(rows: int, columns: int, offset: int) -> int:
    """Return how many elements a matrix has on a diagonal."""
    return larger(smaller(rows - max(-offset, 0), columns - max(offset, 0)), 0)


def diagonal_positions(columns: int, count: int, offset: int) -> Tensor:
    """Return the positions of a diagonal's elements in a flattened matrix."""
    return constant(_diagonal, columns=columns, count=count, offset=offset)


def _matrix_shape(x: Tensor, caller: str) -> list[int]:
    if need_tensor(x, caller).ndim < 2:
        raise OperatorError(f"{caller}: x must have at least two axes, got shape {x.shape}")
    return x.shape[-2:]


def tril(x: Tensor, diagonal: int = 0, name: Optional[str] = None) -> Tensor:
    """Keep the lower triangles of matrices and set the rest to 0.

    Args:
        x: A tensor of at least two axes; the last two are the matrices.
        diagonal: The last diagonal to keep: 0 is the main one, positive ones lie above it.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: x has fewer than two axes.
    """
    below = lower_triangle(_matrix_shape(x, "tril"), diagonal)
    return where(below, x, Tensor(0, dtype=x.dtype))


def triu(x: Tensor, diagonal: int = 0, name: Optional[str] = None) -> Tensor:
    """Keep the upper triangles of matrices and set the rest to 0.

    Args:
        x: A tensor of at least two axes; the last two are the matrices.
        diagonal: The first diagonal to keep: 0 is the main one, positive ones lie above it.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: x has fewer than two axes.
    """
    below = lower_triangle(_matrix_shape(x, "triu"), diagonal - 1)
    return where(below, Tensor(0, dtype=x.dtype), x)


def tril_indices(row: int, col: Optional[int] = None, offset: int = 0, dtype: DTypeLike = "int64") -> Tensor:
    """Find the positions of a lower triangle, row by row.

    Args:
        row: Number of rows.
        col: Number of columns; as many as rows when None.
        offset: The last diagonal to include.
        dtype: int32 or int64.

    Returns:
        A tensor of shape [2, count]: row numbers, column numbers.

    Raises:
        OperatorError: a size is negative.
    """
    return _indices(np.tril_indices, row, col, offset, dtype, "tril_indices")


def triu_indices(row: int, col: Optional[int] = None, offset: int = 0, dtype: DTypeLike = "int64") -> Tensor:
    """Find the positions of an upper triangle, row by row; see :func:`tril_indices`."""
    return _indices(np.triu_indices, row, col, offset, dtype, "triu_indices")


def _indices(function: Any, row: int, col: Optional[int], offset: int, dtype: DTypeLike, caller: str) -> Tensor:
    columns = row if col is None else col
    if row < 0 or columns < 0:
        raise OperatorError(f"{caller}: sizes must not be negative, got {row} rows and {columns} columns")
    return Tensor(np.stack(function(row, offset, columns)), dtype=dtype if dtype is not None else "int64")


def diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Optional[str] = None) -> Tensor:
    """Take the diagonals of the matrices that two axes form.

    Args:
        x: A tensor of at least two axes.
        offset: Which diagonal: 0 is the main one, positive ones lie above it.
        axis1: The matrices' rows.
        axis2: The matrices' columns.
        name: Unused, as in Paddle.

    Returns:
        A tensor whose last axis runs along the diagonal; the two axes are gone.

    Raises:
        OperatorError: the two axes are the same one.
        OperatorIndexError: an axis does not exist.
    """
    rank = need_tensor(x, "diagonal").ndim
    first, second = axis_argument(axis1, rank, "diagonal"), axis_argument(axis2, rank, "diagonal")
    if first == second:
        raise OperatorError(f"diagonal: axis1 {axis1} and axis2 {axis2} are the same axis")
    turned = moveaxis(x, [first, second], [-2, -1])
    rows, columns = turned.shape[-2:]
    places = diagonal_positions(columns, diagonal_length(rows, columns, offset), offset)
    return take_along(reshape_exact(turned, [*turned.shape[:-2], rows * columns]), places, rank - 2)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:  # noqa: A002 - Paddle's name
    """Make matrices of zeros with the last axis of a tensor on a diagonal.

    Args:
        input: A tensor of at least one axis.
        offset: Which diagonal: 0 is the main one, positive ones lie above it.
        dim1: Where the matrices' rows are in the result.
        dim2: Where their columns stand.

    Returns:
        A tensor with one more axis; the matrices have size n + |offset|.

    Raises:
        OperatorError: the input is 0-D or the two axes are the same one.
        OperatorIndexError: an axis does not exist.
    """
    rank = need_tensor(input, "diag_embed", "input").ndim
    if rank == 0:
        raise OperatorError("diag_embed: the input is 0-D, it has no diagonal to give")
    first, second = axis_argument(dim1, rank + 1, "diag_embed"), axis_argument(dim2, rank + 1, "diag_embed")
    if first == second:
        raise OperatorError(f"diag_embed: dim1 {dim1} and dim2 {dim2} are the same axis")
    return moveaxis(_embedded(input, offset, Tensor(0, dtype=input.dtype)), [-2, -1], [first, second])


def _embedded(x: Tensor, offset: int, rest: Tensor) -> Tensor:
    """Put the last axis on a diagonal of new matrices whose other elements are ``rest``."""
    size = x.shape[-1] + abs(offset)
    ends = [(0, 0)] * (x.ndim - 1) + [(0, abs(offset))]
    line = unsqueeze(pad_exact(x, ends), -1 if offset >= 0 else -2)
    mask = constant(_on_diagonal, size=size, offset=offset)
    return where(mask, broadcast_to(line, [*x.shape[:-1], size, size]), rest)


def diag(x: Tensor, offset: int = 0, padding_value: Scalar = 0, name: Optional[str] = None) -> Tensor:
    """Make a matrix of a vector, on its diagonal, or take a matrix's diagonal.

    Args:
        x: A tensor of 1 or 2 axes.
        offset: Which diagonal: 0 is the main one, positive ones lie above it.
        padding_value: The matrix's other elements.
        name: Unused, as in Paddle.

    Returns:
        A matrix of size n + |offset|, or a vector.

    Raises:
        OperatorError: x has another number of axes.
    """
    rank = need_tensor(x, "diag").ndim
    if rank == 2:
        return diagonal(x, offset)
    if rank != 1:
        raise OperatorError(f"diag: x must have 1 or 2 axes, got shape {x.shape}")
    return _embedded(x, offset, cast(Tensor(padding_value), x.dtype))


def diagflat(x: Tensor, offset: int = 0, name: Optional[str] = None) -> Tensor:
    """Make a matrix with the flattened tensor on its diagonal; see :func:`diag`."""
    return diag(reshape_exact(need_tensor(x, "diagflat"), [x.size]), offset)


__all__ = [
    "diag", "diag_embed", "diagflat", "diagonal", "tril", "tril_indices", "triu", "triu_indices",
]  # fmt: skip
TENSOR_METHODS = ("diag", "diag_embed", "diagflat", "diagonal", "tril", "triu")
IN_PLACE_METHODS = ("tril", "triu")
