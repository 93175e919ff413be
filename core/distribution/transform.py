"""Transforms of random tensors that know how they change volumes; those made of others are in transform_compound."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import Any, Callable

import core
from core.distribution.distribution import Distribution
from core.kernels.dispatch.errors import OperatorTypeError
from core.nn import functional as F
from core.tensor import Tensor


class Type(enum.Enum):
    """What is known about a transform: whether it is one to one, and whether it reaches every value."""

    BIJECTION = "bijection"
    INJECTION = "injection"
    SURJECTION = "surjection"
    OTHER = "other"


_COMPOSED: dict[type, Callable[..., Any]] = {}


def register_composed(applied_to: type, made: Callable[..., Any]) -> None:
    """Register what a transform applied to a Distribution, or to another Transform, makes."""
    _COMPOSED[applied_to] = made


class Transform:
    """A differentiable function of a random tensor, with its inverse and the logarithm of its volume change.

    A subclass defines ``_forward``, ``_inverse`` and one of ``_forward_log_det_jacobian`` and
    ``_inverse_log_det_jacobian``; also ``_forward_shape`` and ``_inverse_shape`` where shapes change, and the class
    attributes ``_type``, ``_domain_event_rank`` and ``_codomain_event_rank`` (how many last axes are one value).
    """

    _type = Type.INJECTION
    _domain_event_rank = 0
    _codomain_event_rank = 0

    def __call__(self, input: Any) -> Any:  # noqa: A002 - Paddle's name
        """Transform a Tensor, or a Distribution; of another Transform make the chain that begins with this one."""
        if isinstance(input, Distribution):
            return _COMPOSED[Distribution](input, [self])
        if isinstance(input, Transform):
            return _COMPOSED[Transform]([self, input])
        return self.forward(input)

    def forward(self, x: Tensor) -> Tensor:
        """Return the transformed tensor."""
        return self._forward(_tensor(self, x, self._domain_event_rank))

    def inverse(self, y: Tensor) -> Any:
        """Return what was transformed; a pair of tensors where two values lead to one."""
        return self._inverse(_tensor(self, y, self._codomain_event_rank))

    def forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        """Return the logarithm of the volume change at x.

        Raises:
            NotImplementedError: the transform is not one to one.
        """
        x = _tensor(self, x, self._domain_event_rank)
        if not self._is_injective():
            raise NotImplementedError(
                f"{type(self).__name__}: it is not one to one, so its volume change has no meaning"
            )
        if _defines(self, "_forward_log_det_jacobian"):
            return self._forward_log_det_jacobian(x)
        if _defines(self, "_inverse_log_det_jacobian"):
            return -self._inverse_log_det_jacobian(self.forward(x))
        raise self._unknown_change()

    def inverse_log_det_jacobian(self, y: Tensor) -> Any:
        """Return the logarithm of the inverse's volume change at y."""
        y = _tensor(self, y, self._codomain_event_rank)
        if _defines(self, "_inverse_log_det_jacobian"):
            return self._inverse_log_det_jacobian(y)
        if _defines(self, "_forward_log_det_jacobian"):
            return -self._forward_log_det_jacobian(self._inverse(y))
        raise self._unknown_change()

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape that a tensor of a given shape is transformed to."""
        return self._forward_shape(_shape(self, shape))

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of what is transformed to a tensor of a given shape."""
        return self._inverse_shape(_shape(self, shape))

    def _is_injective(self) -> bool:
        return self._type in (Type.BIJECTION, Type.INJECTION)

    def _unknown_change(self) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__}: its volume change is not defined")

    def _forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__}: _forward is not defined")

    def _inverse(self, y: Tensor) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: _inverse is not defined")

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        raise self._unknown_change()

    def _inverse_log_det_jacobian(self, y: Tensor) -> Any:
        raise self._unknown_change()

    def _forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape

    def _inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape


def _defines(transform: Transform, method: str) -> bool:
    return getattr(type(transform), method) is not getattr(Transform, method)


def _tensor(transform: Transform, x: Any, rank: int) -> Tensor:
    if not isinstance(x, Tensor):
        raise OperatorTypeError(f"{type(transform).__name__}: expects a Tensor, got {type(x).__name__}")
    if x.ndim < rank:
        raise ValueError(f"{type(transform).__name__}: expects at least {rank} axes, got shape {x.shape}")
    return x


