"""The Bernoulli distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import core
from core.distribution.distribution import as_value, open_uniform, parameters
from core.distribution.exponential_family import ExponentialFamily
from core.nn import functional as F
from core.tensor import Tensor


class Bernoulli(ExponentialFamily):
    """The distribution of one toss: 1 with a given probability, else 0.

    Args:
        probs: The probability of 1: a number, list, array or Tensor.
        name: Unused, as in Paddle.
    """

    probs: Any  # in Paddle the parameter hides the method, too

    def __init__(self, probs: Any, name: Optional[str] = None) -> None:
        (self.probs,) = parameters("Bernoulli", probs=probs)
        super().__init__(self.probs.shape)
        small = 1.19e-7 if self.probs.dtype.size <= 4 else 2.2e-16
        kept = core.clip(self.probs, small, 1 - small)
        self.logits = core.log(kept) - core.log1p(-kept)

    @property
    def mean(self) -> Tensor:
        """The expected value, ``probs``."""
        return self.probs

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        return self.probs * (1 - self.probs)

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw 0 and 1, without a gradient."""
        with core.no_grad():
            return core.bernoulli(core.broadcast_to(self.probs, self._extend_shape(shape)))

    def rsample(self, shape: Sequence[int] = (), temperature: float = 1.0) -> Tensor:
        """Draw from the relaxed distribution, so that gradients flow into the parameter (arXiv 1611.00712).

        Args:
            shape: How many draws of each distribution.
            temperature: Above 0; the smaller, the closer to 0 or 1 the draws lie.

        Returns:
            Logits of a relaxed draw, whose sigmoid lies within (0, 1).
        """
        noise = open_uniform(self._extend_shape(shape), self.probs)
        return (self.logits + core.log(noise) - core.log1p(-noise)) / temperature

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of a value, 0 or 1."""
        value = as_value(value, self.probs.dtype)
        shape = core.broadcast_shape(self.logits.shape, value.shape)
        logits, value = core.broadcast_to(self.logits, shape), core.broadcast_to(value, shape)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a draw up to a value."""
        value = as_value(value, self.probs.dtype)
        at_zero = core.cast(value >= 0, value.dtype)
        at_one = core.cast(value >= 1, value.dtype)
        return at_zero * (1 - self.probs) + at_one * self.probs
