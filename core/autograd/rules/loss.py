"""Rules of the primitives of losses (core.operators.losses._reduction)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.backward import grad
from core.autograd.context import Context, rule
from core.operators.losses._mean_cross_entropy import mean_cross_entropy_backward
from core.operators.losses._reduction import pick_backward
from core.operators.losses.alignment import composed_ctc_loss
from core.operators.shape.manipulation import squeeze
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("pick")
def _pick(context: Context, gradient: Tensor) -> Gradients:
    x, index = context.inputs
    axis = context.axis
    if not context.create_graph:
        return apply(pick_backward, gradient, index, axis=axis, shape=tuple(x.shape)), None
    chosen = ops.cast(ops.one_hot(squeeze(index, axis), x.shape[axis]), gradient.dtype)
    return gradient * ops.moveaxis(chosen, -1, axis), None


@rule("mean_cross_entropy")
def _mean_cross_entropy(context: Context, gradient: Tensor) -> Gradients:
    scores, labels = context.inputs
    if not context.create_graph:
        logs = [Tensor(value) for value in context.saved or ()]
        found = apply(mean_cross_entropy_backward, gradient, scores, labels, *logs, ignore_index=context.ignore_index)
        return found, None
    counts = labels != context.ignore_index
    chosen = ops.one_hot(squeeze(ops.where(counts, labels, ops.zeros_like(labels)), 1), scores.shape[1])
    kept = ops.cast(counts, gradient.dtype)
    share = kept / ops.clip(kept.sum(), 1.0)
    return gradient * (ops.softmax(scores, 1) - ops.cast(chosen, gradient.dtype)) * share, None


@rule("logistic_loss")
def _logistic_loss(context: Context, gradient: Tensor) -> Gradients:
    x, label = context.inputs
    return (
        gradient * (ops.sigmoid(x) - label) if context.needs[0] else None,
        -(gradient * x) if context.needs[1] else None,
    )


@rule("ctc")
def _ctc(context: Context, gradient: Tensor, _: Optional[Tensor]) -> Gradients:
    logits, labels, input_lengths, label_lengths = context.inputs
    if not context.create_graph:
        return gradient.reshape([1, -1, 1]) * context.outputs[1], None, None, None
    loss = composed_ctc_loss(logits, labels, input_lengths, label_lengths, context.blank)
    # a loss of 0 marks an input too short for its label
    gradient = ops.where(context.outputs[0].detach() == 0, ops.zeros_like(gradient), gradient)
    return *grad(loss, logits, gradient, create_graph=True), None, None, None
