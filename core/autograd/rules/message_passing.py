"""Rules of message passing (core.operators.graphs.message_passing): gradients travel back along the same edges.

The operators close under differentiation: the gradient of each is one, or a few, of the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

from core.autograd.context import Context, rule
from core.kernels.dtypes import int32
from core.operators.creation._constants import positions_along
from core.operators.creation.creation import cast
from core.operators.graphs import _message_primitives as primitives
from core.operators.graphs import message_passing as messages
from core.operators.graphs._edges import Edges, Rows
from core.operators.graphs.message_passing import dot_ends, gather_multiply_reduce, gather_reduce
from core.operators.indexing.masking import where
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]
_ROWS = (None,) * 6


def _edges(context: Context) -> Edges:
    """Return the edges of an operation, its last six inputs."""
    rows = context.inputs[-6:]
    return Edges(Rows(*rows[:3]), Rows(*rows[3:]))


@rule("gather_sum")
def _gather_sum(context: Context, gradient: Tensor) -> Gradients:
    edges = _edges(context)
    if context.mean:
        gradient = gradient / messages.degrees(edges.incoming, gradient.dtype, gradient.ndim)
    return (gather_reduce(gradient, edges.transposed), *_ROWS)


@rule("gather_multiply_sum")
def _gather_multiply_sum(context: Context, gradient: Tensor) -> Gradients:
    (x, weight), edges = context.inputs[:2], _edges(context)
    if all(context.needs[:2]) and not context.create_graph:
        found = apply(primitives.gather_multiply_gradients, gradient, x, weight, *edges.outgoing)
        return (*found, *_ROWS)
    of_x = of_weight = None
    if context.needs[0]:
        of_x = gather_multiply_reduce(gradient, weight, edges.transposed)
    if context.needs[1]:
        size = math.prod(x.shape[weight.ndim :])
        sources, targets = (reshape_exact(t, [t.shape[0], *weight.shape[1:], size]) for t in (x, gradient))
        of_weight = dot_ends(sources, targets, edges)
    return (of_x, of_weight, *_ROWS)


@rule("gather_multiply_add")
def _gather_multiply_add(context: Context, gradient: Tensor) -> Gradients:
    of_x, of_weight, *rows = _gather_multiply_sum(context, gradient)
    return (of_x, of_weight, gradient.sum(0) if context.needs[2] else None, *rows)


@rule("dot_ends")
def _dot_ends(context: Context, gradient: Tensor) -> Gradients:
    (source, target), edges = context.inputs[:2], _edges(context)
    of_source = gather_multiply_reduce(target, gradient, edges.transposed) if context.needs[0] else None
    of_target = gather_multiply_reduce(source, gradient, edges) if context.needs[1] else None
    return (of_source, of_target, *_ROWS)


@rule("add_ends")
def _add_ends(context: Context, gradient: Tensor) -> Gradients:
    edges = _edges(context)
    of_source = messages.edge_reduce(gradient, edges.transposed) if context.needs[0] else None
    of_target = messages.edge_reduce(gradient, edges) if context.needs[1] else None
    return (of_source, of_target, *_ROWS)


@rule("gather_extreme")
def _gather_extreme(context: Context, gradient: Tensor, _: Optional[Tensor]) -> Gradients:
    edges, winners = _edges(context), context.outputs[1]
    back = (*edges.outgoing, *edges.incoming)
    return (apply(primitives.sum_of_winners, gradient, winners, *back, forward=False), *_ROWS)


@rule("sum_of_winners")
def _sum_of_winners(context: Context, gradient: Tensor) -> Gradients:
    winners, edges = context.inputs[1], _edges(context)
    back = (*edges.outgoing, *edges.incoming)
    return (apply(primitives.sum_of_winners, gradient, winners, *back, forward=not context.forward), None, *_ROWS)


@rule("edge_sum")
def _edge_sum(context: Context, gradient: Tensor) -> Gradients:
    _, indptr, edge_ids = context.inputs
    return (apply(primitives.edge_expand, gradient, indptr, edge_ids), None, None)


@rule("edge_expand")
def _edge_expand(context: Context, gradient: Tensor) -> Gradients:
    _, indptr, edge_ids = context.inputs
    return (apply(primitives.edge_sum, gradient, indptr, edge_ids), None, None)


@rule("edge_extreme")
def _edge_extreme(context: Context, gradient: Tensor, _: Optional[Tensor]) -> Gradients:
    x, *rows = context.inputs
    winners, arrived = (apply(primitives.edge_expand, t, *rows) for t in (context.outputs[1], gradient))
    mine = cast(positions_along(0, x.shape), int32)
    return (where(winners == mine, arrived, Tensor(0, dtype=x.dtype)), None, None)


@rule("edge_softmax")
def _edge_softmax(context: Context, gradient: Tensor) -> Gradients:
    result, rows = context.outputs[0], context.inputs[1:]
    if not context.create_graph:
        return (apply(primitives.edge_softmax_gradient, gradient, result, *rows), None, None)
    weighted = gradient * result
    along = apply(primitives.edge_expand, apply(primitives.edge_sum, weighted, *rows), *rows)
    return (weighted - result * along, None, None)
