"""Kullback-Leibler divergences, found by the classes of the two distributions."""

from __future__ import annotations

from typing import Any, Callable

import core
from core.distribution.bernoulli import Bernoulli
from core.distribution.beta import Beta
from core.distribution.categorical import Categorical
from core.distribution.cauchy import Cauchy
from core.distribution.dirichlet import Dirichlet
from core.distribution.distribution import Distribution, register_divergence
from core.distribution.exponential_family import ExponentialFamily, over_event
from core.distribution.geometric import Geometric
from core.distribution.laplace import Laplace
from core.distribution.lognormal import LogNormal
from core.distribution.normal import Normal
from core.distribution.uniform import Uniform
from core.kernels.dispatch.errors import OperatorTypeError
from core.tensor import Tensor

Divergence = Callable[[Any, Any], Tensor]

_REGISTERED: dict[tuple[type, type], Divergence] = {}


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the Kullback-Leibler divergence from one distribution to another.

    Args:
        p: The distribution that draws come from.
        q: The distribution that they are compared with.

    Returns:
        The divergence in nats, of the batches' shape.

    Raises:
        NotImplementedError: nothing is registered for their classes; see :func:`register_kl`.
    """
    best = None
    for i, first in enumerate(type(p).__mro__):
        for j, second in enumerate(type(q).__mro__):
            if (first, second) in _REGISTERED and (best is None or (i + j, i) < best[0]):
                best = (i + j, i), _REGISTERED[first, second]
    if best is None:
        raise NotImplementedError(
            f"kl_divergence: nothing is registered for {type(p).__name__} and {type(q).__name__}: use register_kl"
        )
    return best[1](p, q)


def register_kl(cls_p: type, cls_q: type) -> Callable[[Divergence], Divergence]:
    """Return a decorator that makes a function the divergence between two classes of distributions.

    Args:
        cls_p: Class of the distribution that draws come from.
        cls_q: Class of the distribution that they are compared with.

    Returns:
        The decorator; the function takes the two distributions.

    Raises:
        OperatorTypeError: one is no class of distributions.
    """
    for given in (cls_p, cls_q):
        if not (isinstance(given, type) and issubclass(given, Distribution)):
            raise OperatorTypeError(f"register_kl: expects subclasses of Distribution, got {given!r}")

    def decorate(function: Divergence) -> Divergence:
        _REGISTERED[cls_p, cls_q] = function
        return function

    return decorate


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    return p.kl_divergence(q)


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    return p.kl_divergence(q)


@register_kl(LogNormal, LogNormal)
def _lognormal(p: LogNormal, q: LogNormal) -> Tensor:
    return p._base.kl_divergence(q._base)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    outside = (p.low < q.low).logical_or(p.high > q.high)
    value = core.log(q.high - q.low) - core.log(p.high - p.low)
    return core.where(outside, core.full_like(value, float("inf")), value)


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, core.abs(p.loc - q.loc)
    return -core.log(ratio) + (ratio * core.exp(-distance / p.scale) + distance / q.scale - 1)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    total = core.square(p.scale + q.scale) + core.square(p.loc - q.loc)
    return core.log(total / (4 * p.scale * q.scale))


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    first: Any = p.probs
    zero, other_zero = core.operators.log_sigmoid(-p.logits), core.operators.log_sigmoid(-q.logits)
    one, other_one = core.operators.log_sigmoid(p.logits), core.operators.log_sigmoid(q.logits)
    return first * (one - other_one) + (1 - first) * (zero - other_zero)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    """Return the divergence of one trial, as Paddle defines it: ``p.probs`` times that of the number of failures."""
    first: Any = p.probs
    second: Any = q.probs
    return first * core.log(first / second) + (1 - first) * (core.log1p(-first) - core.log1p(-second))


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    total = p.alpha + p.beta
    return (
        q._log_normalizer(q.alpha, q.beta)
        - p._log_normalizer(p.alpha, p.beta)
        + (p.alpha - q.alpha) * core.digamma(p.alpha)
        + (p.beta - q.beta) * core.digamma(p.beta)
        + (q.alpha + q.beta - total) * core.digamma(total)
    )


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    first, second = p.concentration, q.concentration
    spread = core.digamma(first) - core.digamma(first.sum(-1, keepdim=True))
    return q._log_normalizer(second) - p._log_normalizer(first) + ((first - second) * spread).sum(-1)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """Return the Bregman divergence of the log normalizers."""
    if type(p) is not type(q):
        raise NotImplementedError(
            f"kl_divergence: nothing is registered for {type(p).__name__} and {type(q).__name__}: use register_kl"
        )
    natural, normalizer, means = p._normalized()
    others = list(q._natural_parameters)
    result = q._log_normalizer(*others) - normalizer
    for parameter, other, mean in zip(natural, others, means):
        result = result - over_event((other - parameter) * mean, p)
    return result


register_divergence(kl_divergence)
