"""The Gumbel distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core.distribution.distribution import Distribution, as_value, open_uniform, parameters
from core.tensor import Tensor


class Gumbel(Distribution):
    """The Gumbel distribution: how large the largest of many numbers is.

    Args:
        loc: The mode: a number or Tensor.
        scale: The spread, above 0.
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = parameters("Gumbel", loc=loc, scale=scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        return self.loc + self.scale * float(np.euler_gamma)

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        return core.square(self.scale) * (math.pi**2 / 6)

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return core.sqrt(self.variance)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw so that gradients flow into the parameters."""
        noise = open_uniform(self._extend_shape(shape), self.loc)
        return self.loc - self.scale * core.log(-core.log(noise))

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        return core.log(self.scale) + (1 + float(np.euler_gamma))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of a value."""
        distance = (as_value(value, self.loc.dtype) - self.loc) / self.scale
        return -(distance + core.exp(-distance)) - core.log(self.scale)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a draw up to a value."""
        return core.exp(-core.exp(-(as_value(value, self.loc.dtype) - self.loc) / self.scale))
