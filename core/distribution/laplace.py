"""The Laplace distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import core
from core.distribution.distribution import Distribution, as_value, open_uniform, parameters
from core.tensor import Tensor


class Laplace(Distribution):
    """The Laplace distribution.

    Args:
        loc: The mean: a number or Tensor.
        scale: The mean distance from it, above 0.
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = parameters("Laplace", loc=loc, scale=scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """The expected value, ``loc``."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.scale * math.sqrt(2)

    @property
    def variance(self) -> Tensor:
        """The squared standard deviation."""
        return 2 * core.square(self.scale)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw so that gradients flow into the parameters."""
        return self.icdf(open_uniform(self._extend_shape(shape), self.loc))

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        return core.log(self.scale) + (1 + math.log(2))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of a value."""
        value = as_value(value, self.loc.dtype)
        return -core.abs(value - self.loc) / self.scale - core.log(2 * self.scale)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a draw up to a value."""
        distance = as_value(value, self.loc.dtype) - self.loc
        return 0.5 - 0.5 * core.sign(distance) * core.expm1(-core.abs(distance) / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        """Return up to where draws lie with a given probability; the inverse of :meth:`cdf`."""
        centred = as_value(value, self.loc.dtype) - 0.5
        return self.loc - self.scale * core.sign(centred) * core.log1p(-2 * core.abs(centred))
