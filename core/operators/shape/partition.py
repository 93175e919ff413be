"""Cutting tensors into nearly equal parts or at given places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.kernels.sizes.dimension import larger
from core.operators._arguments import need_tensor, shape_argument
from core.operators.indexing.slicing import cut, range_start
from core.operators.shape.joining import cut_axis, split, split_sizes
from core.tensor import Tensor


def tensor_split(
    x: Tensor, num_or_indices: Union[int, Sequence[int]], axis: int = 0, name: Optional[str] = None
) -> list[Tensor]:
    """Cut a tensor into nearly equal parts, or at given places.

    Args:
        x: A tensor of at least one axis.
        num_or_indices: A number of parts (the first ones are longer by one where it does not divide), or the indices
            before which to cut; they may be negative or beyond the end.
        axis: The axis to cut.
        name: Unused, as in Paddle.

    Returns:
        The parts, some of them possibly empty.

    Raises:
        OperatorError: the number of parts is below 1.
    """
    place, size = cut_axis(x, axis, "tensor_split")
    if isinstance(num_or_indices, (int, np.integer)):
        count = int(num_or_indices)
        if count < 1:
            raise OperatorError(f"tensor_split: the number of parts must be at least 1, got {count}")
        return split_sizes(x, [-((i - size) // count) for i in range(count)], place)
    starts = [0, *[range_start(index, size) for index in shape_argument(num_or_indices, "tensor_split")]]
    ends = [*starts[1:], size]
    return [cut(x, place, start, larger(start, end)) for start, end in zip(starts, ends)]


def hsplit(x: Tensor, num_or_indices: Union[int, Sequence[int]], name: Optional[str] = None) -> list[Tensor]:
    """Cut a tensor along axis 1 (axis 0 of a 1-D tensor); see :func:`tensor_split`."""
    return _split_along(x, num_or_indices, 1 if need_tensor(x, "hsplit").ndim > 1 else 0, 1, "hsplit")


def vsplit(x: Tensor, num_or_sections: Union[int, Sequence[int]], name: Optional[str] = None) -> list[Tensor]:
    """Cut a tensor of at least two axes along axis 0, into equal parts or parts of given sizes; see :func:`split`."""
    _need_axes(x, 2, "vsplit")
    return split(x, num_or_sections, 0)


def dsplit(x: Tensor, num_or_indices: Union[int, Sequence[int]], name: Optional[str] = None) -> list[Tensor]:
    """Cut a tensor of at least three axes along axis 2; see :func:`tensor_split`."""
    return _split_along(x, num_or_indices, 2, 3, "dsplit")


def _split_along(x: Tensor, num_or_indices: Any, axis: int, minimum_rank: int, caller: str) -> list[Tensor]:
    _need_axes(x, minimum_rank, caller)
    return tensor_split(x, num_or_indices, axis)


def _need_axes(x: Tensor, minimum_rank: int, caller: str) -> None:
    if need_tensor(x, caller).ndim < minimum_rank:
        raise OperatorIndexError(f"{caller}: x must have at least {minimum_rank} axes, but its shape is {x.shape}")


__all__ = ["dsplit", "hsplit", "tensor_split", "vsplit"]
TENSOR_METHODS = tuple(__all__)
