"""Distributions whose last batch axes are taken as one draw."""

from __future__ import annotations

from collections.abc import Sequence

from core.distribution.distribution import Distribution
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.tensor import Tensor


class Independent(Distribution):
    """Take the last batch axes of a distribution as part of one draw.

    Args:
        base: The distribution.
        reinterpreted_batch_rank: How many of its batch axes.

    Raises:
        OperatorError: it has not so many.
        OperatorTypeError: base is no distribution.
    """

    def __init__(self, base: Distribution, reinterpreted_batch_rank: int) -> None:
        if not isinstance(base, Distribution):
            raise OperatorTypeError(f"Independent: base must be a Distribution, got {type(base).__name__}")
        rank = int(reinterpreted_batch_rank)
        if not 1 <= rank <= len(base.batch_shape):
            raise OperatorError(
                f"Independent: reinterpreted_batch_rank {rank} must lie within 1 and {len(base.batch_shape)}, the"
                f" batch axes of {type(base).__name__}"
            )
        self._base = base
        self._rank = rank
        shape = base.batch_shape + base.event_shape
        super().__init__(shape[: len(base.batch_shape) - rank], shape[len(base.batch_shape) - rank :])

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        return self._base.mean

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        return self._base.variance

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw without a gradient."""
        return self._base.sample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw so that gradients flow into the parameters."""
        return self._base.rsample(shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, or of the probability, of a value."""
        return sum_last(self._base.log_prob(value), self._rank)

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        return sum_last(self._base.entropy(), self._rank)


def sum_last(x: Tensor, axes: int) -> Tensor:
    """Sum over the last axes of a tensor."""
    return x.sum(list(range(x.ndim - axes, x.ndim))) if axes > 0 else x
