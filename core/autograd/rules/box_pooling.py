"""Rules of core.operators.vision.box_pooling: each operator and its transpose; boxes have no gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core.autograd.context import Context, rule
from core.operators import full_like, where
from core.operators.vision import box_pooling
from core.operators.vision.box_pooling import AWAY
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("region_align")
def _region_align(context: Context, gradient: Tensor) -> Gradients:
    x, boxes, counts = context.inputs
    return apply(box_pooling.region_align_back, gradient, x.detach(), boxes, counts, **context.attributes), None, None


@rule("region_align_levels")
def _region_align_levels(context: Context, gradient: Tensor) -> Gradients:
    *maps, boxes, levels, counts = context.inputs
    options = dict(context.attributes)
    away, gradients = full_like(boxes, AWAY), []
    for number, (x, scale) in enumerate(zip(maps, options.pop("scales"))):
        own = where((levels == number).unsqueeze(-1).expand_as(boxes), boxes, away)
        given = (gradient, x.detach(), own, counts)
        gradients.append(apply(box_pooling.region_align_back, *given, scale=scale, **options))
    return [*gradients, None, None, None]


@rule("region_align_back")
def _region_align_back(context: Context, gradient: Tensor) -> Gradients:
    _, _, boxes, counts = context.inputs
    return apply(box_pooling.region_align, gradient, boxes, counts, **context.attributes), None, None, None


@rule("region_sensitive")
def _region_sensitive(context: Context, gradient: Tensor) -> Gradients:
    x, boxes, counts = context.inputs
    spread = apply(box_pooling.region_sensitive_back, gradient, x.detach(), boxes, counts, **context.attributes)
    return spread, None, None


@rule("region_sensitive_back")
def _region_sensitive_back(context: Context, gradient: Tensor) -> Gradients:
    _, _, boxes, counts = context.inputs
    return apply(box_pooling.region_sensitive, gradient, boxes, counts, **context.attributes), None, None, None
