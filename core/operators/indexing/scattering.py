"""Scattering: writing or adding elements and rows at positions that are themselves tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import bfloat16, float32
from core.operators._arguments import ShapeLike, need_tensor, shape_argument
from core.operators.creation.creation import cast, filled
from core.operators.indexing.gathering import check_range, index_argument, nd_position
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply


def as_rows(array: np.ndarray) -> np.ndarray:
    """Return contiguous memory as a table: the first axis stays, the others become one."""
    return array.reshape(array.shape[0], math.prod(array.shape[1:]))


def _added(updates: np.ndarray, index: np.ndarray, size: int, out: np.ndarray) -> None:
    from core.kernels.numeric import scatter  # numba loads with the first use

    scatter.add_rows(as_rows(updates), index, size, as_rows(out))


def _set(table: np.ndarray, index: np.ndarray, updates: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.numeric import scatter  # numba loads with the first use

    scatter.set_rows(as_rows(table), index, as_rows(updates), as_rows(out))


def _added_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype), _ = metas
    return [((options["size"], *shape[1:]), dtype)]


_scatter_add = HostOperator("scatter_add_rows", _added, infer=_added_meta, fills=True)
_scatter_set = HostOperator("scatter_set_rows", _set, infer=lambda metas, options: [metas[0]], fills=True)

_HALF = ("float16", "bfloat16")


def add_rows(updates: Tensor, index: Tensor, size: int) -> Tensor:
    """Sum rows into a table of zeros.

    Args:
        updates: Shape [n, ...].
        index: Integers of shape [n], checked, in [0, size).
        size: Number of rows of the table.

    Returns:
        The table, of shape [size, ...].
    """
    if updates.dtype.kind == "b" or updates.dtype.name in _HALF:  # numba has no arithmetic of half precision
        wide = "int32" if updates.dtype.kind == "b" else "float32"
        return cast(add_rows(cast(updates, wide), index, size), updates.dtype)
    return apply(_scatter_add, updates, cast(index, "int64"), size=size)


def set_rows(table: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    """Return a table with some rows replaced; the last of several updates of one row stays.

    Args:
        table: Shape [size, ...].
        index: Integers of shape [n], checked, in [0, size).
        updates: Shape [n, ...].

    Returns:
        The new table. Each update of a row receives the row's gradient, overwritten ones too, as in Paddle.
    """
    if table.dtype is bfloat16:  # custom operators do not know the type
        return cast(set_rows(cast(table, float32), index, cast(updates, float32)), bfloat16)
    return apply(_scatter_set, table, cast(index, "int64"), cast(updates, table.dtype))


def scatter(x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: Optional[str] = None) -> Tensor:
    """Write rows into a tensor along its first axis, or add them up there.

    Args:
        x: A tensor of at least one axis.
        index: int32 or int64 of shape [n] (or [n, 1], or [] for one row); 0 <= index < x.shape[0].
        updates: Shape [n, *x.shape[1:]].
        overwrite: True writes (the last of several updates of one row stays); False first sets the rows to 0, then adds
            all their updates.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: an index is outside x.
        OperatorError: the shapes do not fit.
    """
    shape = need_tensor(x, "scatter").shape
    if not shape:
        raise OperatorError("scatter: x is 0-D, it has no rows")
    index = index_argument(index, "scatter")
    if index.ndim == 0:
        index = reshape_exact(index, [1])
        updates = reshape_exact(updates, [1, *updates.shape]) if updates.ndim < len(shape) else updates
    elif index.ndim == 2 and index.shape[1] == 1:
        index = reshape_exact(index, index.shape[:1])
    if index.ndim != 1 or need_tensor(updates, "scatter", "updates").shape != [index.shape[0], *shape[1:]]:
        raise OperatorError(
            f"scatter: x has shape {shape} and index {index.shape}, so updates must be"
            f" {[*index.shape[:1], *shape[1:]]}, got {updates.shape}"
        )
    check_range(index, shape[0], "scatter")
    if overwrite:
        return set_rows(x, index, updates)
    cleared = set_rows(x, index, filled(tuple(updates.shape), 0, x.dtype))
    return cleared + add_rows(cast(updates, x.dtype), index, shape[0])


def scatter_nd_add(x: Tensor, index: Tensor, updates: Tensor, name: Optional[str] = None) -> Tensor:
    """Add elements or slices to x at positions along its first axes; repeated positions add up.

    Args:
        x: A tensor of shape [d0, d1, ...].
        index: int32 or int64 of shape [..., k], k <= rank of x.
        updates: Shape index.shape[:-1] + x.shape[k:], x's dtype.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: a position is outside x.
        OperatorError: the shapes do not fit.
    """
    index = index_argument(index, "scatter_nd_add")
    shape = need_tensor(x, "scatter_nd_add").shape
    rows, position = nd_position(shape, index, "scatter_nd_add")
    wanted = [*index.shape[:-1], *shape[index.shape[-1] :]]
    if need_tensor(updates, "scatter_nd_add", "updates").shape != wanted:
        raise OperatorError(f"scatter_nd_add: updates must have the shape {wanted}, got {updates.shape}")
    flat = reshape_exact(updates, [position.size, *rows[1:]])
    added = add_rows(cast(flat, x.dtype), reshape_exact(position, [position.size]), rows[0])
    return x + reshape_exact(added, shape)


def scatter_nd(index: Tensor, updates: Tensor, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """Add elements or slices to a tensor of zeros; see :func:`scatter_nd_add`.

    Args:
        index: int32 or int64 of shape [..., k].
        updates: Shape index.shape[:-1] + shape[k:].
        shape: The result's shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.
    """
    zeros = filled(shape_argument(shape, "scatter_nd"), 0, need_tensor(updates, "scatter_nd", "updates").dtype)
    return scatter_nd_add(zeros, index, updates)


__all__ = ["scatter", "scatter_nd", "scatter_nd_add"]
TENSOR_METHODS = ("scatter", "scatter_nd_add")
IN_PLACE_METHODS = ("scatter",)
