"""Modified Bessel functions of the first kind."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32
from core.operators._arguments import floating, need_tensor
from core.operators.creation.creation import cast
from core.tensor import Tensor, apply


def _values(x: np.ndarray, order: int, scaled: bool) -> np.ndarray:
    from core.kernels.numeric import special  # numba loads with the first use

    with np.errstate(over="ignore"):
        return special.bessel_i(x, order, scaled).astype(x.dtype)


_bessel_i = HostOperator("bessel_i", _values, infer=lambda metas, options: [metas[0]])

_DOC = """Compute the modified Bessel function of the first kind and order {order}{scaling}.

    Args:
        x: A tensor of any shape; integers are converted to the default float type.
        name: Unused, as in Paddle.

    Returns:
        A floating-point tensor of the same shape.

    Raises:
        OperatorTypeError: x is no Tensor.
    """


def bessel_i(x: Tensor, order: int, scaled: bool) -> Tensor:
    """Return the function of any order, for floating-point tensors; see :func:`core.i0`."""
    wide = cast(x, float32) if x.dtype.size == 2 else x
    return cast(apply(_bessel_i, wide, order=order, scaled=scaled), x.dtype)


def _function(caller: str, order: int, scaled: bool) -> Any:
    def function(x: Tensor, name: Optional[str] = None) -> Tensor:
        return bessel_i(cast(need_tensor(x, caller), floating(x.dtype)), order, scaled)

    function.__name__ = function.__qualname__ = caller
    function.__doc__ = _DOC.format(order=order, scaling=", times exp(-abs(x))" if scaled else "")
    return function


i0 = _function("i0", 0, False)
i0e = _function("i0e", 0, True)
i1 = _function("i1", 1, False)
i1e = _function("i1e", 1, True)

__all__ = ["i0", "i0e", "i1", "i1e"]
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = ("i0",)
