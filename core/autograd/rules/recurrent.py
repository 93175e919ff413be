"""Rules of whole recurrent sequences (core.operators.layers.recurrent)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.autograd.backward import grad
from core.autograd.context import Context, rule
from core.operators.creation.creation import zeros_like
from core.operators.layers.recurrent import gru_gradients, lstm_gradients, recurrent_steps, simple_gradients
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("lstm")
def _lstm(context: Context, *gradients: Optional[Tensor]) -> Gradients:
    if context.create_graph:
        return _step_by_step("lstm", 2, context, gradients[:3])
    x, weight_ih, weight_hh, _, _, *states = context.inputs
    y, _, _, memories, gates = context.outputs
    found = apply(
        lstm_gradients,
        *_filled(context, gradients[:3]),
        *(x, weight_ih, weight_hh, *states[:2], y, memories, gates, *states[2:]),
        reverse=context.reverse,
    )
    return (*found[:4], found[3], *found[4:], *[None] * len(states[2:]))


@rule("gru")
def _gru(context: Context, *gradients: Optional[Tensor]) -> Gradients:
    if context.create_graph:
        return _step_by_step("gru", 1, context, gradients[:2])
    x, weight_ih, weight_hh, _, _, hidden, *lengths = context.inputs
    y, _, gates, candidates = context.outputs
    inputs = (x, weight_ih, weight_hh, hidden, y, gates, candidates, *lengths)
    found = apply(gru_gradients, *_filled(context, gradients[:2]), *inputs, reverse=context.reverse)
    return (*found, *[None] * len(lengths))


@rule("simple_rnn")
def _simple(context: Context, *gradients: Optional[Tensor]) -> Gradients:
    if context.create_graph:
        return _step_by_step(context.activation, 1, context, gradients)
    x, weight_ih, weight_hh, _, _, hidden, *lengths = context.inputs
    found = apply(
        simple_gradients,
        *_filled(context, gradients),
        *(x, weight_ih, weight_hh, hidden, context.outputs[0], *lengths),
        **context.attributes,
    )
    return (*found[:4], found[3], found[4], *[None] * len(lengths))


def _filled(context: Context, gradients: Sequence[Optional[Tensor]]) -> list[Tensor]:
    return [zeros_like(output) if g is None else g for output, g in zip(context.outputs, gradients)]


def _step_by_step(kind: str, states: int, context: Context, gradients: Sequence[Optional[Tensor]]) -> Gradients:
    """Return gradients that can be differentiated again: those of the steps computed one by one."""
    x, *others = context.inputs
    lengths = others[4 + states] if len(others) > 4 + states else None
    y, last = recurrent_steps(kind, x, others[:4], others[4 : 4 + states], lengths, context.reverse)
    pairs: list[Any] = [(output, g) for output, g in zip((y, *last), gradients) if g is not None]
    wanted = [tensor for tensor, needed in zip(context.inputs, context.needs) if needed]
    answers = iter(grad([o for o, _ in pairs], wanted, [g for _, g in pairs], create_graph=True, allow_unused=True))
    return [next(answers) if needed else None for needed in context.needs]
