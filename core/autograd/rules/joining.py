"""Rules of joining and splitting (core.operators.shape.joining)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.shape.joining import split_sizes
from core.tensor import Tensor

Gradients = Sequence[Optional[Tensor]]


@rule("concat")
def _concat(context: Context, gradient: Tensor) -> Gradients:
    return split_sizes(gradient, [x.shape[context.axis] for x in context.inputs], context.axis)


@rule("stack")
def _stack(context: Context, gradient: Tensor) -> Gradients:
    return ops.unbind(gradient, context.axis)


@rule("split", "split_equally")
def _split(context: Context, *gradients: Optional[Tensor]) -> Gradients:
    parts = [ops.zeros_like(y) if part is None else part for part, y in zip(gradients, context.outputs)]
    return (ops.concat(parts, context.axis),)
