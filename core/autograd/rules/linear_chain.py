"""Rules of chains of tags (core.operators.sequences.linear_chain)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.autograd.backward import grad
from core.autograd.context import Context, rule
from core.operators.sequences.linear_chain import (
    log_norm_gradients,
    log_norm_steps,
    path_score_gradients,
    path_score_parts,
)
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("crf_log_norm")
def _log_norm(context: Context, gradient: Tensor, _: Optional[Tensor]) -> Gradients:
    if context.create_graph:
        return _again(log_norm_steps, context, gradient)
    return (*apply(log_norm_gradients, gradient, *context.inputs, context.outputs[1]), None)


@rule("crf_path_score")
def _path_score(context: Context, gradient: Tensor) -> Gradients:
    if context.create_graph:
        return _again(path_score_parts, context, gradient)
    return (*apply(path_score_gradients, gradient, *context.inputs), None, None)


def _again(function: Callable[..., Tensor], context: Context, gradient: Tensor) -> Gradients:
    """Return gradients that can be differentiated again."""
    wanted: list[Any] = [tensor for tensor, needed in zip(context.inputs, context.needs) if needed]
    answers = iter(grad([function(*context.inputs)], wanted, [gradient], create_graph=True, allow_unused=True))
    return [next(answers) if needed else None for needed in context.needs]
