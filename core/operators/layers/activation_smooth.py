"""Curved activations: sigmoid, tanh, the ELU family, GELU, SiLU, Mish, softplus."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bfloat16, float32, float64
from core.operators._arguments import axis_argument, floating, need_tensor
from core.operators._methods import in_place
from core.operators.arithmetic.math import abs as absolute
from core.operators.arithmetic.math import erf, exp, expm1, log1p, minimum
from core.operators.creation.creation import cast
from core.operators.indexing.masking import where
from core.operators.layers._activation_primitives import floating_tensor, over_engine_shapes, through_float32
from core.operators.layers.activation import relu
from core.operators.shape.joining import split
from core.tensor import Tensor


def _one_shape(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return metas[:1]


_sigmoid = Operator("sigmoid", "Activation", attributes=lambda metas, options: {"act_type": "sigmoid"})
_swish = Operator("swish", None, infer=_one_shape)
swish_backward = Operator("swish_backward", None, infer=_one_shape, differentiable=False)
_tanh = Operator("tanh", "Activation", attributes=lambda metas, options: {"act_type": "tanh"})
_gelu = Operator("gelu", "LeakyReLU", attributes=lambda metas, options: {"act_type": "gelu"})


def sigmoid(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute 1 / (1 + exp(-x)).

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape, within [0, 1].

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return over_engine_shapes(_sigmoid, floating_tensor(x, "sigmoid"))


def tanh(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute the hyperbolic tangent, with the engine's vectorised kernel.

    Args:
        x: A tensor of any shape; integers are converted to the default float type.
        name: Unused, as in Paddle.

    Returns:
        A floating-point tensor of the same shape, within [-1, 1].

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    need_tensor(x, "tanh")
    return over_engine_shapes(_tanh, cast(x, floating(x.dtype)))


def tanh_(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute :func:`tanh` and move x to the result."""
    return in_place(x, tanh(x), "tanh_")


