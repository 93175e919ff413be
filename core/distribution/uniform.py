"""The uniform distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import core
from core.distribution.distribution import Distribution, as_value, parameters
from core.tensor import Tensor


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    Args:
        low: Where it begins: a number, list, array or Tensor.
        high: Where it ends.
        name: Unused, as in Paddle.
    """

    def __init__(self, low: Any, high: Any, name: Optional[str] = None) -> None:
        self.low, self.high = parameters("Uniform", low=low, high=high)
        super().__init__(self.low.shape)

    @property
    def mean(self) -> Tensor:
        """The middle."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        return core.square(self.high - self.low) / 12

    def sample(self, shape: Sequence[int] = (), seed: int = 0) -> Tensor:
        """Draw without a gradient.

        Args:
            shape: How many draws of each distribution.
            seed: Not 0: reset all random numbers first; see :func:`core.seed`.
        """
        if seed:
            core.seed(seed)
        return super().sample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw so that gradients flow into the parameters."""
        noise = core.uniform(self._extend_shape(shape), self.low.dtype, 0.0, 1.0)
        return self.low + noise * (self.high - self.low)

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        return core.log(self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of a value: minus infinity outside."""
        value = as_value(value, self.low.dtype)
        inside = core.cast((self.low < value).logical_and(value < self.high), value.dtype)
        return core.log(inside) - core.log(self.high - self.low)

    def prob(self, value: Tensor) -> Tensor:
        """Return the density of a value: 0 outside."""
        value = as_value(value, self.low.dtype)
        inside = core.cast((self.low < value).logical_and(value < self.high), value.dtype)
        return inside / (self.high - self.low)
