"""Rules of pooling: averages are linear; a maximum moves the gradient to where it was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.autograd.context import Context, rule
from core.operators.layers import _pooling_primitives as primitives
from core.operators.layers import pooling_adaptive as adaptive
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


def _window(context: Context) -> dict[str, Any]:
    return {key: value for key, value in context.attributes.items() if key != "size"}


@rule("maximum_pooling")
def _maximum_pooling(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    if not context.create_graph and context.saved is not None:
        return (apply(primitives.maximum_pooling_backward, gradient, x, **_window(context)),)
    pairs = tuple([(pad, pad) for pad in context.pad])
    positions = primitives.window_positions(x, context.kernel, context.stride, pairs)
    return (primitives.scatter(gradient, positions, x.shape[2:], accumulate=True),)


@rule("average_pooling")
def _average_pooling(context: Context, gradient: Tensor) -> Gradients:
    size = tuple(context.inputs[0].shape[2:])
    return (apply(primitives.average_pooling_backward, gradient, size=size, **_window(context)),)


@rule("average_pooling_backward")
def _average_pooling_backward(context: Context, gradient: Tensor) -> Gradients:
    return (primitives.average_windows(gradient, **_window(context)),)


@rule("gather_positions")
def _gather_positions(context: Context, gradient: Tensor) -> Gradients:
    x, positions = context.inputs
    return primitives.scatter(gradient, positions, x.shape[2:], accumulate=True), None


@rule("scatter_positions")
def _scatter_positions(context: Context, gradient: Tensor) -> Gradients:
    return primitives.gather(gradient, context.inputs[1]), None


@rule("adaptive_average_pooling")
def _adaptive_average_pooling(context: Context, gradient: Tensor) -> Gradients:
    size = tuple(context.inputs[0].shape[2:])
    return (apply(adaptive.adaptive_average_backward, gradient, output_size=context.output_size, size=size),)


@rule("adaptive_average_pooling_backward")
def _adaptive_average_pooling_backward(context: Context, gradient: Tensor) -> Gradients:
    return (adaptive.adaptive_average(gradient, context.output_size),)
