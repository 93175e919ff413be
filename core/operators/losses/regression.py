"""Losses between numbers: squared, absolute and smooth errors, divergences and likelihoods."""

from __future__ import annotations

import math
from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError
from core.operators._arguments import need_tensor
from core.operators.arithmetic.math import abs as absolute
from core.operators.arithmetic.math import exp, log, maximum, minimum, square
from core.operators.creation.creation import cast
from core.operators.indexing.masking import where
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.losses._reduction import check_reduction, reduced, same_shape
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape.manipulation import unsqueeze
from core.tensor import Tensor


def square_error_cost(input: Tensor, label: Tensor) -> Tensor:  # noqa: A002 - Paddle's name
    """Compute (input - label) ** 2 element by element.

    Args:
        input: Floating-point.
        label: The shapes broadcast.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        OperatorError: the shapes do not broadcast.
    """
    return square(floating_tensor(input, "square_error_cost") - label)


def mse_loss(input: Tensor, label: Tensor, reduction: str = "mean", name: Optional[str] = None) -> Tensor:  # noqa: A002
    """Compute the mean squared error.

    Args:
        input: Floating-point.
        label: The shapes broadcast.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or the broadcast shape under ``none``.

    Raises:
        OperatorError: the shapes do not broadcast, or the reduction is unknown.
    """
    check_reduction(reduction, "mse_loss")
    return reduced(square(floating_tensor(input, "mse_loss") - label), reduction)


def l1_loss(input: Tensor, label: Tensor, reduction: str = "mean", name: Optional[str] = None) -> Tensor:  # noqa: A002
    """Compute the mean absolute error.

    Args:
        input: Floating-point.
        label: The shapes broadcast.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or the broadcast shape under ``none``.

    Raises:
        OperatorError: the shapes do not broadcast, or the reduction is unknown.
    """
    check_reduction(reduction, "l1_loss")
    return reduced(absolute(floating_tensor(input, "l1_loss") - label), reduction)


def smooth_l1_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    name: Optional[str] = None,
) -> Tensor:
    """Compute the Huber loss: 0.5 * d ** 2 up to |d| = delta, delta * (|d| - 0.5 * delta) beyond.

    Args:
        input: Floating-point.
        label: Of input's shape.
        reduction: ``mean``, ``sum`` or ``none``.
        delta: Where the parabola becomes a line, above 0.
        name: Unused, as in Paddle.

    Returns:
        0-D, or input's shape under ``none``.

    Raises:
        OperatorError: the shapes differ, or the reduction is unknown.
    """
    check_reduction(reduction, "smooth_l1_loss")
    distance = absolute(input - same_shape("smooth_l1_loss", input, label))
    inside = minimum(distance, float(delta))
    return reduced(inside * (distance - inside * 0.5), reduction)


def kl_div(input: Tensor, label: Tensor, reduction: str = "mean", name: Optional[str] = None) -> Tensor:  # noqa: A002
    """Compute the Kullback-Leibler divergence label * (log(label) - input); 0 where label is 0 or below.

    Args:
        input: Log-probabilities, floating-point.
        label: Probabilities of input's shape.
        reduction: ``mean``, ``batchmean`` (sum over the size of axis 0), ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or input's shape under ``none``.

    Raises:
        OperatorError: the shapes differ, or the reduction is unknown.
    """
    check_reduction(reduction, "kl_div", ("mean", "batchmean", "sum", "none"))
    floating_tensor(input, "kl_div")
    if isinstance(label, Tensor) and label.dtype == "float64":
        input = cast(input, label.dtype)  # noqa: A001
    label = same_shape("kl_div", input, label)
    positive = label > 0
    safe = where(positive, label, 1.0)
    loss = where(positive, safe * (log(safe) - input), 0.0)
    if reduction == "batchmean":
        total = reduce_sum(loss)
        return total / input.shape[0] if input.ndim else total
    return reduced(loss, reduction)


def poisson_nll_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    log_input: bool = True,
    full: bool = False,
    epsilon: float = 1e-8,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute the negative log-likelihood of counts under a Poisson distribution.

    Args:
        input: The expected count, or its logarithm with log_input; floating-point.
        label: Counts of input's shape.
        log_input: Whether input is a logarithm.
        full: Add Stirling's approximation of log(label!) where label is above 1.
        epsilon: Added inside the logarithm, above 0.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or input's shape under ``none``.

    Raises:
        OperatorError: the shapes differ, epsilon is not positive, or the reduction is unknown.
    """
    check_reduction(reduction, "poisson_nll_loss")
    if epsilon <= 0:
        raise OperatorError(f"poisson_nll_loss: epsilon must be above 0, got {epsilon}")
    label = same_shape("poisson_nll_loss", input, label)
    loss: Any = exp(input) - label * input if log_input else input - label * log(input + epsilon)
    if full:
        many = label > 1
        safe = where(many, label, 2.0)
        loss = loss + where(many, safe * log(safe) - safe + 0.5 * log(safe * (2.0 * math.pi)), 0.0)
    return reduced(loss, reduction)


def gaussian_nll_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    variance: Tensor,
    full: bool = False,
    epsilon: float = 1e-6,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute the negative log-likelihood of numbers under a normal distribution.

    Args:
        input: Expected values, floating-point.
        label: Numbers; broadcasts with input.
        variance: Of input's shape, or without its last axis, or with size 1 there; gradients flow into it (in Paddle
            2.6.2 they do not).
        full: Add the constant 0.5 * log(2 * pi).
        epsilon: Smallest variance; no gradient flows through the limit.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or input's shape under ``none``.

    Raises:
        OperatorError: the variance's shape does not fit, or the reduction is unknown.
    """
    check_reduction(reduction, "gaussian_nll_loss")
    floating_tensor(input, "gaussian_nll_loss")
    need_tensor(variance, "gaussian_nll_loss", "variance")
    if variance.shape != input.shape:
        if variance.shape == input.shape[:-1]:
            variance = unsqueeze(variance, -1)
        elif variance.shape != [*input.shape[:-1], 1]:
            raise OperatorError(
                f"gaussian_nll_loss: a variance of shape {variance.shape} does not fit an input of shape {input.shape}"
            )
    variance = maximum(variance, float(epsilon))
    loss = (log(variance) + square(input - label) / variance) * 0.5
    return reduced(loss + 0.5 * math.log(2.0 * math.pi) if full else loss, reduction)


__all__ = [
    "gaussian_nll_loss", "kl_div", "l1_loss", "mse_loss", "poisson_nll_loss", "smooth_l1_loss", "square_error_cost",
]  # fmt: skip
