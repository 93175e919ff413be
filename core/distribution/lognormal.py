"""The log-normal distribution."""

from __future__ import annotations

from typing import Any

import core
from core.distribution.normal import Normal
from core.distribution.transform import ExpTransform
from core.distribution.transformed_distribution import TransformedDistribution
from core.tensor import Tensor


class LogNormal(TransformedDistribution):
    """The distribution of numbers whose logarithm is normal.

    Args:
        loc: The logarithm's mean: a number, list, array or Tensor.
        scale: The logarithm's standard deviation, above 0.
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self._base = Normal(loc, scale)
        self.loc, self.scale = self._base.loc, self._base.scale
        super().__init__(self._base, [ExpTransform()])

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        return core.exp(self.loc + core.square(self.scale) / 2)

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        return core.expm1(core.square(self.scale)) * core.exp(2 * self.loc + core.square(self.scale))

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        return self._base.entropy() + self.loc
