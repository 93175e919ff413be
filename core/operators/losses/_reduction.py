"""What losses share: reduction, agreement of shapes, and picking one class per sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator, Operator
from core.kernels.dtypes import float32
from core.operators.creation.creation import cast
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.reductions.reduction import mean
from core.operators.reductions.reduction import sum as reduce_sum
from core.tensor import Tensor, apply


def _picked(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [(metas[1][0], metas[0][1])]


_pick = Operator(
    "pick",
    "_npx_pick",
    infer=_picked,
    attributes=lambda metas, options: {"axis": options["axis"], "keepdims": True},
)
pick_backward = Operator(
    "pick_backward",
    "_backward_pick",
    infer=lambda metas, options: [(options["shape"], metas[0][1])],
    attributes=lambda metas, options: {"axis": options["axis"], "keepdims": True},
    differentiable=False,
    allocate=True,
    needs_custom_operator=True,
)




def _logistic_losses(x: np.ndarray, label: np.ndarray) -> np.ndarray:
    from core.kernels.layers import logistic  # numba loads with the first use

    return logistic.logistic_loss(x, label)


_logistic_loss = HostOperator("logistic_loss", _logistic_losses, infer=lambda metas, options: metas[:1])


def pick(x: Tensor, index: Tensor, axis: int) -> Tensor:
    """Return x[..., index, ...] along one axis: one element per position of the other axes.

    Args:
        x: Floating-point.
        index: Checked class numbers, x's shape with size 1 at the axis.
        axis: Counted from the front.
    """
    return apply(_pick, x, index, axis=axis)


def logistic_loss(x: Tensor, label: Tensor) -> Tensor:
    """Return the binary cross entropy of sigmoid(x), element by element, for a label of x's shape and type."""
    if x.size == 0:
        return x * label
    if x.dtype.size == 2:
        return cast(logistic_loss(cast(x, float32), cast(label, float32)), x.dtype)
    return apply(_logistic_loss, x, label)


def check_reduction(reduction: Any, caller: str, allowed: Sequence[str] = ("mean", "sum", "none")) -> None:
    """Refuse an unknown reduction."""
    if reduction not in allowed:
        names = ", ".join(repr(name) for name in allowed)
        raise OperatorError(f"{caller}: reduction must be one of {names}, got {reduction!r}")


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """Reduce the losses of all samples."""
    if reduction == "mean":
        return mean(loss)
    return reduce_sum(loss) if reduction == "sum" else loss


def same_shape(caller: str, input: Tensor, label: Any) -> Tensor:  # noqa: A002 - Paddle's name
    """Check that input and label have one shape; returns the label in the input's type.

    Raises:
        OperatorError: the shapes differ.
        OperatorTypeError: the input is no floating-point Tensor, or the label no Tensor.
    """
    floating_tensor(input, caller)
    if not isinstance(label, Tensor) or label.shape != input.shape:
        given = label.shape if isinstance(label, Tensor) else type(label).__name__
        raise OperatorError(f"{caller}: the label must be a Tensor of the input's shape {input.shape}, got {given}")
    return cast(label, input.dtype)
