"""Random numbers whose distribution is given by a tensor, and filling a tensor in place with random numbers."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator, Operator
from core.kernels.dtypes import float32, float64, int64
from core.operators._arguments import need_tensor
from core.operators._methods import in_place
from core.operators.arithmetic.logic import less_than
from core.operators.arithmetic.math import add, divide, floor, log1p, multiply, neg, tan
from core.operators.creation.creation import cast, full_like
from core.operators.creation.random import standard_normal, uniform
from core.tensor import Tensor, apply

_poisson = Operator(
    "poisson", "_sample_poisson", infer=lambda metas, options: [metas[0]], differentiable=False, random=True
)


def _chosen(weights: np.ndarray, noise: np.ndarray, count: int, replacement: bool) -> np.ndarray:
    """Turn uniform noise into categories, by inverting the running sum or by ranking waiting times."""
    weights = weights.astype(np.float64)
    noise = noise.astype(np.float64)
    if replacement:
        running = np.cumsum(weights, axis=-1)
        running /= running[..., -1:]
        return (noise[..., :, None] >= running[..., None, :]).sum(-1).clip(max=weights.shape[-1] - 1)
    with np.errstate(divide="ignore"):
        waiting = -np.log1p(-noise) / weights
    waiting[weights == 0] = np.inf
    return np.argsort(waiting, axis=-1, kind="stable")[..., :count]


_choose = HostOperator(
    "choose_categories",
    _chosen,
    infer=lambda metas, options: [((*metas[0][0][:-1], options["count"]), int64)],
    differentiable=False,
)


def _floating(x: Any, caller: str) -> Tensor:
    if not need_tensor(x, caller).dtype.is_floating:
        raise OperatorTypeError(f"{caller}: expects a floating-point tensor, got {x.dtype.name}: cast it to float32")
    return x


def _values(x: Tensor) -> Optional[np.ndarray]:
    """Return the elements where they can be read now: checks on values are skipped while a program is compiled."""
    return cast(x.detach(), float64).numpy() if x._is_initialized() else None


def bernoulli(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Draw 1 with the probability that each element gives, else 0.

    Args:
        x: Probabilities, floating-point.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        OperatorError: a probability is outside [0, 1].
        OperatorTypeError: x is not floating-point.
    """
    values = _values(_floating(x, "bernoulli"))
    if values is not None and values.size and not (values.min() >= 0 and values.max() <= 1):
        raise OperatorError("bernoulli: the probabilities must lie within [0, 1]")
    wide = x.dtype if x.dtype in (float32, float64) else float32
    return cast(less_than(uniform(x.shape, wide, 0.0, 1.0), cast(x, wide)), x.dtype)


def multinomial(x: Tensor, num_samples: int = 1, replacement: bool = False, name: Optional[str] = None) -> Tensor:
    """Draw categories with probabilities proportional to given weights.

    Args:
        x: Weights of shape [categories] or [rows, categories], not negative, not all 0 in a row; floating-point.
        num_samples: How many to draw for each row.
        replacement: Whether a category may be drawn again.
        name: Unused, as in Paddle.

    Returns:
        An int64 tensor of shape [num_samples] or [rows, num_samples].

    Raises:
        OperatorError: a weight is negative or not finite, or fewer categories than samples have a weight above 0.
        OperatorTypeError: x is not floating-point.
    """
    values = _values(_floating(x, "multinomial"))
    if x.ndim not in (1, 2) or not x.shape[-1]:
        raise OperatorError(f"multinomial: expects shape [categories] or [rows, categories], got {x.shape}")
    if num_samples < 1:
        raise OperatorError(f"multinomial: num_samples must be at least 1, got {num_samples}")
    if values is not None:
        if not np.isfinite(values).all() or (values < 0).any():
            raise OperatorError("multinomial: the weights must be finite and not negative")
        possible = int((values > 0).sum(-1).min(initial=x.shape[-1]))
        if possible < (1 if replacement else num_samples):
            raise OperatorError(
                f"multinomial: {num_samples} samples from a row with {possible} categories of weight above 0"
                f"{'' if replacement else ': pass replacement=True'}"
            )
    noise = uniform([*x.shape[:-1], num_samples if replacement else x.shape[-1]], float64, 0.0, 1.0)
    weights = cast(x.detach(), float64)
    return apply(_choose, weights, noise, count=int(num_samples), replacement=bool(replacement))


