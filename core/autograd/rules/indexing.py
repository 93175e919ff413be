"""Rules of slices, gathering and scattering (core.operators.indexing.slicing, gathering, scattering, masking)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.creation._constants import positions
from core.operators.indexing.gathering import linear_index, take_rows
from core.operators.indexing.scattering import add_rows, set_rows
from core.operators.indexing.slicing import assign_ranges, slice_backward, take_ranges
from core.operators.reductions.reduction import unbroadcast
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("slice")
def _slice(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    if not context.create_graph and not gradient._value.traced:
        return (apply(slice_backward, gradient, ranges=context.ranges, shape=tuple(x.shape)),)
    return (assign_ranges(ops.zeros(x.shape, x.dtype), context.ranges, gradient),)


@rule("slice_assign")
def _slice_assign(context: Context, gradient: Tensor) -> Gradients:
    ranges = context.ranges
    zero = ops.zeros([], gradient.dtype)
    return (
        assign_ranges(gradient, ranges, zero) if context.needs[0] else None,
        take_ranges(gradient, ranges) if context.needs[1] else None,
    )


@rule("take")
def _take(context: Context, gradient: Tensor) -> Gradients:
    x, index = context.inputs
    axis, size = context.axis, x.shape[context.axis]
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    position = reshape_exact(linear_index([index], [size]), [index.size])
    if axis == 0:
        return (add_rows(reshape_exact(gradient, [index.size, *after]), position, size), None)
    rows = math.prod(before)
    offsets = reshape_exact(positions(rows), [rows, 1]) * size
    flat = reshape_exact(offsets + reshape_exact(position, [1, index.size]), [rows * index.size])
    table = add_rows(reshape_exact(gradient, [rows * index.size, *after]), flat, rows * size)
    return (reshape_exact(table, x.shape), None)


@rule("scatter_add_rows")
def _scatter_add_rows(context: Context, gradient: Tensor) -> Gradients:
    return (take_rows(gradient, context.inputs[1]), None)


@rule("scatter_set_rows")
def _scatter_set_rows(context: Context, gradient: Tensor) -> Gradients:
    index, updates = context.inputs[1:]
    return (
        set_rows(gradient, index, ops.zeros(updates.shape, gradient.dtype)) if context.needs[0] else None,
        None,
        take_rows(gradient, index) if context.needs[2] else None,
    )


@rule("where", "where_same")
def _where(context: Context, gradient: Tensor) -> Gradients:
    condition, x, y = context.inputs
    condition = ops.cast(condition, "bool")
    zero = ops.zeros([], gradient.dtype)
    return (
        None,
        unbroadcast(ops.where(condition, gradient, zero), x.shape) if context.needs[1] else None,
        unbroadcast(ops.where(condition, zero, gradient), y.shape) if context.needs[2] else None,
    )
