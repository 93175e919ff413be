"""The multinomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core.distribution.categorical import Categorical
from core.distribution.distribution import Distribution, as_value, parameters
from core.kernels.dispatch.errors import OperatorError
from core.tensor import Tensor


class Multinomial(Distribution):
    """The distribution of how often each category comes up in several draws.

    Args:
        total_count: Number of draws, at least 1.
        probs: Weights of the categories, which are divided by their sum; shape batch_shape + (categories,).

    Raises:
        OperatorError: there are no draws, or probs are 0-D.
    """

    probs: Any  # in Paddle the parameter hides the method, too

    def __init__(self, total_count: int, probs: Any) -> None:
        if isinstance(total_count, bool) or not hasattr(total_count, "__index__") or int(total_count) < 1:
            raise OperatorError(f"Multinomial: total_count must be a positive integer, got {total_count!r}")
        (weights,) = parameters("Multinomial", probs=probs)
        if weights.ndim < 1:
            raise OperatorError("Multinomial: probs have one number for each category, but are 0-D")
        self.total_count = int(total_count)
        self.probs = weights / weights.sum(-1, keepdim=True)
        self._categorical = Categorical(self.probs)
        super().__init__(weights.shape[:-1], weights.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """The expected counts."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw counts, without a gradient."""
        draws = self._categorical.sample([self.total_count, *self._extend_shape(shape)[: -1 - len(self.batch_shape)]])
        with core.no_grad():
            return core.cast(core.operators.one_hot(draws, self.event_shape[0]).sum(0), self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of counts."""
        value = as_value(value, self.probs.dtype)
        logs = core.log(self.probs)
        impossible = core.cast((value == 0).logical_and(self.probs == 0), value.dtype)
        logs = core.where(impossible > 0, core.zeros_like(logs), logs)
        total = core.lgamma(value.sum(-1) + 1) - core.lgamma(value + 1).sum(-1)
        return total + (logs * value).sum(-1)

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        dtype = self.probs.dtype
        count = core.full([], self.total_count, dtype)
        support = core.arange(1, self.total_count + 1, dtype=dtype).reshape([-1] + [1] * (1 + len(self.batch_shape)))
        ways = core.lgamma(count + 1) - core.lgamma(support + 1) - core.lgamma(count - support + 1)
        small = 1.19e-7 if dtype.size <= 4 else 2.2e-16
        kept = core.clip(self.probs, small, 1 - small)
        binomial = core.exp(ways + support * core.log(kept) + (count - support) * core.log1p(-kept))
        spread = (binomial * core.lgamma(support + 1)).sum([0, -1])
        return self.total_count * -(kept * core.log(kept)).sum(-1) - core.lgamma(count + 1) + spread
