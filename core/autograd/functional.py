"""Jacobian and Hessian matrices, computed row by row when they are read (paddle.autograd.jacobian, hessian)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.autograd.backward import grad
from core.operators.creation.creation import zeros
from core.operators.shape.joining import stack
from core.operators.shape.manipulation import reshape
from core.tensor import Tensor


class Jacobian:
    """A matrix of derivatives. Indexing gives tensors; a row is computed when it is first read, and kept.

    Args:
        ys: outputs, of shape [N] or [], with a batch [B, N] or [B].
        xs: an input that they were computed from, of shape [M] or [], with a batch [B, M] or [B].
        is_batched: whether the first axis of both counts independent samples.

    Attributes:
        shape: [N, M], or [B, N, M]; axes that ys or xs lack are missing here too.
    """

    def __init__(self, ys: Tensor, xs: Tensor, is_batched: bool = False) -> None:
        self._ys, self._xs = ys, xs
        self._batch = [ys.shape[0]] if is_batched else []
        self._inner = ys.shape[len(self._batch) :]
        self.shape = [*self._batch, *self._inner, *xs.shape[len(self._batch) :]]
        self._rows: dict[int, Tensor] = {}

    def _row(self, number: int) -> Tensor:
        if number not in self._rows:
            output = self._ys
            if self._inner:
                output = output[:, number] if self._batch else output[number]
            found = grad([output.sum()], [self._xs], create_graph=True, allow_unused=True)[0]
            self._rows[number] = zeros(self._xs.shape, self._xs.dtype) if found is None else found
        return self._rows[number]

    def __getitem__(self, indexes: Any) -> Tensor:
        given = list(indexes) if isinstance(indexes, tuple) else [indexes]
        if any(item is Ellipsis or item is None for item in given):
            return self._stacked(range(self._inner[0]))[indexes] if self._inner else self._row(0)[indexes]
        if not self._inner:
            return self._row(0)[tuple(given)]
        axis = len(self._batch)
        wanted = given[axis] if len(given) > axis else slice(None)
        count = self._inner[0]
        if isinstance(wanted, int):
            if not -count <= wanted < count:
                raise IndexError(f"row {wanted} is outside a matrix of {count} rows")
            return self._row(wanted % count)[tuple(given[:axis] + given[axis + 1 :]) or slice(None)]
        if isinstance(wanted, slice):
            given[axis : axis + 1] = [slice(None)]
            return self._stacked(range(count)[wanted])[tuple(given)]
        return self._stacked(range(count))[indexes]

    def _stacked(self, numbers: Sequence[int]) -> Tensor:
        if not numbers:
            shape = [*self._batch, 0, *self.shape[len(self._batch) + 1 :]]
            return reshape(zeros([0], self._xs.dtype), shape)
        return stack([self._row(number) for number in numbers], axis=len(self._batch))


class Hessian(Jacobian):
    """The matrix of second derivatives of one number; the Jacobian of its gradient."""


Tensors = Union[Tensor, Sequence[Tensor]]


def jacobian(ys: Tensors, xs: Tensors, batch_axis: Optional[int] = None) -> Any:
    """Return the derivatives of outputs by inputs.

    Args:
        ys: outputs of at most one axis, of at most two with a batch; several in a list or tuple.
        xs: the inputs that they were computed from, likewise.
        batch_axis: 0 where the first axis counts independent samples; None.

    Returns:
        A Jacobian of shape [N, M], or [B, N, M]: computed when it is indexed, differentiable again. With several
        inputs or outputs a tuple of them, with both a tuple of tuples.

    Raises:
        ValueError: a tensor has too many axes, or ``batch_axis`` is something else.
    """
    if isinstance(ys, (list, tuple)):
        return tuple(jacobian(y, xs, batch_axis) for y in ys)
    if isinstance(xs, (list, tuple)):
        return tuple(jacobian(ys, x, batch_axis) for x in xs)
    _check(ys, xs, batch_axis, "jacobian")
    return Jacobian(ys, xs, batch_axis is not None)  # type: ignore[arg-type]  # sequences have returned above


def hessian(ys: Tensor, xs: Tensors, batch_axis: Optional[int] = None) -> Any:
    """Return the second derivatives of a number by inputs.

    Args:
        ys: one number, of shape [] or [1]; with a batch [B] or [B, 1].
        xs: the inputs that it was computed from, of at most one axis, of at most two with a batch.
        batch_axis: 0 where the first axis counts independent samples; None.

    Returns:
        A Hessian of shape [M, M], or [B, M, M]: computed when it is indexed. With several inputs a tuple of tuples.

    Raises:
        ValueError: ``ys`` is more than one number, a tensor has too many axes, or ``batch_axis`` is something else.
    """
    inputs: list[Any] = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    for x in inputs:
        _check(ys, x, batch_axis, "hessian")
    if ys.shape[0 if batch_axis is None else 1 :] not in ([], [1]):
        raise ValueError(f"hessian: ys must be one number, but its shape is {ys.shape}")
    first = grad([ys.sum()], inputs, create_graph=True, allow_unused=True)
    batched = batch_axis is not None
    rows = []
    for x, gradient in zip(inputs, first):
        gradient = zeros(x.shape, x.dtype) if gradient is None else gradient
        rows.append(tuple(Hessian(gradient, other, batched) for other in inputs))
    return tuple(rows) if isinstance(xs, (list, tuple)) else rows[0][0]


def _check(ys: Any, xs: Any, batch_axis: Optional[int], caller: str) -> None:
    if batch_axis not in (None, 0):
        raise ValueError(f"{caller}: batch_axis must be None or 0, not {batch_axis!r}")
    least, most = (0, 1) if batch_axis is None else (1, 2)
    for name, tensor in (("ys", ys), ("xs", xs)):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{caller}: {name} must be a Tensor, not {type(tensor).__name__}")
        if not least <= tensor.ndim <= most:
            raise ValueError(
                f"{caller}: {name} must have {least} or {most} axes with batch_axis={batch_axis}, but its shape is"
                f" {tensor.shape}: reshape it"
            )
