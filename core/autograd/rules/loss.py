"""Rules of the primitives of losses (core.operators.loss_common)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.loss_common import pick_backward
from core.operators.manipulation import squeeze
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("pick")
def _pick(context: Context, gradient: Tensor) -> Gradients:
    x, index = context.inputs
    axis = context.axis
    if not context.create_graph:
        return apply(pick_backward, gradient, index, axis=axis, shape=tuple(x.shape)), None
    chosen = ops.cast(ops.one_hot(squeeze(index, axis), x.shape[axis]), gradient.dtype)
    return gradient * ops.moveaxis(chosen, -1, axis), None
