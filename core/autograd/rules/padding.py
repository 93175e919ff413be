"""Rule of core.operators.shape.padding: cut the borders off and add them to where their elements came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.indexing.slicing import cut
from core.operators.shape.padding import pad_exact
from core.tensor import Tensor

Gradients = Sequence[Optional[Tensor]]


@rule("pad")
def _pad(context: Context, gradient: Tensor) -> Gradients:
    shape = context.inputs[0].shape
    for axis, (low, high) in enumerate(context.widths):
        if low or high:
            gradient = _folded(gradient, axis, shape[axis], low, high, context.mode)
    return (gradient,)


def _folded(gradient: Tensor, axis: int, size: int, low: int, high: int, mode: str) -> Tensor:
    """Fold the borders of one axis back onto the elements that they repeat."""
    result = cut(gradient, axis, low, low + size)
    if mode == "constant":
        return result
    mirrored = mode == "reflect"
    for start, width in ((0, low), (low + size, high)):
        if not width:
            continue
        border = cut(gradient, axis, start, start + width)
        border = ops.flip(border, axis) if mirrored else ops.sum(border, axis, keepdim=True)
        first = (1 if start == 0 else size - 1 - width) if mirrored else (0 if start == 0 else size - 1)
        widths = [(0, 0)] * gradient.ndim
        widths[axis] = (first, size - first - border.shape[axis])
        result = result + pad_exact(border, widths)
    return result