def tanhshrink(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute x - tanh(x).

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return floating_tensor(x, "tanhshrink") - tanh(x)


def elu(x: Tensor, alpha: float = 1.0, name: Optional[str] = None) -> Tensor:
    """Compute x where it is positive, alpha * (exp(x) - 1) elsewhere (https://arxiv.org/abs/1511.07289).

    Args:
        x: A floating-point tensor of any shape.
        alpha: The limit for very negative x, with its sign changed.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.
    """
    return relu(floating_tensor(x, "elu")) + float(alpha) * expm1(minimum(x, 0.0))


def elu_(x: Tensor, alpha: float = 1.0, name: Optional[str] = None) -> Tensor:
    """Compute :func:`elu` and move x to the result."""
    return in_place(x, elu(x, alpha), "elu_")


def celu(x: Tensor, alpha: float = 1.0, name: Optional[str] = None) -> Tensor:
    """Compute max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) (https://arxiv.org/abs/1704.07483).

    Args:
        x: A floating-point tensor of any shape.
        alpha: Scale of the negative part, not 0.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorError: alpha is 0.
    """
    if alpha == 0:
        raise OperatorError("celu: alpha must not be 0")
    curve = float(alpha) * expm1(minimum(floating_tensor(x, "celu"), 0.0) * (1.0 / alpha))
    return where(x > 0, x, curve)


def selu(
    x: Tensor,
    scale: float = 1.0507009873554804934193349852946,
    alpha: float = 1.6732632423543772848170429916717,
    name: Optional[str] = None,
) -> Tensor:
    """Compute scale * elu(x, alpha) with the constants of self-normalising networks (https://arxiv.org/abs/1706.02515).

    Args:
        x: A floating-point tensor of any shape.
        scale: Factor above 1.
        alpha: As for :func:`elu`, not negative.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorError: scale is at most 1 or alpha is negative.
    """
    if scale <= 1.0 or alpha < 0:
        raise OperatorError(f"selu: expects scale above 1 and alpha not negative, got scale={scale}, alpha={alpha}")
    return elu(x, alpha) * float(scale)


def gelu(x: Tensor, approximate: bool = False, name: Optional[str] = None) -> Tensor:
    """Multiply x by the probability that a standard normal number is below it (https://arxiv.org/abs/1606.08415).

    Args:
        x: A floating-point tensor of any shape.
        approximate: Use the formula with tanh.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    floating_tensor(x, "gelu")
    if approximate:
        return 0.5 * x * (1.0 + tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))
    if x.dtype in (float32, bfloat16):
        return over_engine_shapes(_gelu, x)
    return 0.5 * x * (1.0 + erf(x * math.sqrt(0.5)))


def silu(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute x * sigmoid(x) (https://arxiv.org/abs/1702.03118).

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return over_engine_shapes(_swish, floating_tensor(x, "silu"))


def swish(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute x * sigmoid(x), another name of :func:`silu` (https://arxiv.org/abs/1710.05941).

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.
    """
    return silu(x)


def mish(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute x * tanh(softplus(x)) (https://arxiv.org/abs/1908.08681).

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return floating_tensor(x, "mish") * tanh(softplus(x))


def log_sigmoid(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute log(sigmoid(x)), exactly for any x.

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return -stable_softplus(-floating_tensor(x, "log_sigmoid"))


def softplus(x: Tensor, beta: float = 1, threshold: float = 20, name: Optional[str] = None) -> Tensor:
    """Compute log(1 + exp(beta * x)) / beta, and x itself where beta * x exceeds the threshold.

    Args:
        x: A floating-point tensor of any shape.
        beta: Sharpness, not 0.
        threshold: Where the curve is taken for straight.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorError: beta is 0.
    """
    if beta == 0:
        raise OperatorError("softplus: beta must not be 0")
    floating_tensor(x, "softplus")
    scaled = x if beta == 1 else x * float(beta)
    if threshold >= (40 if x.dtype is float64 else 20):  # there both pieces agree to the last bit
        curve = stable_softplus(scaled)
        return curve if beta == 1 else curve * (1.0 / beta)
    curve = log1p(exp(minimum(scaled, float(threshold)))) * (1.0 / beta)
    return where(scaled > float(threshold), x, curve)


def stable_softplus(x: Tensor) -> Tensor:
    """Return log(1 + exp(x)), smooth at 0 and exact for any x.

    It is bent at a point where both pieces agree to the last bit, not at 0, so that every derivative is right there.
    """
    if x.dtype.size == 2:
        return through_float32(stable_softplus, x)
    bend = 20.0 if x.dtype is float32 else 40.0
    return where(x > bend, x, log1p(exp(minimum(x, bend))))


def softsign(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute x / (1 + |x|).

    Args:
        x: A floating-point tensor of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return floating_tensor(x, "softsign") / (1.0 + absolute(x))


def glu(x: Tensor, axis: int = -1, name: Optional[str] = None) -> Tensor:
    """Split x in two halves and multiply the first by the sigmoid of the second (https://arxiv.org/abs/1612.08083).

    Args:
        x: A floating-point tensor.
        axis: Where to split; its size is even.
        name: Unused, as in Paddle.

    Returns:
        x's shape with half the size at that axis.

    Raises:
        OperatorError: the size is odd.
    """
    floating_tensor(x, "glu")
    place = axis_argument(axis, x.ndim, "glu")
    if x.ndim == 0 or x.shape[place] % 2:
        raise OperatorError(f"glu: axis {axis} of {x.shape} does not divide into two halves")
    first, gate = split(x, 2, axis=place)
    return first * sigmoid(gate)


__all__ = [
    "celu", "elu", "elu_", "gelu", "glu", "log_sigmoid", "mish", "selu", "sigmoid", "silu", "softplus", "softsign",
    "swish", "tanh", "tanh_", "tanhshrink",
]  # fmt: skip
TENSOR_METHODS = ("sigmoid", "tanh")
IN_PLACE_METHODS = ("sigmoid", "tanh")
