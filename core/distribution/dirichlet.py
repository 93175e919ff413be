"""The Dirichlet distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core.distribution.distribution import as_value, parameters
from core.distribution.exponential_family import ExponentialFamily
from core.kernels.dispatch.errors import OperatorError
from core.operators.creation._gamma_draws import log_gamma_draws
from core.tensor import Tensor


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution over probabilities that add up to 1.

    Args:
        concentration: Above 0, shape batch_shape + (categories,).

    Raises:
        OperatorError: the concentration is 0-D.
    """

    def __init__(self, concentration: Any) -> None:
        (self.concentration,) = parameters("Dirichlet", concentration=concentration)
        if self.concentration.ndim < 1:
            raise OperatorError("Dirichlet: concentration has one number for each category, but is 0-D")
        super().__init__(self.concentration.shape[:-1], self.concentration.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (core.square(total) * (total + 1))

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw without a gradient."""
        with core.no_grad():
            draws = log_gamma_draws(core.broadcast_to(self.concentration, self._extend_shape(shape)))
            return core.operators.softmax(draws, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of probabilities."""
        value = as_value(value, self.concentration.dtype)
        logs = ((self.concentration - 1) * core.log(value)).sum(-1)
        return logs - self._log_normalizer(self.concentration)

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        total = self.concentration.sum(-1)
        return (
            self._log_normalizer(self.concentration)
            + (total - self.concentration.shape[-1]) * core.digamma(total)
            - ((self.concentration - 1) * core.digamma(self.concentration)).sum(-1)
        )

    def _log_normalizer(self, *parameters: Tensor) -> Tensor:
        (concentration,) = parameters
        return core.lgamma(concentration).sum(-1) - core.lgamma(concentration.sum(-1))
