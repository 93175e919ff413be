"""Gradients clipped in place, after ``backward`` and before ``optimizer.step``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Union

from core import operators
from core.autograd import no_grad
from core.operators.creation.creation import to_tensor
from core.operators.shape.joining import stack
from core.tensor import Tensor


def clip_grad_norm_(
    parameters: Union[Tensor, Iterable[Tensor]],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale all gradients by one factor such that their common norm is at most ``max_norm``.

    Args:
        parameters: A tensor or several; those without gradient are left out.
        max_norm: The largest norm allowed.
        norm_type: 0, 1, 2 or infinity.
        error_if_nonfinite: Whether a norm that is infinite or not a number is an error.

    Returns:
        The norm before clipping, 0-D.

    Raises:
        ValueError: another type of norm.
        RuntimeError: the norm is not finite and ``error_if_nonfinite`` is set.
    """
    kind = float(norm_type)
    if kind not in (0.0, 1.0, 2.0, math.inf):
        raise ValueError(f"clip_grad_norm_: norm_type must be 0, 1, 2 or infinity, but got {norm_type!r}")
    targets = _with_gradient(parameters)
    if not targets:
        return to_tensor(0.0)
    with no_grad():
        total = _norm(stack([_norm(target.grad, kind) for target in targets], axis=0), kind)
        if error_if_nonfinite and not math.isfinite(total.item()):
            raise RuntimeError(f"clip_grad_norm_: the gradients have the norm {total.item()}: they cannot be clipped")
        factor = operators.clip(float(max_norm) / (total + 1e-6), max=1.0)
        for target in targets:
            target.grad = operators.multiply(target.grad, factor.astype(target.dtype))
    return total


def clip_grad_value_(parameters: Union[Tensor, Iterable[Tensor]], clip_value: float) -> None:
    """Cut every element of the gradients to [-clip_value, clip_value].

    Args:
        parameters: A tensor or several; those without gradient are left out.
        clip_value: The largest magnitude allowed, not negative.

    Raises:
        ValueError: the value is negative.
    """
    if clip_value < 0:
        raise ValueError(f"clip_grad_value_: clip_value must not be negative, but got {clip_value!r}")
    with no_grad():
        for target in _with_gradient(parameters):
            target.grad = operators.clip(target.grad, min=-float(clip_value), max=float(clip_value))


def _with_gradient(parameters: Union[Tensor, Iterable[Tensor]]) -> list[Any]:
    several = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [parameter for parameter in several if parameter.grad is not None]


def _norm(x: Any, kind: float) -> Any:
    x = x.astype("float32") if x.dtype.size < 4 else x
    if kind == math.inf:
        return x.abs().max()
    if kind == 0.0:
        return (x != 0).astype(x.dtype).sum()
    if kind == 1.0:
        return x.abs().sum()
    return (x * x).sum().sqrt()
