"""The categorical distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import core
from core.distribution.distribution import Distribution, parameters
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.nn import functional as F
from core.operators.indexing.gathering import index_argument
from core.tensor import Tensor


class Categorical(Distribution):
    """The distribution of one of several categories.

    As in Paddle, draws and probabilities take ``logits`` as weights that are divided by their sum, but entropy and
    divergence take them as logarithms of weights: softmax(logits).

    Args:
        logits: Shape batch_shape + (categories,): a list, array or Tensor; not negative where draws are wanted.
        name: Unused, as in Paddle.

    Raises:
        OperatorError: logits are 0-D.
    """

    def __init__(self, logits: Any, name: Optional[str] = None) -> None:
        (self.logits,) = parameters("Categorical", logits=logits)
        if self.logits.ndim < 1:
            raise OperatorError("Categorical: logits have one number for each category, but are 0-D")
        super().__init__(self.logits.shape[:-1])
        self._prob = self.logits / self.logits.sum(-1, keepdim=True)

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Draw int64 categories, of shape ``shape + batch_shape``."""
        wanted = self._extend_shape(shape)
        count = 1
        for size in wanted[: len(wanted) - len(self.batch_shape)]:
            count *= size
        if 0 in wanted:
            return core.zeros(wanted, "int64")
        with core.no_grad():
            rows = self.logits.reshape([-1, self.logits.shape[-1]])
            return core.multinomial(rows, count, True).t().reshape(wanted)

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        logs = F.log_softmax(self.logits, -1)
        return -(core.exp(logs) * logs).sum(-1)

    def prob(self, value: Tensor) -> Tensor:
        """Return the probability of categories; see :meth:`probs`."""
        return self.probs(value)

    def probs(self, value: Tensor) -> Tensor:
        """Return the probabilities of categories.

        Args:
            value: int64 categories, the last axis along those asked of one distribution; 1-D asks all of them the same.

        Returns:
            The value's shape, with the batch's shape in front of a 1-D value.
        """
        index = index_argument(value, "Categorical.probs", "value")
        if self._prob.ndim == 1:
            return core.gather(self._prob, index.reshape([-1])).reshape(index.shape)
        if index.ndim == 1:
            index = core.broadcast_to(index, [*self._prob.shape[:-1], index.shape[0]])
        batch = core.broadcast_shape(self._prob.shape[:-1], index.shape[:-1])
        table = core.broadcast_to(self._prob, [*batch, self._prob.shape[-1]])
        return core.take_along_axis(table, core.broadcast_to(index, [*batch, index.shape[-1]]), -1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithms of the probabilities of categories; see :meth:`probs`."""
        return core.log(self.probs(value))

    def kl_divergence(self, other: Distribution) -> Tensor:
        """Return the Kullback-Leibler divergence to another one, with a last axis of size 1, as in Paddle.

        Raises:
            OperatorTypeError: the other one is not categorical.
        """
        if not isinstance(other, Categorical):
            raise OperatorTypeError(f"Categorical.kl_divergence: other must be Categorical, got {type(other).__name__}")
        logs, others = F.log_softmax(self.logits, -1), F.log_softmax(other.logits, -1)
        return (core.exp(logs) * (logs - others)).sum(-1, keepdim=True)
