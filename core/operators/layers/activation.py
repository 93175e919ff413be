"""Activations made of straight pieces: ReLU and its relatives."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bfloat16, float32, float64
from core.operators._arguments import axis_argument, need_tensor
from core.operators._methods import in_place
from core.operators.arithmetic.math import maximum, minimum
from core.operators.arithmetic.rounding import clip
from core.operators.creation.random import uniform
from core.operators.indexing.masking import where
from core.operators.layers._activation_primitives import floating_tensor, over_engine_shapes
from core.operators.reductions.reduction import max as largest
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor

_relu = Operator("relu", "Activation", attributes=lambda metas, options: {"act_type": "relu"})
_leaky_relu = Operator(
    "leaky_relu", "LeakyReLU", attributes=lambda metas, options: {"act_type": "leaky", "slope": options["slope"]}
)
_hard_sigmoid = Operator(
    "hard_sigmoid",
    "hard_sigmoid",
    attributes=lambda metas, options: {"alpha": options["slope"], "beta": options["offset"]},
    lacks=(bfloat16,),  # where it loses NaN
)
_hard_swish = Operator("hard_swish", None, infer=lambda metas, options: metas)
hard_swish_backward = Operator(
    "hard_swish_backward", None, infer=lambda metas, options: metas[:1], differentiable=False
)


def relu(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Replace negative elements by 0.

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape; NaN becomes 0, as in Paddle.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return over_engine_shapes(_relu, floating_tensor(x, "relu"))


def relu_(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute :func:`relu` and move x to the result."""
    return in_place(x, relu(x), "relu_")


def relu6(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Limit elements to [0, 6] (https://arxiv.org/abs/1704.04861).

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return minimum(relu(floating_tensor(x, "relu6")), 6.0)


def clamp(x: Tensor, low: float, high: float) -> Tensor:
    """Limit elements to [low, high]; the gradient is 0 outside, and passes at the limits (in Paddle it does not)."""
    return minimum(maximum(x, low), high)


def leaky_relu(x: Tensor, negative_slope: float = 0.01, name: Optional[str] = None) -> Tensor:
    """Multiply negative elements by a small slope.

    Args:
        x: A floating-point tensor of any shape.
        negative_slope: The factor.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    floating_tensor(x, "leaky_relu")
    slope = float(negative_slope)
    if x.dtype is float64:  # the engine keeps the slope in float32
        return where(x < 0, x * slope, x)
    return over_engine_shapes(_leaky_relu, x, slope=slope)


def leaky_relu_(x: Tensor, negative_slope: float = 0.01, name: Optional[str] = None) -> Tensor:
    """Compute :func:`leaky_relu` and move x to the result."""
    return in_place(x, leaky_relu(x, negative_slope), "leaky_relu_")


def prelu(x: Tensor, weight: Tensor, data_format: str = "NCHW", name: Optional[str] = None) -> Tensor:
    """Multiply negative elements by a learned slope, one for all or one per channel.

    Args:
        x: A floating-point tensor.
        weight: Slopes, shape (1,) or (C,).
        data_format: Whether channels are axis 1 (``NC...``) or the last axis.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: the number of slopes is neither 1 nor the number of channels.
    """
    floating_tensor(x, "prelu")
    need_tensor(weight, "prelu", "weight")
    if weight.size != 1:
        axis = 1 if data_format.startswith("NC") else x.ndim - 1
        if x.ndim < 2 or weight.size != x.shape[axis]:
            raise OperatorError(f"prelu: {weight.size} slopes do not fit an input of shape {x.shape} in {data_format}")
        weight = reshape_exact(weight, [weight.size if i == axis else 1 for i in range(x.ndim)])
    elif x.ndim == 0:
        weight = reshape_exact(weight, [])
    return where(x > 0, x, weight * x)


def rrelu(
    x: Tensor, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, training: bool = True, name: Optional[str] = None
) -> Tensor:
    """Multiply negative elements by a random slope (https://arxiv.org/abs/1505.00853).

    Args:
        x: A floating-point tensor of any shape.
        lower: Smallest slope.
        upper: Largest slope, at most 1.
        training: Draw a slope per element; otherwise the mean slope serves.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorError: not 0 <= lower <= upper <= 1.
    """
    floating_tensor(x, "rrelu")
    if not 0 <= lower <= upper <= 1:
        raise OperatorError(f"rrelu: expects 0 <= lower <= upper <= 1, got lower={lower}, upper={upper}")
    if not training:
        return leaky_relu(x, (lower + upper) / 2.0)
    slopes = uniform(x.shape, dtype=x.dtype, min=lower, max=upper)
    return where(x < 0, x * slopes, x)


def hardtanh(x: Tensor, min: float = -1.0, max: float = 1.0, name: Optional[str] = None) -> Tensor:  # noqa: A002
    """Limit elements to [min, max]; no gradient flows outside.

    Args:
        x: A floating-point tensor of any shape.
        min: Lower limit.
        max: Upper limit.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return clamp(floating_tensor(x, "hardtanh"), float(min), float(max))


def hardtanh_(x: Tensor, min: float = -1.0, max: float = 1.0, name: Optional[str] = None) -> Tensor:  # noqa: A002
    """Compute :func:`hardtanh` and move x to the result."""
    return in_place(x, hardtanh(x, min, max), "hardtanh_")


def hardsigmoid(x: Tensor, slope: float = 0.1666667, offset: float = 0.5, name: Optional[str] = None) -> Tensor:
    """Compute slope * x + offset, limited to [0, 1].

    Args:
        x: A floating-point tensor of any shape.
        slope: Factor; 0.1666667 rather than 1/6, as in Paddle.
        offset: What is added.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.
    """
    floating_tensor(x, "hardsigmoid")
    if x.dtype is not float32:  # the engine keeps the slope in float32
        return clip(x * float(slope) + float(offset), 0.0, 1.0)
    return over_engine_shapes(_hard_sigmoid, x, slope=float(slope), offset=float(offset))


def hardswish(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute x * relu6(x + 3) / 6 (https://arxiv.org/abs/1905.02244).

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return over_engine_shapes(_hard_swish, floating_tensor(x, "hardswish"))


def maxout(x: Tensor, groups: int, axis: int = 1, name: Optional[str] = None) -> Tensor:
    """Take the largest of each group of neighbouring channels (https://arxiv.org/abs/1302.4389).

    Args:
        x: A floating-point tensor with C channels.
        groups: Channels per group; divides C.
        axis: The axis of channels.
        name: Unused, as in Paddle.

    Returns:
        x's shape with C / groups channels.

    Raises:
        OperatorError: C does not divide into groups.
    """
    floating_tensor(x, "maxout")
    place = axis_argument(axis, x.ndim, "maxout")
    channels = x.shape[place]
    if groups < 1 or channels % groups:
        raise OperatorError(f"maxout: {channels} channels do not divide into groups of {groups}")
    shape = [*x.shape[:place], channels // groups, groups, *x.shape[place + 1 :]]
    return largest(reshape_exact(x, shape), axis=place + 1)


__all__ = [
    "hardsigmoid", "hardswish", "hardtanh", "hardtanh_", "leaky_relu", "leaky_relu_", "maxout", "prelu", "relu",
    "relu6", "relu_", "rrelu",
]  # fmt: skip
