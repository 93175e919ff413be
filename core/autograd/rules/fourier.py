"""Rules of core.operators.linear_algebra._fourier: the transposed map is the transform of opposite sign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.operators.linear_algebra import _fourier as fourier
from core.tensor import Tensor

Gradients = Sequence[Optional[Tensor]]


def _both(context: Context, real: Optional[Tensor], imaginary: Optional[Tensor]) -> tuple[Tensor, Tensor]:
    missing = ops.zeros_like(context.outputs[0].detach())
    return missing if real is None else real, missing if imaginary is None else imaginary


@rule("fourier")
def _fourier(context: Context, real: Optional[Tensor], imaginary: Optional[Tensor]) -> Gradients:
    return fourier.transform(*_both(context, real, imaginary), context.axes, not context.inverse)


@rule("fourier_real")
def _fourier_real(context: Context, real: Optional[Tensor], imaginary: Optional[Tensor]) -> Gradients:
    # the gradient is spread over all frequencies, the second half zeros
    shape = context.inputs[0].shape
    parts = []
    for part in _both(context, real, imaginary):
        rest = [*shape[:-1], shape[-1] - part.shape[-1]]
        parts.append(ops.concat([part, ops.zeros(rest, part.dtype)], axis=-1) if rest[-1] else part)
    return (fourier.transform(parts[0], parts[1], [len(shape) - 1], True)[0],)
