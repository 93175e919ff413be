"""Rules of patches and columns (core.operators.shape.pixels): each is the other's transpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.autograd.context import Context, rule
from core.operators.shape import pixels
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


def _window(context: Context) -> dict[str, Any]:
    return {key: context.attributes[key] for key in ("kernel", "stride", "dilate", "pad")}


@rule("image_to_columns")
def _image_to_columns(context: Context, gradient: Tensor) -> Gradients:
    size = tuple(context.inputs[0].shape[2:])
    return (apply(pixels._to_image, gradient, output_size=size, **_window(context)),)


@rule("columns_to_image")
def _columns_to_image(context: Context, gradient: Tensor) -> Gradients:
    return (apply(pixels._to_columns, gradient, **_window(context)),)
