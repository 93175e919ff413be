"""Sums that are normalised in the same call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError
from core.nn import functional as F
from core.operators import rsqrt, square
from core.tensor import Tensor


def _axes(x: Tensor, begin_norm_axis: int, caller: str) -> list[int]:
    """Return the axes that are normalised together.

    Raises:
        OperatorError: the tensor has no such axis.
    """
    first = begin_norm_axis + x.ndim if begin_norm_axis < 0 else begin_norm_axis
    if not 0 <= first < x.ndim:
        raise OperatorError(f"{caller}: begin_norm_axis={begin_norm_axis} is outside a tensor of {x.ndim} axes")
    return list(range(first, x.ndim))


def _added(x: Tensor, bias: Optional[Tensor], residual: Optional[Tensor], factor: float = 1.0) -> Tensor:
    for term in (bias, residual if residual is None or factor == 1.0 else residual * factor):
        x = x if term is None else x + term
    return x


def _refuse_quantized(quant_scale: float, caller: str) -> None:
    """Refuse to return 8-bit integers.

    Raises:
        NotImplementedError: they are wanted.
    """
    if quant_scale > 0:
        raise NotImplementedError(f"{caller}: quant_scale={quant_scale}: results in 8-bit integers are not offered")


def _fitting(weight: Optional[Tensor], shape: Sequence[Any]) -> Optional[Tensor]:
    """Return a weight, which may be given flat, in the shape of what it is multiplied with."""
    return weight if weight is None or weight.ndim == len(shape) else weight.reshape(list(shape))


def fused_layer_norm(
    x: Tensor,
    norm_weight: Optional[Tensor],
    norm_bias: Optional[Tensor],
    epsilon: float,
    residual_alpha: float = 1.0,
    begin_norm_axis: int = 1,
    bias: Optional[Tensor] = None,
    residual: Optional[Tensor] = None,
    quant_scale: float = -1,
    quant_round_type: float = 0,
    quant_max_bound: float = 0,
    quant_min_bound: float = 0,
) -> Any:
    """Normalise ``x + bias + residual_alpha * residual`` to mean 0 and variance 1 over the last axes.

    Paper: Ba et al. 2016, arXiv:1607.06450.

    Args:
        x: floating-point, of any shape.
        norm_weight: factors of the normalised elements, of their shape or flat, or None.
        norm_bias: what is added to them, likewise. With neither of the two the sum itself is returned.
        epsilon: added to the variance.
        residual_alpha: factor of the residual.
        begin_norm_axis: the first of the axes that are normalised together.
        bias: broadcastable to x, or None.
        residual: of the shape of x, or None.
        quant_scale: not positive: results in 8-bit integers are not offered.
        quant_round_type: unused.
        quant_max_bound: unused.
        quant_min_bound: unused.

    Returns:
        A tensor of the shape of x; with a residual a tuple of that and the sum.

    Raises:
        NotImplementedError: ``quant_scale`` is positive.
        OperatorError: the shapes do not fit.
    """
    _refuse_quantized(quant_scale, "fused_layer_norm")
    axes = _axes(x, begin_norm_axis, "fused_layer_norm")
    total = _added(x, bias, residual, residual_alpha)
    result = total
    if norm_weight is not None or norm_bias is not None:
        shape = [total.shape[axis] for axis in axes]
        result = F.layer_norm(total, shape, _fitting(norm_weight, shape), _fitting(norm_bias, shape), epsilon)
    return result if residual is None else (result, total)


def fused_rms_norm(
    x: Tensor,
    norm_weight: Tensor,
    norm_bias: Optional[Tensor],
    epsilon: float,
    begin_norm_axis: int,
    bias: Optional[Tensor] = None,
    residual: Optional[Tensor] = None,
    quant_scale: float = -1,
    quant_round_type: float = 0,
    quant_max_bound: float = 0,
    quant_min_bound: float = 0,
) -> Any:
    """Divide ``x + bias + residual`` by its root mean square over the last axes.

    Paper: Zhang and Sennrich 2019, arXiv:1910.07467.

    Args:
        x: floating-point, of any shape.
        norm_weight: factors of the normalised elements, of their shape or flat.
        norm_bias: what is added to them, likewise, or None.
        epsilon: added to the mean square.
        begin_norm_axis: the first of the axes that are normalised together.
        bias: broadcastable to x, or None.
        residual: of the shape of x, or None.
        quant_scale: not positive: results in 8-bit integers are not offered.
        quant_round_type: unused.
        quant_max_bound: unused.
        quant_min_bound: unused.

    Returns:
        A tensor of the shape of x; with a residual a tuple of that and the sum.

    Raises:
        NotImplementedError: ``quant_scale`` is positive.
        OperatorError: the shapes do not fit.
    """
    _refuse_quantized(quant_scale, "fused_rms_norm")
    axes = _axes(x, begin_norm_axis, "fused_rms_norm")
    total = _added(x, bias, residual)
    shape = [total.shape[axis] for axis in axes]
    if math.prod(norm_weight.shape) != math.prod(shape):
        raise OperatorError(f"fused_rms_norm: a norm_weight of shape {norm_weight.shape} does not fit axes of {shape}")
    result = total * rsqrt(square(total).mean(axes, keepdim=True) + epsilon) * _fitting(norm_weight, shape)
    offset = _fitting(norm_bias, shape)
    result = result if offset is None else result + offset
    return result if residual is None else (result, total)
