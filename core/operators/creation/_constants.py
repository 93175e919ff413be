"""Tensors computed from sizes alone, by numpy: positions along an axis, masks of triangles, grids of points.

Where all sizes are known they are computed at once. Where a size is unknown, while a program for any size is being
traced, the trace records how to compute them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.operator import ConstantOperator
from core.kernels.dtypes import DType
from core.kernels.sizes.dimension import contains_dimension
from core.operators.creation.creation import cast
from core.tensor import Tensor, apply


def constant(operator: ConstantOperator, dtype: Optional[DType] = None, **attributes: Any) -> Tensor:
    """Return the tensor that an operator computes from its attributes; these may hold unknown sizes.

    Args:
        operator: What computes it.
        dtype: Element type; numpy's own when None.
        attributes: Its attributes.
    """
    if contains_dimension(attributes):
        made: Tensor = apply(operator, **attributes)
        return made if dtype is None else cast(made, dtype)
    return Tensor(operator.function(**attributes), dtype=dtype)


_positions = ConstantOperator("positions", lambda size: np.arange(size), lambda size: ([size], np.int64))
_along = ConstantOperator(
    "positions_along",
    lambda size, axis, rank: np.arange(size).reshape([-1 if i == axis else 1 for i in range(rank)]),
    lambda size, axis, rank: ([size if i == axis else 1 for i in range(rank)], np.int64),
)
_triangle = ConstantOperator(
    "lower_triangle",
    lambda rows, columns, diagonal: np.tri(rows, columns, k=diagonal, dtype=bool),
    lambda rows, columns, diagonal: ([rows, columns], bool),
)
_later = ConstantOperator(
    "later_positions",
    lambda rows, columns, number: np.triu(np.full((rows, columns), number), 1),
    lambda rows, columns, number: ([rows, columns], np.asarray(number).dtype),
)


def positions(size: int) -> Tensor:
    """Return the int64 numbers from 0 to size - 1."""
    return constant(_positions, size=size)


def positions_along(axis: int, shape: Sequence[int]) -> Tensor:
    """Return the positions along one axis of a shape, with size 1 along the others."""
    return constant(_along, size=shape[axis], axis=axis, rank=len(shape))


def lower_triangle(shape: Sequence[int], diagonal: int) -> Tensor:
    """Return a bool matrix ``[rows, columns]`` that is true on a diagonal and below it."""
    return constant(_triangle, rows=shape[0], columns=shape[1], diagonal=diagonal)


def later_positions(rows: int, columns: int, number: float, dtype: DType) -> Tensor:
    """Return a matrix that holds a number above the main diagonal, and 0 elsewhere: what a causal mask adds."""
    return constant(_later, dtype, rows=rows, columns=columns, number=number)
