"""The geometric distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core.distribution.distribution import Distribution, as_value, open_uniform, parameters
from core.tensor import Tensor


class Geometric(Distribution):
    """The distribution of the number of failures before the first success.

    Args:
        probs: The probability of success, above 0: a number or Tensor.
    """

    probs: Any  # in Paddle the parameter hides the method, too

    def __init__(self, probs: Any) -> None:
        (self.probs,) = parameters("Geometric", probs=probs)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        return 1 / self.probs - 1

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        return (1 / self.probs - 1) / self.probs

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return core.sqrt(self.variance)

    def pmf(self, k: Any) -> Tensor:
        """Return the probability of k failures."""
        return core.exp(self.log_pmf(k))

    def log_pmf(self, k: Any) -> Tensor:
        """Return the logarithm of the probability of k failures."""
        return as_value(k, self.probs.dtype) * core.log1p(-self.probs) + core.log(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the same as :meth:`log_pmf`."""
        return self.log_pmf(value)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw; rounding lets no gradient through."""
        noise = open_uniform(self._extend_shape(shape), self.probs)
        return core.floor(core.log(noise) / core.log1p(-self.probs))

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        fail = 1 - self.probs
        return -(fail * core.log(fail) + self.probs * core.log(self.probs)) / self.probs

    def cdf(self, k: Any) -> Tensor:
        """Return the probability of at most k failures."""
        return 1 - core.exp((as_value(k, self.probs.dtype) + 1) * core.log1p(-self.probs))
