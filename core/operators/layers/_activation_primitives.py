"""What activations share: checking their input, and shapes that the engine's activation kernels cannot take."""

from __future__ import annotations

from typing import Any, Callable

from core.kernels.dispatch.errors import OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import float32
from core.operators.creation.creation import assign, cast, narrowed
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply


def floating_tensor(x: Any, caller: str) -> Tensor:
    """Return x if it is a floating-point Tensor.

    Raises:
        OperatorTypeError: it is not.
    """
    if not isinstance(x, Tensor):
        raise OperatorTypeError(f"{caller}: x must be a Tensor, got {type(x).__name__}: use to_tensor()")
    if x.dtype.kind != "f":
        raise OperatorTypeError(f"{caller}: expects a floating-point tensor, got {x.dtype.name}: cast it to float32")
    return x


def through_float32(function: Callable[..., Any], x: Tensor, *others: Any) -> Any:
    """Compute on 16-bit tensors in float32, where the engine has no 16-bit kernel; the result has x's type again.

    Under mixed precision it stays float32.
    """
    wide = [cast(t, float32) if isinstance(t, Tensor) and t.dtype.size == 2 else t for t in (x, *others)]
    return narrowed(function(*wide), x.dtype)


def over_engine_shapes(operator: Operator, x: Tensor, **attributes: Any) -> Tensor:
    """Apply an element-wise engine kernel that fails on 0-D tensors and on tensors without elements."""
    shape = x.shape
    if not shape:
        return reshape_exact(apply(operator, reshape_exact(x, [1]), **attributes), [])
    if 0 in shape:
        return assign(x)
    return apply(operator, x, **attributes)