def poisson(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Draw from Poisson distributions.

    Args:
        x: The mean of each, not negative; floating-point.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        OperatorError: a mean is negative.
        OperatorTypeError: x is not floating-point.
    """
    values = _values(_floating(x, "poisson"))
    if values is not None and values.size and not values.min() >= 0:
        raise OperatorError("poisson: the means must not be negative")
    if not x.size:
        return x.detach()
    return cast(apply(_poisson, cast(x.detach(), float32)), x.dtype)


def uniform_(x: Tensor, min: float = -1.0, max: float = 1.0, seed: int = 0, name: Optional[str] = None) -> Tensor:  # noqa: A002
    """Fill a tensor in place from the uniform distribution on [min, max); see :func:`core.uniform`."""
    _floating(x, "uniform_")
    return in_place(x, uniform(x.shape, x.dtype, min, max, seed), "uniform_")


def normal_(x: Tensor, mean: float = 0.0, std: float = 1.0, name: Optional[str] = None) -> Tensor:
    """Fill a tensor in place from a normal distribution; see :func:`core.normal`.

    Raises:
        OperatorError: std is negative.
    """
    _floating(x, "normal_")
    if std < 0:
        raise OperatorError(f"normal_: std {std} is negative")
    return in_place(x, standard_normal(x.shape, x.dtype) * std + mean, "normal_")


def exponential_(x: Tensor, lam: float = 1.0, name: Optional[str] = None) -> Tensor:
    """Fill a tensor in place from the exponential distribution of rate lam.

    Args:
        x: A floating-point tensor.
        lam: The rate, 1 over the mean; above 0.
        name: Unused, as in Paddle.

    Returns:
        x itself.

    Raises:
        OperatorError: the rate is not above 0.
    """
    _floating(x, "exponential_")
    if not lam > 0:
        raise OperatorError(f"exponential_: the rate lam must be above 0, got {lam}")
    wide = x.dtype if x.dtype in (float32, float64) else float32
    drawn = divide(log1p(neg(uniform(x.shape, wide, 0.0, 1.0))), -float(lam)) if x.size else x
    return in_place(x, cast(drawn, x.dtype), "exponential_")


def cauchy_(x: Tensor, loc: float = 0, scale: float = 1, name: Optional[str] = None) -> Tensor:
    """Fill a tensor in place from the Cauchy distribution.

    Args:
        x: A floating-point tensor.
        loc: The median.
        scale: Half the distance of the quartiles, above 0.
        name: Unused, as in Paddle.

    Returns:
        x itself.

    Raises:
        OperatorError: the scale is not above 0.
    """
    _floating(x, "cauchy_")
    if not scale > 0:
        raise OperatorError(f"cauchy_: the scale must be above 0, got {scale}")
    wide = x.dtype if x.dtype in (float32, float64) else float32
    drawn = tan(multiply(uniform(x.shape, wide, -0.5, 0.5), math.pi))
    return in_place(x, cast(add(multiply(drawn, float(scale)), float(loc)), x.dtype), "cauchy_")


def geometric_(x: Tensor, probs: float, name: Optional[str] = None) -> Tensor:
    """Fill a tensor in place with the number of trials up to the first success.

    Args:
        x: A floating-point tensor.
        probs: The probability of success, above 0 and at most 1.
        name: Unused, as in Paddle.

    Returns:
        x itself, its elements at least 1.

    Raises:
        OperatorError: the probability is outside (0, 1].
    """
    _floating(x, "geometric_")
    if not 0 < probs <= 1:
        raise OperatorError(f"geometric_: the probability must lie within (0, 1], got {probs}")
    wide = x.dtype if x.dtype in (float32, float64) else float32
    if probs == 1:
        return in_place(x, full_like(x, 1), "geometric_")
    failures = floor(divide(log1p(neg(uniform(x.shape, wide, 0.0, 1.0))), math.log1p(-probs)))
    return in_place(x, cast(add(failures, 1.0), x.dtype), "geometric_")


__all__ = ["bernoulli", "multinomial", "poisson"]
TENSOR_METHODS = ("bernoulli", "cauchy_", "exponential_", "geometric_", "multinomial", "normal_", "poisson", "uniform_")
