"""The distribution of transformed draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.distribution.distribution import Distribution, as_value
from core.distribution.independent import Independent, sum_last
from core.distribution.transform import Transform, register_composed
from core.distribution.transform_compound import ChainTransform, summed_change
from core.kernels.dispatch.errors import OperatorTypeError
from core.tensor import Tensor


class TransformedDistribution(Distribution):
    """The distribution of draws that pass through transforms.

    Args:
        base: The distribution of the draws.
        transforms: A list of transforms, the first one first.

    Raises:
        OperatorTypeError: base is no Distribution, or transforms no list of Transforms.
        ValueError: draws have too few axes for the transforms.
    """

    def __init__(self, base: Distribution, transforms: Sequence[Transform]) -> None:
        if not isinstance(base, Distribution):
            raise OperatorTypeError(f"TransformedDistribution: base must be a Distribution, got {type(base).__name__}")
        chain = ChainTransform(transforms)
        shape = base.batch_shape + base.event_shape
        if len(shape) < chain._domain_event_rank:
            raise ValueError(
                f"TransformedDistribution: the transforms want {chain._domain_event_rank} axes, the draws have shape"
                f" {list(shape)}"
            )
        missing = chain._domain_event_rank - len(base.event_shape)
        self._base = Independent(base, missing) if missing > 0 else base
        self._chain = chain
        final = chain.forward_shape(self._base.batch_shape + self._base.event_shape)
        events = chain._codomain_event_rank + max(len(base.event_shape) - chain._domain_event_rank, 0)
        super().__init__(final[: len(final) - events], final[len(final) - events :])

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw without a gradient."""
        return self._chain.forward(self._base.sample(shape)).detach()

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw so that gradients flow into the parameters."""
        return self._chain.forward(self._base.rsample(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of a value.

        Raises:
            NotImplementedError: a transform is not one to one.
        """
        y = value if isinstance(value, Tensor) else as_value(value, Tensor(value).dtype)
        rank = len(self.event_shape)
        change: Any = 0.0
        for transform in reversed(self._chain.transforms):
            x = transform.inverse(y)
            rank += transform._domain_event_rank - transform._codomain_event_rank
            change = change + summed_change(transform, x, rank - transform._domain_event_rank)
            y = x
        return sum_last(self._base.log_prob(y), rank - len(self._base.event_shape)) - change


register_composed(Distribution, TransformedDistribution)