def _shape(transform: Transform, shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, (list, tuple)):
        raise OperatorTypeError(f"{type(transform).__name__}: a shape is a list of ints, got {shape!r}")
    return tuple(shape)


class AbsTransform(Transform):
    """y = abs(x); its inverse is the pair (-y, y)."""

    _type = Type.SURJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return core.abs(x)

    def _inverse(self, y: Tensor) -> tuple[Tensor, Tensor]:
        return -y, y

    def _inverse_log_det_jacobian(self, y: Tensor) -> tuple[Tensor, Tensor]:
        zero = core.zeros([], y.dtype)
        return zero, zero


class AffineTransform(Transform):
    """y = loc + scale · x.

    Args:
        loc: What is added, a Tensor.
        scale: What x is multiplied with, a Tensor without zeros.

    Raises:
        OperatorTypeError: one of them is no Tensor.
    """

    _type = Type.BIJECTION

    def __init__(self, loc: Tensor, scale: Tensor) -> None:
        self._loc = _tensor(self, loc, 0)
        self._scale = _tensor(self, scale, 0)

    @property
    def loc(self) -> Tensor:
        """What is added."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """What x is multiplied with."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        return self._loc + self._scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return core.log(core.abs(self._scale))

    def _forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        parts = core.broadcast_shape(self._loc.shape, self._scale.shape)
        return tuple(core.broadcast_shape(list(shape), parts))

    def _inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self._forward_shape(shape)


class ExpTransform(Transform):
    """y = exp(x)."""

    _type = Type.BIJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return core.exp(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return core.log(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """y = x ** power, for x above 0.

    Args:
        power: A Tensor without zeros.

    Raises:
        OperatorTypeError: it is no Tensor.
    """

    _type = Type.BIJECTION

    def __init__(self, power: Tensor) -> None:
        self._power = _tensor(self, power, 0)

    @property
    def power(self) -> Tensor:
        """The exponent."""
        return self._power

    def _forward(self, x: Tensor) -> Tensor:
        return core.pow(x, self._power)

    def _inverse(self, y: Tensor) -> Tensor:
        return core.pow(y, 1 / self._power)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return core.log(core.abs(self._power * core.pow(x, self._power - 1)))

    def _forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(core.broadcast_shape(list(shape), self._power.shape))

    def _inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self._forward_shape(shape)


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x))."""

    def _forward(self, x: Tensor) -> Tensor:
        return F.sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return core.log(y) - core.log1p(-y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -F.softplus(-x) - F.softplus(x)


class SoftmaxTransform(Transform):
    """y = softmax(x) over the last axis; its inverse is log(y), one of many."""

    _type = Type.OTHER
    _domain_event_rank = 1
    _codomain_event_rank = 1

    def _forward(self, x: Tensor) -> Tensor:
        return F.softmax(x, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return core.log(y)


class StickBreakingTransform(Transform):
    """From n numbers to n + 1 probabilities: each breaks its share off what is left of a stick."""

    _type = Type.BIJECTION
    _domain_event_rank = 1
    _codomain_event_rank = 1

    def _forward(self, x: Tensor) -> Tensor:
        shares = F.sigmoid(self._centred(x))
        one = core.ones([*x.shape[:-1], 1], x.dtype)
        left = core.cumprod(1 - shares, -1)
        return core.concat([shares, one], -1) * core.concat([one, left], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        broken = y[..., :-1]
        left = 1 - core.cumsum(broken, -1)
        return core.log(broken) - core.log(left) + self._log_remaining(broken)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        centred = self._centred(x)
        return (-centred + F.log_sigmoid(centred) + core.log(self.forward(x)[..., :-1])).sum(-1)

    def _centred(self, x: Tensor) -> Tensor:
        return x - self._log_remaining(x)

    def _log_remaining(self, x: Tensor) -> Tensor:
        return core.log(core.arange(x.shape[-1], 0, -1, dtype=x.dtype))

    def _forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:-1], _last(self, shape) + 1)

    def _inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:-1], _last(self, shape) - 1)


def _last(transform: Transform, shape: tuple[int, ...]) -> int:
    if not shape:
        raise ValueError(f"{type(transform).__name__}: expects at least 1 axis, got shape []")
    return shape[-1]


class TanhTransform(Transform):
    """y = tanh(x)."""

    _type = Type.BIJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return core.tanh(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return core.atanh(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return 2 * (math.log(2) - x - F.softplus(-2 * x))
