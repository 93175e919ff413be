"""Operators in kernels of ours: the gate sigmoid, and numbers times one that they open: hard swish and swish."""

from __future__ import annotations

from typing import Optional

from core.kernels.operator import HostOperator
from core.operators.own_kernels import gradient_of_first, is_exported_or_mixed, is_for_our_kernel, kernel
from core.tensor import Tensor, apply

FEWEST_ELEMENTS = 2**13
"""Below it, calling our kernel costs more than the engine's two operators."""


_gate_gradient = kernel("gated", "gate_gradient")


gated = HostOperator(
    "gated",
    kernel("gated", "gate"),
    infer=lambda metas, options: metas,
    fills=True,
    gradients=gradient_of_first(_gate_gradient),
)
gated_gradient = HostOperator(
    "gated_gradient", _gate_gradient, infer=lambda metas, options: metas[:1], fills=True, differentiable=False
)
_opening_gradient = kernel("gated", "opening_gradient")
opening = HostOperator(
    "opening",
    kernel("gated", "opening"),
    infer=lambda metas, options: metas,
    fills=True,
    gradients=gradient_of_first(_opening_gradient),
)
opening_gradient = HostOperator(
    "opening_gradient", _opening_gradient, infer=lambda metas, options: metas[:1], fills=True, differentiable=False
)


def _served(x: Tensor) -> bool:
    return not is_exported_or_mixed() and is_for_our_kernel(x) and x.size >= FEWEST_ELEMENTS


def sigmoid(x: Tensor) -> Optional[Tensor]:
    """Return the sigmoid of x; None where the engine's operator serves better, or alone."""
    return apply(opening, x) if _served(x) else None  # type: ignore[no-any-return]


def gate(x: Tensor, hard: bool) -> Optional[Tensor]:
    """Return hard swish or swish of x; None where the engine's operators serve better, or alone."""
    return apply(gated, x, hard=hard) if _served(x) else None  # type: ignore[no-any-return]


__all__: list[str] = []
