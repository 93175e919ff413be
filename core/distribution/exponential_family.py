"""Exponential families: entropy and divergence from the gradient of the log normalizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core.autograd import grad
from core.distribution.distribution import Distribution
from core.tensor import Tensor


class ExponentialFamily(Distribution):
    """A family with density h(x) · exp(<natural parameters, t(x)> - log normalizer); see :class:`Distribution`.

    A subclass that has no formula of its own for the entropy defines ``_natural_parameters`` (a tuple of tensors),
    ``_log_normalizer`` of them, and ``_mean_carrier_measure``, the mean of log h. Nielsen and Nock, arXiv 0911.4863.

    Args:
        batch_shape: Shape of the independent distributions that one object holds.
        event_shape: Shape of one draw of one of them.
    """

    @property
    def _natural_parameters(self) -> Sequence[Tensor]:
        raise self._missing("entropy or _natural_parameters")

    def _log_normalizer(self, *parameters: Tensor) -> Tensor:
        raise self._missing("entropy or _log_normalizer")

    @property
    def _mean_carrier_measure(self) -> Any:
        raise self._missing("entropy or _mean_carrier_measure")

    def entropy(self) -> Tensor:
        """Return the entropy in nats."""
        natural, normalizer, means = self._normalized()
        result = normalizer - self._mean_carrier_measure
        for parameter, mean in zip(natural, means):
            result = result - over_event(parameter * mean, self)
        return result

    def _normalized(self) -> tuple[list[Tensor], Tensor, list[Tensor]]:
        """Return the natural parameters, their log normalizer, and its gradient: the means of the statistics."""
        natural = [parameter + 0.0 for parameter in self._natural_parameters]
        with core.enable_grad():
            for parameter in natural:
                if parameter.stop_gradient:
                    parameter.stop_gradient = False
            normalizer = self._log_normalizer(*natural)
            means = grad(normalizer.sum(), natural, create_graph=core.is_grad_enabled())
        return natural, normalizer, [mean for mean in means if mean is not None]


def over_event(x: Tensor, owner: Distribution) -> Tensor:
    """Sum over the axes of one draw."""
    axes = len(owner.event_shape)
    return x.sum(list(range(x.ndim - axes, x.ndim))) if axes else x
