"""Special functions of one operand: gamma and its relatives, logit, scaled tanh, degrees and radians."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator, Operator
from core.kernels.dtypes import float32
from core.operators._arguments import floating, need_tensor
from core.operators.arithmetic.math import add, divide, log, multiply, sign, subtract
from core.operators.arithmetic.rounding import clip
from core.operators.creation.creation import arange, cast
from core.operators.layers.activation_smooth import tanh
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply


def _polygamma_values(x: np.ndarray, order: int) -> np.ndarray:
    from core.kernels.numeric import special  # numba loads with the first use

    with np.errstate(over="ignore"):
        return special.polygamma(x, order).astype(x.dtype)


_lgamma = Operator("lgamma", "gammaln", single=True)
_polygamma = HostOperator("polygamma", _polygamma_values, infer=lambda metas, options: [metas[0]])

_DOC = """{summary}

    Args:
        x: A tensor of any shape; integers are converted to the default float type.
        name: Unused, as in Paddle.

    Returns:
        A floating-point tensor of the same shape.

    Raises:
        OperatorTypeError: x is no Tensor.
    """


def _documented(summary: str) -> Any:
    def attach(function: Any) -> Any:
        function.__doc__ = _DOC.format(summary=summary)
        return function

    return attach


def _float_tensor(x: Any, caller: str) -> Tensor:
    return cast(need_tensor(x, caller), floating(x.dtype))


@_documented("Compute the logarithm of the absolute value of the gamma function.")
def lgamma(x: Tensor, name: Optional[str] = None) -> Tensor:  # noqa: D103
    x = _float_tensor(x, "lgamma")
    return cast(apply(_lgamma, cast(x, float32)), x.dtype) if x.dtype.size == 2 else apply(_lgamma, x)


@_documented("Compute the derivative of lgamma; NaN at 0 and the negative integers.")
def digamma(x: Tensor, name: Optional[str] = None) -> Tensor:  # noqa: D103
    return polygamma(_float_tensor(x, "digamma"), 0)


def polygamma(x: Tensor, n: int, name: Optional[str] = None) -> Tensor:
    """Compute derivative number n of digamma.

    Args:
        x: A tensor of any shape; integers are converted to the default float type.
        n: The order, at least 0.
        name: Unused, as in Paddle.

    Returns:
        A floating-point tensor of the same shape.

    Raises:
        OperatorError: the order is negative or no integer.
    """
    x = _float_tensor(x, "polygamma")
    if not isinstance(n, int) or n < 0:
        raise OperatorError(f"polygamma: the order n must be an integer of at least 0, got {n!r}")
    return cast(apply(_polygamma, cast(x, float32), order=n), x.dtype) if x.dtype.size == 2 else apply(
        _polygamma, x, order=n
    )


def logit(x: Tensor, eps: Optional[float] = None, name: Optional[str] = None) -> Tensor:
    """Compute ``log(x / (1 - x))``, the inverse of the sigmoid.

    Args:
        x: Probabilities.
        eps: Move x into [eps, 1 - eps] first; without it, NaN comes out beyond [0, 1].
        name: Unused, as in Paddle.

    Returns:
        A floating-point tensor of the same shape.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    x = _float_tensor(x, "logit")
    if eps:
        x = clip(x, float(eps), 1.0 - float(eps))
    return log(divide(x, subtract(1.0, x)))


def stanh(x: Tensor, scale_a: float = 0.67, scale_b: float = 1.7159, name: Optional[str] = None) -> Tensor:
    """Compute ``scale_b * tanh(scale_a * x)``.

    Args:
        x: A tensor of any shape.
        scale_a: Factor of the argument.
        scale_b: Factor of the result.
        name: Unused, as in Paddle.

    Returns:
        A floating-point tensor of the same shape.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    return multiply(tanh(multiply(_float_tensor(x, "stanh"), scale_a)), scale_b)


@_documented("Convert angles from radians to degrees.")
def rad2deg(x: Tensor, name: Optional[str] = None) -> Tensor:  # noqa: D103
    return multiply(_float_tensor(x, "rad2deg"), 180.0 / math.pi)


@_documented("Convert angles from degrees to radians.")
def deg2rad(x: Tensor, name: Optional[str] = None) -> Tensor:  # noqa: D103
    return multiply(_float_tensor(x, "deg2rad"), math.pi / 180.0)


def sgn(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Return -1, 0 or 1 by the sign; see :func:`core.sign`."""
    return sign(x)


def multigammaln(x: Tensor, p: int, name: Optional[str] = None) -> Tensor:
    """Compute the logarithm of the multivariate gamma function.

    Args:
        x: A tensor, every element above (p - 1) / 2.
        p: The dimension, at least 1.
        name: Unused, as in Paddle.

    Returns:
        A floating-point tensor of x's shape.

    Raises:
        OperatorError: the dimension is below 1.
    """
    if p < 1:
        raise OperatorError(f"multigammaln: the dimension p must be at least 1, got {p}")
    x = cast(need_tensor(x, "multigammaln"), floating(x.dtype))
    steps = cast(arange(p), x.dtype) * -0.5
    terms = lgamma(add(reshape_exact(x, [*x.shape, 1]), steps))
    return add(reduce_sum(terms, axis=-1), p * (p - 1) / 4 * math.log(math.pi))


__all__ = ["deg2rad", "digamma", "lgamma", "logit", "multigammaln", "polygamma", "rad2deg", "sgn", "stanh"]
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = ("digamma", "lgamma", "logit", "multigammaln", "polygamma")
