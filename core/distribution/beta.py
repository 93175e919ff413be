"""The beta distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core.distribution.distribution import as_value, parameters
from core.distribution.exponential_family import ExponentialFamily
from core.operators.creation._gamma_draws import log_gamma_draws
from core.tensor import Tensor


class Beta(ExponentialFamily):
    """The beta distribution on (0, 1).

    Args:
        alpha: The first concentration, above 0: a number or Tensor.
        beta: The second one.
    """

    def __init__(self, alpha: Any, beta: Any) -> None:
        self.alpha, self.beta = parameters("Beta", alpha=alpha, beta=beta)
        super().__init__(self.alpha.shape)

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (core.square(total) * (total + 1))

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw without a gradient."""
        with core.no_grad():
            wanted = self._extend_shape(shape)
            draws = [log_gamma_draws(core.broadcast_to(x, wanted)) for x in (self.alpha, self.beta)]
            return core.sigmoid(draws[0] - draws[1])

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of a value."""
        value = as_value(value, self.alpha.dtype)
        logs = (self.alpha - 1) * core.log(value) + (self.beta - 1) * core.log1p(-value)
        return logs - self._log_normalizer(self.alpha, self.beta)

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        total = self.alpha + self.beta
        return (
            self._log_normalizer(self.alpha, self.beta)
            - (self.alpha - 1) * core.digamma(self.alpha)
            - (self.beta - 1) * core.digamma(self.beta)
            + (total - 2) * core.digamma(total)
        )

    def _log_normalizer(self, *parameters: Tensor) -> Tensor:
        alpha, beta = parameters
        return core.lgamma(alpha) + core.lgamma(beta) - core.lgamma(alpha + beta)
