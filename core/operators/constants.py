"""Tensors computed from sizes alone, by numpy: positions along an axis, masks of triangles, grids of points.

Where all sizes are known they are computed at once. Where a size is unknown, while a program for any size is being
traced, the trace notes down how to compute them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dimension import contains_dimension
from core.kernels.operator import ConstantOperator
from core.tensor import Tensor, apply


def constant(operator: ConstantOperator, **attributes: Any) -> Tensor:
    """Return the tensor that an operator computes from its attributes; these may hold unknown sizes."""
    if contains_dimension(attributes):
        return apply(operator, **attributes)  # type: ignore[no-any-return]
    return Tensor(operator.function(**attributes))


_positions = ConstantOperator("positions", lambda size: np.arange(size))
_along = ConstantOperator(
    "positions_along", lambda size, axis, rank: np.arange(size).reshape([-1 if i == axis else 1 for i in range(rank)])
)
_triangle = ConstantOperator(
    "lower_triangle", lambda rows, columns, diagonal: np.tri(rows, columns, k=diagonal, dtype=bool)
)


def positions(size: int) -> Tensor:
    """Return the int64 numbers from 0 to size - 1."""
    return constant(_positions, size=size)


def positions_along(axis: int, shape: Sequence[int]) -> Tensor:
    """Return the positions along one axis of a shape, with size 1 along the others."""
    return constant(_along, size=shape[axis], axis=axis, rank=len(shape))


def lower_triangle(rows: int, columns: int, diagonal: int = 0) -> Tensor:
    """Return a bool matrix that is true on a diagonal and below it."""
    return constant(_triangle, rows=rows, columns=columns, diagonal=diagonal)
