"""Rule of sums along edges (core.operators.graphs.segment): the gradient travels back along the same edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core.autograd.context import Context, rule
from core.operators.graphs.segment import sum_edges
from core.tensor import Tensor

Gradients = Sequence[Optional[Tensor]]


@rule("sum_edges")
def _sum_edges(context: Context, gradient: Tensor) -> Gradients:
    x, source, target = context.inputs
    return (sum_edges(gradient, target, source, x.shape[0]), None, None)
