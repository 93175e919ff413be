"""Rules of whole sequences of Fluid's recurrent cells (core.operators.sequences.recurrent)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.autograd.backward import grad
from core.autograd.context import Context, rule
from core.operators.creation.creation import zeros_like
from core.operators.sequences.recurrent import (
    peephole_lstm_gradients,
    peephole_lstm_steps,
    reset_first_gru_gradients,
    reset_first_gru_steps,
)
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("peephole_lstm")
def _lstm(context: Context, *gradients: Optional[Tensor]) -> Gradients:
    if context.create_graph:
        y, memories, last = peephole_lstm_steps(*context.inputs, **context.attributes)
        return _again(context, [y, memories, *last], gradients[:4])
    _, weight, _, *given = context.inputs
    kept = context.outputs[5:]
    inputs = [weight, *given[:3], *context.outputs[:2], context.outputs[4], *kept, *given[3:]]
    found = apply(peephole_lstm_gradients, *_filled(context, gradients[:4]), *inputs, **context.attributes)
    return (*found[:5], None, *found[5:])


@rule("reset_first_gru")
def _gru(context: Context, *gradients: Optional[Tensor]) -> Gradients:
    if context.create_graph:
        return _again(context, reset_first_gru_steps(*context.inputs, **context.attributes), gradients[:2])
    _, weight, candidate_weight, _, hidden, lengths = context.inputs
    y, _, gates, reset = context.outputs
    inputs = (weight, candidate_weight, hidden, lengths, y, gates, reset)
    found = apply(reset_first_gru_gradients, *_filled(context, gradients[:2]), *inputs, **context.attributes)
    return (*found, None)


def _filled(context: Context, gradients: Sequence[Optional[Tensor]]) -> list[Tensor]:
    return [zeros_like(output) if g is None else g for output, g in zip(context.outputs, gradients)]


def _again(context: Context, outputs: Sequence[Tensor], gradients: Sequence[Optional[Tensor]]) -> Gradients:
    """Return gradients that can be differentiated again: those of the steps computed one by one."""
    pairs: list[Any] = [(output, g) for output, g in zip(outputs, gradients) if g is not None]
    wanted: list[Any] = [tensor for tensor, needed in zip(context.inputs, context.needs) if needed]
    answers = iter(grad([o for o, _ in pairs], wanted, [g for _, g in pairs], create_graph=True, allow_unused=True))
    return [next(answers) if needed else None for needed in context.needs]
