"""The normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import core
from core.distribution.distribution import Distribution, as_value, parameters
from core.kernels.dispatch.errors import OperatorTypeError
from core.tensor import Tensor


class Normal(Distribution):
    """The normal distribution.

    Args:
        loc: The mean: a number, list, array or Tensor.
        scale: The standard deviation, above 0.
        name: Unused, as in Paddle.
    """

    def __init__(self, loc: Any, scale: Any, name: Optional[str] = None) -> None:
        self.loc, self.scale = parameters("Normal", loc=loc, scale=scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """The expected value, ``loc``."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The squared standard deviation."""
        return core.square(self.scale)

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
        return self.loc + self.scale * core.standard_normal(self._extend_shape(shape), self.loc.dtype)

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        return core.log(self.scale) + (0.5 + 0.5 * math.log(2 * math.pi))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of a value."""
        distance = (as_value(value, self.loc.dtype) - self.loc) / self.scale
        return -0.5 * core.square(distance) - core.log(self.scale) - 0.5 * math.log(2 * math.pi)

    def kl_divergence(self, other: Distribution) -> Tensor:
        """Return the Kullback-Leibler divergence to another normal distribution.

        Raises:
            OperatorTypeError: the other one is not normal.
        """
        if not isinstance(other, Normal):
            raise OperatorTypeError(f"Normal.kl_divergence: other must be Normal, got {type(other).__name__}")
        ratio = core.square(self.scale / other.scale)
        distance = core.square((self.loc - other.loc) / other.scale)
        return 0.5 * (ratio + distance - 1 - core.log(ratio))
