"""What all distributions share: shapes, the derived probabilities, and how parameters become tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

import core
from core.kernels.dispatch.errors import OperatorTypeError
from core.kernels.dtypes import DType, float32, float64
from core.operators._arguments import broadcast_shape, common_dtype, shape_argument
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, default_dtype

_DIVERGENCE: list[Callable[[Distribution, Distribution], Tensor]] = []


def register_divergence(function: Callable[[Distribution, Distribution], Tensor]) -> None:
    """Register what computes divergences: core.distribution.kl, which knows all distributions."""
    _DIVERGENCE[:] = [function]


class Distribution:
    """A probability distribution over tensors.

    Args:
        batch_shape: Shape of the independent distributions that one object holds.
        event_shape: Shape of one draw of one of them.
    """

    def __init__(self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = ()) -> None:
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the independent distributions that this object holds."""
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The shape of one draw of one of them."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        raise self._missing("mean")

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        raise self._missing("variance")

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw without a gradient.

        Args:
            shape: How many draws of each distribution.

        Returns:
            A tensor of shape ``shape + batch_shape + event_shape``.
        """
        with core.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw so that gradients flow into the parameters.

        Args:
            shape: How many draws of each distribution.

        Returns:
            A tensor of shape ``shape + batch_shape + event_shape``.
        """
        raise self._missing("rsample")

    def entropy(self) -> Tensor:
        """Return the entropy in nats, of shape ``batch_shape``."""
        raise self._missing("entropy")

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, or of the probability, of a value.

        Args:
            value: Broadcastable to ``batch_shape + event_shape``.
        """
        raise self._missing("log_prob")

    def prob(self, value: Tensor) -> Tensor:
        """Return the density, or the probability, of a value; see :meth:`log_prob`."""
        return core.exp(self.log_prob(value))

    def probs(self, value: Tensor) -> Tensor:
        """Return the same as :meth:`prob`."""
        return self.prob(value)

    def kl_divergence(self, other: Distribution) -> Tensor:
        """Return the Kullback-Leibler divergence from this distribution to another, in nats."""
        return _DIVERGENCE[0](self, other)

    def _missing(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__}: {what} is not defined")

    def _extend_shape(self, sample_shape: Sequence[int]) -> list[int]:
        """Return the shape of draws."""
        return [*shape_argument(sample_shape, type(self).__name__), *self._batch_shape, *self._event_shape]


def parameters(owner: str, **given: Any) -> list[Tensor]:
    """Return a distribution's parameters as floating-point tensors of one shape and type.

    Args:
        owner: The distribution's name, for messages.
        given: Parameters by name: numbers, lists, arrays or tensors.

    Raises:
        OperatorTypeError: one is none of these, or an integer tensor.
    """
    strong = [_own_dtype(owner, name, value) for name, value in given.items()]
    known = [dtype for dtype in strong if dtype is not None]
    dtype = common_dtype(*known) if known else default_dtype()
    tensors = []
    for value in given.values():
        tensor = value if isinstance(value, Tensor) else Tensor(np.asarray(value, np.float64), dtype=dtype)
        tensors.append(tensor if tensor.dtype is dtype else core.cast(tensor, dtype))
    shape = broadcast_shape(*[tensor.shape for tensor in tensors], caller=owner)
    return [tensor if tuple(tensor.shape) == shape else broadcast_to(tensor, shape) for tensor in tensors]


def _own_dtype(owner: str, name: str, value: Any) -> Any:
    """Return the type that a parameter insists on, or None for plain numbers."""
    if isinstance(value, Tensor):
        if not value.dtype.is_floating:
            raise OperatorTypeError(
                f"{owner}: {name} must be floating-point, got {value.dtype.name}: cast it to float32"
            )
        return value.dtype
    if isinstance(value, np.ndarray):
        return float64 if value.dtype == np.float64 else float32
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return None
    if isinstance(value, (list, tuple)) and np.asarray(value).dtype.kind in "fiu":
        return None
    raise OperatorTypeError(f"{owner}: {name} is a number, a list of numbers or a Tensor, got {value!r}")


def as_value(value: Any, dtype: DType) -> Tensor:
    """Return the value whose probability is asked as a tensor of the parameters' type."""
    tensor = value if isinstance(value, Tensor) else Tensor(value, dtype=dtype)
    return tensor if tensor.dtype is dtype else core.cast(tensor, dtype)


def open_uniform(shape: Sequence[int], like: Tensor) -> Tensor:
    """Draw from (0, 1), both ends excluded, in another tensor's type."""
    wide = like.dtype if like.dtype is float64 else float32
    small = 1e-16 if wide is float64 else 1e-7
    return core.cast(core.clip(core.uniform(list(shape), wide, 0.0, 1.0), small, 1.0 - small), like.dtype)
