"""Products of rows and a matrix with a bias; what computes one is chosen in core.kernels.lowerings.products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operand_types import operand_type
from core.kernels.dispatch.operator import Operator
from core.kernels.sizes.dimension import same_shape
from core.operators.linear_algebra.linalg import matmul
from core.tensor import Tensor, apply


def _check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    if options:
        raise OperatorError(f"linear: takes no attributes, got {', '.join(map(str, options))}")
    (x, x_type), (weight, weight_type), (bias, bias_type) = metas[:3]
    one_type = x_type is weight_type is bias_type and x_type.is_floating
    if not one_type or not x or len(weight) != 2 or x[-1] != weight[0] or bias != weight[1:]:
        raise OperatorError(
            f"linear: x {x_type.name}{list(x)}, weight {weight_type.name}{list(weight)} and bias"
            f" {bias_type.name}{list(bias)} do not fit each other"
        )


def _check_backward(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (gradient, dtype), (x, _), (weight, _) = metas[:3]
    _check([*metas[1:3], (weight[1:], dtype)], options)
    if gradient != (*x[:-1], *weight[1:]):
        raise OperatorError(
            f"linear_backward: a gradient of shape {list(gradient)} does not fit x {list(x)} and weight {list(weight)}"
        )


_linear = Operator(
    "linear",
    None,
    check=_check,
    infer=lambda metas, options: [((*metas[0][0][:-1], metas[1][0][1]), metas[0][1])],
)
linear_backward = Operator(  # from the gradient, x, the weight, and what the forward computation kept
    "linear_backward",
    None,
    check=_check_backward,
    infer=lambda metas, options: [metas[1], metas[2], (metas[2][0][1:], metas[2][1])],
    differentiable=False,
)
_affine = Operator(  # with the weight transposed: exported programs hold it, where the weight is fixed
    "affine",
    "FullyConnected",
    infer=lambda metas, options: [((*metas[0][0][:-1], metas[1][0][0]), metas[0][1])],
    attributes=lambda metas, options: {"num_hidden": metas[2][0][0], "no_bias": False, "flatten": False},
)
affine_backward = Operator(
    "affine_backward",
    "_backward_FullyConnected",
    infer=lambda metas, options: [metas[1], metas[2], (metas[2][0][:1], metas[2][1])],
    attributes=lambda metas, options: {"num_hidden": metas[2][0][0], "no_bias": False, "flatten": False},
    allocate=True,
    differentiable=False,
    needs_custom_operator=True,
)


def affine_map(x: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Tensor:
    """Return ``x @ weight + bias`` for checked shapes [..., k], [k, n] and any bias that broadcasts."""
    if bias is None:
        return matmul(x, weight)
    is_row = same_shape(bias.shape, weight.shape[1:])
    if is_row and x.size and weight.size and operand_type(x.dtype, weight.dtype, bias.dtype) is None:
        return apply(_linear, x, weight, bias)
    return matmul(x, weight) + bias
