"""Transforms made of other transforms, and the one that only changes shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import core
from core.distribution.independent import sum_last
from core.distribution.transform import Transform, Type, register_composed
from core.kernels.dispatch.errors import OperatorTypeError
from core.tensor import Tensor


def _checked(owner: Transform, transforms: Any) -> list[Transform]:
    if not isinstance(transforms, (list, tuple)) or not all(isinstance(item, Transform) for item in transforms):
        raise OperatorTypeError(f"{type(owner).__name__}: transforms is a list of Transforms, got {transforms!r}")
    return list(transforms)


def summed_change(transform: Transform, x: Tensor, axes: int) -> Tensor:
    """Return a transform's volume change at x, summed over the last axes that are independent to it."""
    change = transform.forward_log_det_jacobian(x)
    if axes > 0:
        whole = x.shape[: x.ndim - transform._domain_event_rank]
        change = core.broadcast_to(change, core.broadcast_shape(change.shape, whole))
    return sum_last(change, axes)


class ChainTransform(Transform):
    """One transform after another, the first one first.

    Args:
        transforms: A list of transforms.

    Raises:
        OperatorTypeError: it is no such list.
    """

    def __init__(self, transforms: Sequence[Transform]) -> None:
        self.transforms = _checked(self, transforms)
        domain = codomain = 0
        for item in reversed(self.transforms):
            domain = max(domain + item._domain_event_rank - item._codomain_event_rank, item._domain_event_rank)
        codomain = domain
        for item in self.transforms:
            codomain = max(codomain + item._codomain_event_rank - item._domain_event_rank, item._codomain_event_rank)
        self._domain_event_rank, self._codomain_event_rank = domain, codomain

    def _is_injective(self) -> bool:
        return all(item._is_injective() for item in self.transforms)

    def _forward(self, x: Tensor) -> Tensor:
        for item in self.transforms:
            x = item.forward(x)
        return x

    def _inverse(self, y: Tensor) -> Any:
        for item in reversed(self.transforms):
            y = item.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        rank = self._domain_event_rank
        total: Any = 0.0
        for item in self.transforms:
            total = total + summed_change(item, x, rank - item._domain_event_rank)
            x = item.forward(x)
            rank += item._codomain_event_rank - item._domain_event_rank
        return total

    def _forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        for item in self.transforms:
            shape = item.forward_shape(shape)
        return shape

    def _inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        for item in reversed(self.transforms):
            shape = item.inverse_shape(shape)
        return shape


class IndependentTransform(Transform):
    """Take last axes as one value: the volume change is summed over them.

    Args:
        base: The transform.
        reinterpreted_batch_rank: How many axes, at least 1.

    Raises:
        OperatorTypeError: base is no Transform.
        ValueError: the number of axes is not positive.
    """

    def __init__(self, base: Transform, reinterpreted_batch_rank: int) -> None:
        if not isinstance(base, Transform):
            raise OperatorTypeError(f"IndependentTransform: base must be a Transform, got {type(base).__name__}")
        if reinterpreted_batch_rank < 1:
            raise ValueError(
                f"IndependentTransform: reinterpreted_batch_rank must be positive, got {reinterpreted_batch_rank}"
            )
        self._base = base
        self._rank = int(reinterpreted_batch_rank)
        self._domain_event_rank = base._domain_event_rank + self._rank
        self._codomain_event_rank = base._codomain_event_rank + self._rank

    def _is_injective(self) -> bool:
        return self._base._is_injective()

    def _forward(self, x: Tensor) -> Tensor:
        return self._base.forward(x)

    def _inverse(self, y: Tensor) -> Any:
        return self._base.inverse(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return summed_change(self._base, x, self._rank)

    def _forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self._base.forward_shape(shape)

    def _inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self._base.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Give the last axes another shape.

    Args:
        in_event_shape: Shape of the last axes before.
        out_event_shape: Shape of the last axes after; as many elements.

    Raises:
        OperatorTypeError: a shape is no list.
        ValueError: the numbers of elements differ.
    """

    _type = Type.BIJECTION

    def __init__(self, in_event_shape: Sequence[int], out_event_shape: Sequence[int]) -> None:
        for shape in (in_event_shape, out_event_shape):
            if not isinstance(shape, (list, tuple)):
                raise OperatorTypeError(f"ReshapeTransform: a shape is a list of ints, got {shape!r}")
        if math.prod(in_event_shape) != math.prod(out_event_shape):
            raise ValueError(
                f"ReshapeTransform: {list(in_event_shape)} and {list(out_event_shape)} hold different numbers of"
                " elements"
            )
        self._before, self._after = tuple(in_event_shape), tuple(out_event_shape)
        self._domain_event_rank, self._codomain_event_rank = len(self._before), len(self._after)

    @property
    def in_event_shape(self) -> tuple[int, ...]:
        """The shape of the last axes before."""
        return self._before

    @property
    def out_event_shape(self) -> tuple[int, ...]:
        """The shape of the last axes after."""
        return self._after

    def _forward(self, x: Tensor) -> Tensor:
        return x.reshape(list(self._forward_shape(tuple(x.shape))))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(list(self._inverse_shape(tuple(y.shape))))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return core.zeros(x.shape[: x.ndim - len(self._before)], x.dtype)

    def _forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return _exchanged(shape, self._before, self._after)

    def _inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return _exchanged(shape, self._after, self._before)


def _exchanged(shape: tuple[int, ...], old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    first = len(shape) - len(old)
    if first < 0 or shape[first:] != old:
        raise ValueError(f"ReshapeTransform: the last axes must have the shape {list(old)}, got {list(shape)}")
    return shape[:first] + new


class StackTransform(Transform):
    """Transform each slice along an axis in its own way.

    Args:
        transforms: One transform for each slice.
        axis: The axis.

    Raises:
        OperatorTypeError: transforms is no list of Transforms.
    """

    def __init__(self, transforms: Sequence[Transform], axis: int = 0) -> None:
        self._transforms = _checked(self, transforms)
        if not self._transforms:
            raise OperatorTypeError("StackTransform: transforms is empty")
        self._axis = int(axis)
        self._domain_event_rank = max(item._domain_event_rank for item in self._transforms)
        self._codomain_event_rank = max(item._codomain_event_rank for item in self._transforms)

    @property
    def transforms(self) -> list[Transform]:
        """One transform for each slice."""
        return self._transforms

    @property
    def axis(self) -> int:
        """The axis."""
        return self._axis

    def _is_injective(self) -> bool:
        return all(item._is_injective() for item in self._transforms)

    def _forward(self, x: Tensor) -> Tensor:
        return core.stack([item.forward(part) for item, part in self._slices(x)], self._axis)

    def _inverse(self, y: Tensor) -> Any:
        return core.stack([item.inverse(part) for item, part in self._slices(y)], self._axis)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        changes = []
        for item, part in self._slices(x):
            change = item.forward_log_det_jacobian(part)
            whole = part.shape[: part.ndim - item._domain_event_rank]
            changes.append(core.broadcast_to(change, core.broadcast_shape(change.shape, whole)))
        return core.stack(changes, self._axis)

    def _slices(self, x: Tensor) -> list[tuple[Transform, Tensor]]:
        if not -x.ndim <= self._axis < x.ndim or x.shape[self._axis] != len(self._transforms):
            raise ValueError(
                f"StackTransform: {len(self._transforms)} transforms along axis {self._axis} do not fit shape {x.shape}"
            )
        return list(zip(self._transforms, core.unbind(x, self._axis)))


register_composed(Transform, ChainTransform)
