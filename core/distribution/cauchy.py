"""The Cauchy distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import core
from core.distribution.distribution import Distribution, as_value, open_uniform, parameters
from core.tensor import Tensor


class Cauchy(Distribution):
    """The Cauchy distribution, which has neither mean nor variance.

    Args:
        loc: The median: a number or Tensor.
        scale: Half the distance of the quartiles, above 0.
        name: Unused, as in Paddle.
    """

    def __init__(self, loc: Any, scale: Any, name: Optional[str] = None) -> None:
        self.loc, self.scale = parameters("Cauchy", loc=loc, scale=scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """Does not exist.

        Raises:
            ValueError: always.
        """
        raise ValueError("Cauchy distribution has no mean")

    @property
    def variance(self) -> Tensor:
        """Does not exist.

        Raises:
            ValueError: always.
        """
        raise ValueError("Cauchy distribution has no variance")

    @property
    def stddev(self) -> Tensor:
        """Does not exist.

        Raises:
            ValueError: always.
        """
        raise ValueError("Cauchy distribution has no stddev")

    def sample(self, shape: Sequence[int] = (), name: Optional[str] = None) -> Tensor:
        """Draw without a gradient."""
        return super().sample(shape)

    def rsample(self, shape: Sequence[int] = (), name: Optional[str] = None) -> Tensor:
        """Draw so that gradients flow into the parameters."""
        noise = open_uniform(self._extend_shape(shape), self.loc)
        return self.loc + self.scale * core.tan(math.pi * (noise - 0.5))

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        return core.log(self.scale) + math.log(4 * math.pi)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of a value."""
        distance = (as_value(value, self.loc.dtype) - self.loc) / self.scale
        return -core.log1p(core.square(distance)) - core.log(self.scale) - math.log(math.pi)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a draw up to a value."""
        return core.atan((as_value(value, self.loc.dtype) - self.loc) / self.scale) / math.pi + 0.5
