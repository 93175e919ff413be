"""Rules of convolution: the derivative of each of its three primitives is made of the two others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.autograd.context import Context, rule
from core.operators.layers import _convolution_primitives as primitives
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


def _window(context: Context) -> dict[str, Any]:
    return {key: context.attributes[key] for key in ("stride", "pad", "dilate", "groups")}


@rule("convolution")
def _convolution(context: Context, gradient: Tensor) -> Gradients:
    window = _window(context)
    x, weight = context.inputs[:2]
    has_bias = len(context.inputs) > 2
    if not context.create_graph and context.needs[1]:
        # one call of the engine's kernel gives everything
        return apply(primitives.convolution_backward, gradient, *context.inputs, **window)
    results: list[Optional[Tensor]] = [None] * len(context.inputs)
    if context.needs[0]:
        results[0] = primitives.convolution_input_gradient(gradient, weight, x.shape[2:], **window)
    if context.needs[1]:
        results[1] = primitives.convolution_weight_gradient(gradient, x, weight.shape, **window)
    if has_bias and context.needs[2]:
        results[2] = gradient.sum([0, *range(2, gradient.ndim)])
    return results


@rule("convolution_input_gradient")
def _input_gradient(context: Context, gradient: Tensor) -> Gradients:
    window = _window(context)
    output, weight = context.inputs
    return (
        primitives.convolve(gradient, weight, None, **window) if context.needs[0] else None,
        primitives.convolution_weight_gradient(output, gradient, weight.shape, **window) if context.needs[1] else None,
    )


@rule("convolution_weight_gradient")
def _weight_gradient(context: Context, gradient: Tensor) -> Gradients:
    window = _window(context)
    output, x = context.inputs
    return (
        primitives.convolve(x, gradient, None, **window) if context.needs[0] else None,
        primitives.convolution_input_gradient(output, gradient, x.shape[2:], **window) if context.needs[1] else None,
    )
