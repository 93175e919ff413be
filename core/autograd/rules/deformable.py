"""Rule of the columns of a deformable convolution (core.operators.vision.deformable)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core.autograd.backward import grad
from core.autograd.context import Context, rule
from core.operators.vision import deformable
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("deformable_columns")
def _deformable_columns(context: Context, gradient: Tensor) -> Gradients:
    window = context.attributes
    if context.create_graph:
        wanted = [tensor for tensor, needed in zip(context.inputs, context.needs) if needed]
        columns = deformable.composed_columns(*context.inputs, **window)
        found = iter(grad([columns], wanted, [gradient], create_graph=True, allow_unused=True))
        return [next(found) if needed else None for needed in context.needs]
    image = offsets = mask = None
    if context.needs[0]:
        image = apply(deformable.deformable_image_back, gradient, *context.inputs, **window)
    if context.needs[1] or context.needs[2]:
        offsets, mask = apply(deformable.deformable_places_back, gradient, *context.inputs, **window)
    return image, offsets, mask
