"""Joining tensors and taking them apart: concat, stack, split and their relatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.sizes.dimension import same
from core.operators._arguments import (
    IntOrTensor,
    axis_argument,
    broadcast_shape,
    common_dtype,
    need_tensor,
    shape_argument,
)
from core.operators.creation.creation import cast
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import broadcast_to, squeeze, unsqueeze
from core.tensor import Tensor, apply


def _joined(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape = list(metas[0][0])
    shape[options["axis"]] = sum(shape[options["axis"]] for shape, _ in metas)
    return [(tuple(shape), metas[0][1])]


def _stacked(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape = list(metas[0][0])
    shape.insert(options["axis"], len(metas))
    return [(tuple(shape), metas[0][1])]


def _parts(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, dtype = metas[0]
    axis = options["axis"]
    return [((*shape[:axis], size, *shape[axis + 1 :]), dtype) for size in options["sizes"]]


def _with_count(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    return {"axis": options["axis"], "num_args": len(metas)}


def _boundaries(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    starts = tuple(int(end) for end in np.cumsum((0, *options["sizes"][:-1])))
    return {"indices": starts, "axis": options["axis"], "squeeze_axis": False, "sections": 0}


def _equal_parts(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    return {"num_outputs": len(options["sizes"]), "axis": options["axis"], "squeeze_axis": False}


_concat = Operator("concat", "_npi_concatenate", attributes=_with_count, infer=_joined)
_stack = Operator("stack", "_npi_stack", attributes=_with_count, infer=_stacked)
_split = Operator("split", "_split_v2", attributes=_boundaries, infer=_parts)
_split_equally = Operator("split_equally", "SliceChannel", attributes=_equal_parts, infer=_parts)  # 3 times as fast


def concat(x: Sequence[Tensor], axis: IntOrTensor = 0, name: Optional[str] = None) -> Tensor:
    """Join tensors along an axis that they have.

    Args:
        x: Tensors of one rank whose other axes agree; different types are joined in their common type.
        axis: The axis along which they follow each other.
        name: Unused, as in Paddle.

    Returns:
        A tensor whose size along the axis is the sum of theirs.

    Raises:
        OperatorError: the list is empty or the shapes do not agree.
        OperatorIndexError: the axis does not exist.
    """
    tensors = _tensors(x, "concat")
    rank = tensors[0].ndim
    if rank == 0:
        raise OperatorError("concat: 0-D tensors have no axis to be joined along: use stack")
    place = axis_argument(axis, rank, "concat")
    first = tensors[0].shape
    for i, tensor in enumerate(tensors):
        shape = tensor.shape
        if len(shape) != rank or any(a != b for k, (a, b) in enumerate(zip(shape, first)) if k != place):
            raise OperatorError(
                f"concat: x[0] has shape {first}, x[{i}] {shape}: only axis {place} may differ"
            )
    kept = [tensor for tensor in tensors if tensor.shape[place]] or tensors[:1]  # the engine mishandles empty parts
    if len(kept) == 1:
        return reshape_exact(kept[0], kept[0].shape)
    return apply(_concat, *kept, axis=place)


def stack(x: Sequence[Tensor], axis: int = 0, name: Optional[str] = None) -> Tensor:
    """Join tensors of one shape along a new axis.

    Args:
        x: Tensors of one shape; different types are joined in their common type.
        axis: Where the new axis is in the result.
        name: Unused, as in Paddle.

    Returns:
        A tensor with one more axis, of size len(x).

    Raises:
        OperatorError: the list is empty or the shapes differ.
        OperatorIndexError: the axis lies outside the result.
    """
    tensors = _tensors(x, "stack")
    first = tensors[0].shape
    for i, tensor in enumerate(tensors):
        if tensor.shape != first:
            raise OperatorError(f"stack: x[0] has shape {first}, x[{i}] {tensor.shape}: they must agree")
    place = axis_argument(axis, len(first) + 1, "stack")
    if len(tensors) == 1 or tensors[0].size == 0:
        return broadcast_to(unsqueeze(tensors[0], place), [*first[:place], len(tensors), *first[place:]])
    return apply(_stack, *tensors, axis=place)


def _tensors(x: Any, caller: str) -> list[Tensor]:
    if isinstance(x, Tensor) and caller == "concat":
        x = [x]
    if isinstance(x, Tensor) or not isinstance(x, (list, tuple)):
        raise OperatorTypeError(f"{caller}: x must be a list of Tensors, got {type(x).__name__}")
    if not x:
        raise OperatorError(f"{caller}: the list of tensors is empty")
    for i, tensor in enumerate(x):
        need_tensor(tensor, caller, f"x[{i}]")
    dtype = common_dtype(*[tensor.dtype for tensor in x])
    return [cast(tensor, dtype) for tensor in x]


def split_sizes(x: Tensor, sizes: Sequence[int], axis: int) -> list[Tensor]:
    """Cut a tensor into parts of given sizes (which add up) along an axis counted from the front."""
    if len(sizes) == 1:
        return [reshape_exact(x, x.shape)]
    if x.dtype.kind == "b":  # the engine cannot split bool
        return [cast(part, x.dtype) for part in split_sizes(cast(x, "uint8"), sizes, axis)]
    operator = _split_equally if all(same(size, sizes[0]) for size in sizes) else _split
    return list(apply(operator, x, sizes=tuple(sizes), axis=axis))


def split(
    x: Tensor,
    num_or_sections: Union[int, Sequence[IntOrTensor]],
    axis: IntOrTensor = 0,
    name: Optional[str] = None,
) -> list[Tensor]:
    """Cut a tensor into parts along an axis.

    Args:
        x: A tensor of at least one axis.
        num_or_sections: A number of equal parts, or the size of each part, one of which may be -1 (what remains).
        axis: The axis to cut.
        name: Unused, as in Paddle.

    Returns:
        The parts, which have x's rank.

    Raises:
        OperatorError: the axis cannot be cut so.
        OperatorIndexError: the axis does not exist.
    """
    place, size = cut_axis(x, axis, "split")
    if isinstance(num_or_sections, (int, np.integer)):
        count = int(num_or_sections)
        if count < 1 or size % count:
            raise OperatorError(f"split: axis {place} of {x.shape} does not divide into {count} equal parts")
        return split_sizes(x, [size // count] * count, place)
    sizes = list(shape_argument(num_or_sections, "split"))
    known = sum(section for section in sizes if section != -1)
    if sizes.count(-1) == 1 and known <= size:
        sizes[sizes.index(-1)] = size - known
    if not sizes or any(section < 0 for section in sizes) or sum(sizes) != size:
        raise OperatorError(f"split: sections {list(num_or_sections)} do not add up to axis {place} of {x.shape}")
    return split_sizes(x, sizes, place)


def cut_axis(x: Tensor, axis: IntOrTensor, caller: str) -> tuple[int, int]:
    """Return the checked axis to cut, counted from the front, and its size."""
    need_tensor(x, caller)
    if x.ndim == 0:
        raise OperatorError(f"{caller}: a 0-D tensor has no axis to be cut along")
    place = axis_argument(axis, x.ndim, caller)
    return place, x.shape[place]


def chunk(x: Tensor, chunks: int, axis: IntOrTensor = 0, name: Optional[str] = None) -> list[Tensor]:
    """Cut a tensor into a number of equal parts along an axis; see :func:`split`."""
    return split(x, chunks, axis)


def unbind(input: Tensor, axis: int = 0) -> list[Tensor]:
    """Take a tensor apart along an axis, which vanishes.

    Args:
        input: A tensor of at least one axis.
        axis: The axis.

    Returns:
        As many tensors as the axis is long.

    Raises:
        OperatorIndexError: the axis does not exist.
    """
    place, size = cut_axis(input, axis, "unbind")
    if size == 0:
        return []
    return [squeeze(part, place) for part in split_sizes(input, [1] * size, place)]


def unstack(x: Tensor, axis: int = 0, num: Optional[int] = None) -> list[Tensor]:
    """Take a tensor apart along an axis, which vanishes; see :func:`unbind`.

    Args:
        x: A tensor of at least one axis.
        axis: The axis.
        num: The axis's size, if it is to be checked.

    Returns:
        As many tensors as the axis is long.

    Raises:
        OperatorError: num differs from the axis's size.
    """
    place, size = cut_axis(x, axis, "unstack")
    if num is not None and num != size:
        raise OperatorError(f"unstack: num is {num}, but axis {place} of {x.shape} has size {size}")
    return unbind(x, place)


def broadcast_tensors(input: Sequence[Tensor], name: Optional[str] = None) -> list[Tensor]:
    """Broadcast tensors to their common shape.

    Args:
        input: Tensors whose shapes broadcast.
        name: Unused, as in Paddle.

    Returns:
        As many tensors, all of the common shape.

    Raises:
        OperatorError: the shapes do not broadcast.
    """
    shape = broadcast_shape(*[need_tensor(x, "broadcast_tensors").shape for x in input], caller="broadcast_tensors")
    return [broadcast_to(x, shape) for x in input]


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Spread 1-D tensors over a grid, each along an axis of its own.

    Args:
        *args: 1-D (or 0-D) tensors, or one list of them; tensor i runs along axis i of the result.
        **kwargs: ``name`` is accepted and unused, as in Paddle.

    Returns:
        As many tensors, of shape [len(args[0]), len(args[1]), ...].

    Raises:
        OperatorError: a tensor has more than one axis.
    """
    tensors = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
    for i, tensor in enumerate(tensors):
        if need_tensor(tensor, "meshgrid", f"args[{i}]").ndim > 1:
            raise OperatorError(f"meshgrid: tensors must be 1-D, but args[{i}] has shape {tensor.shape}")
    sizes = [tensor.size for tensor in tensors]
    count = len(tensors)
    lifted = [reshape_exact(t, [sizes[i] if k == i else 1 for k in range(count)]) for i, t in enumerate(tensors)]
    return [broadcast_to(tensor, sizes) for tensor in lifted]


__all__ = [
    "broadcast_tensors", "chunk", "concat", "meshgrid", "split", "stack", "unbind", "unstack",
]  # fmt: skip
TENSOR_METHODS = ("broadcast_tensors", "chunk", "concat", "split", "stack", "unbind", "unstack")
