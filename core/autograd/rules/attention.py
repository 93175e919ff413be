"""Rule of attention (core.operators.layers.attention)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core.autograd.backward import grad
from core.autograd.context import Context, rule
from core.operators.layers.attention import attention_gradients, attention_in_parts, attention_keep
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


@rule("attention")
def _attention(context: Context, gradient: Tensor, _: Optional[Tensor]) -> Gradients:
    query, key, value, *others = context.inputs
    unused = [None] * len(others)
    if not context.create_graph:
        found = apply(attention_gradients, gradient, query, key, value, *context.outputs, *others, **context.attributes)
        return (*found, *unused)

    def drop(weights: Tensor) -> Tensor:
        if not context.dropout:
            return weights
        return weights * apply(attention_keep, others[-1], query, key, dropout=context.dropout)

    mask = others[0] if context.masked else None
    result = attention_in_parts(query, key, value, mask, context.causal, drop)
    wanted = [tensor for tensor, needed in zip(context.inputs, context.needs) if needed]
    answers = iter(grad([result], wanted, [gradient], create_graph=True, allow_unused=True))
    return (*[next(answers) if needed else None for needed in context.needs[:3]], *unused)
