"""Rules of normalisation; the statistics are outputs of the primitives and have gradients of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.kernels.dispatch import dispatcher
from core.operators.layers import _normalization_primitives as primitives
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("batch_normalization")
def _batch(context: Context, gradient: Any, mean_gradient: Any, inverse_gradient: Any) -> Gradients:
    x, scale, shift, unused, _ = context.inputs
    _, mean, inverse = context.outputs
    alone = gradient is not None and mean_gradient is None and inverse_gradient is None
    if alone and not context.create_graph and x.dtype is scale.dtype:
        backward = primitives.batch_normalization_backward
        inputs = (gradient, mean, inverse, x, scale, shift, unused, unused)
        return (*apply(backward, *inputs, **context.attributes), None, None)
    dtype = x.dtype
    x = ops.cast(x, scale.dtype)  # 16-bit inputs have float32 parameters
    gradient = None if gradient is None else ops.cast(gradient, scale.dtype)
    axes = [i for i in range(x.ndim) if i != context.axis]
    shape = [x.shape[context.axis] if i == context.axis else 1 for i in range(x.ndim)]
    count = x.size // x.shape[context.axis]
    if dispatcher.state.trace is not None:
        mean, variance = _moments(x, axes)
        mean, inverse = ops.flatten(mean), ops.rsqrt(ops.flatten(variance) + context.epsilon)
    wide_inverse = reshape_exact(inverse, shape)
    normal = (x - reshape_exact(mean, shape)) * wide_inverse
    results: list[Optional[Tensor]] = [None] * 5
    total = None
    if gradient is not None:
        results[1] = ops.sum(gradient * normal, axes)
        results[2] = ops.sum(gradient, axes)
        along = reshape_exact(results[2] / count, shape), reshape_exact(results[1] / count, shape)
        total = (gradient - along[0] - normal * along[1]) * (reshape_exact(scale, shape) * wide_inverse)
    if mean_gradient is not None:
        part = reshape_exact(mean_gradient / count, shape)
        total = _plus(total, ops.broadcast_to(part, x.shape))
    if inverse_gradient is not None:
        # d inverse / d x = -inverse^2 * normal / count
        total = _plus(total, normal * reshape_exact(inverse_gradient * inverse * inverse / -count, shape))
    results[0] = None if total is None else ops.cast(total, dtype)
    return results


def _moments(x: Tensor, axes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Compute mean and variance again: inside a graph the engine lets no gradient through its own statistics."""
    mean = ops.mean(x, axes, keepdim=True)
    centred = x - mean
    return mean, ops.mean(centred * centred, axes, keepdim=True)


def _plus(first: Optional[Tensor], second: Tensor) -> Tensor:
    return second if first is None else first + second


@rule("masked_batch_normalization")
def _masked(context: Context, gradient: Any, *unused: Optional[Tensor]) -> Gradients:
    x, mask, scale, _ = context.inputs
    rows = list(range(x.ndim - 1))
    shares = ops.unsqueeze(mask / ops.sum(mask), -1)
    mean, inverse = context.outputs[1:]
    if context.create_graph or dispatcher.state.trace is not None:
        mean = ops.sum(x * shares, rows)
        inverse = ops.rsqrt(ops.sum(ops.square(x - mean) * shares, rows) + context.epsilon)
    normal = (x - mean) * inverse
    total, along = ops.sum(gradient, rows), ops.sum(gradient * normal, rows)
    return (gradient - shares * (total + normal * along)) * (scale * inverse), None, along, total


@rule("frozen_normalization")
def _frozen(context: Context, gradient: Tensor) -> Gradients:
    x, scale, _, mean, variance = context.inputs
    dtype = x.dtype
    x, gradient = ops.cast(x, scale.dtype), ops.cast(gradient, scale.dtype)
    axes = [i for i in range(x.ndim) if i != context.axis]
    shape = [x.shape[context.axis] if i == context.axis else 1 for i in range(x.ndim)]
    inverse = ops.rsqrt(variance + context.epsilon)
    results: list[Optional[Tensor]] = [None] * 5
    if context.needs[0]:
        results[0] = ops.cast(gradient * reshape_exact(scale * inverse, shape), dtype)
    if any(context.needs[1:]):
        sums = ops.sum(gradient, axes)
        products = ops.sum(gradient * (x - reshape_exact(mean, shape)), axes)
        results[1] = products * inverse
        results[2] = sums
        results[3] = -sums * scale * inverse
        results[4] = products * scale * (inverse * inverse * inverse) * -0.5
    return results


@rule("instance_normalization")
def _images(context: Context, gradient: Any, *unused: Optional[Tensor]) -> Gradients:
    x, scale, _ = context.inputs
    if not context.create_graph:
        given = (gradient, x, scale, *context.outputs[1:])
        return apply(primitives.instance_normalization_backward, *given, **context.attributes)
    axes, around = list(range(2, x.ndim)), [x.shape[1]] + [1] * (x.ndim - 2)
    mean, variance = _moments(x, axes)
    inverse = ops.rsqrt(variance + context.epsilon)
    normal = (x - mean) * inverse
    scaled = gradient * reshape_exact(scale, around)
    along = ops.mean(scaled, axes, keepdim=True), ops.mean(scaled * normal, axes, keepdim=True)
    return (
        (scaled - along[0] - normal * along[1]) * inverse,
        ops.sum(gradient * normal, [0, *axes]),
        ops.sum(gradient, [0, *axes]),
    )


@rule("layer_normalization")
def _layer(context: Context, gradient: Any, mean_gradient: Any, deviation_gradient: Any) -> Gradients:
    x, scale, _ = context.inputs
    _, mean, deviation = context.outputs
    if gradient is not None and mean_gradient is None and deviation_gradient is None and not context.create_graph:
        backward = primitives.layer_normalization_backward
        return apply(backward, gradient, x, scale, mean, deviation, **context.attributes)
    count = x.shape[-1]
    if dispatcher.state.trace is not None:
        mean, variance = _moments(x, [x.ndim - 1])
        deviation = ops.sqrt(variance + context.epsilon)
    normal = (x - mean) / deviation
    results: list[Optional[Tensor]] = [None] * 3
    total = None
    if gradient is not None:
        rows = list(range(x.ndim - 1))
        results[1] = ops.sum(gradient * normal, rows) if rows else gradient * normal
        results[2] = ops.sum(gradient, rows) if rows else gradient
        scaled = gradient * scale
        along = ops.sum(scaled, -1, keepdim=True) / count, ops.sum(scaled * normal, -1, keepdim=True) / count
        total = (scaled - along[0] - normal * along[1]) / deviation
    if mean_gradient is not None:
        total = _plus(total, ops.broadcast_to(mean_gradient / count, x.shape))
    if deviation_gradient is not None:
        total = _plus(total, normal * (deviation_gradient / count))
    results[0] = total
    return results
