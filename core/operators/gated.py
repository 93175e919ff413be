"""The operator of numbers times a gate that they open themselves: hard swish and swish, in kernels of ours."""

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


def gate(x: Tensor, hard: bool) -> Optional[Tensor]:
    """Return hard swish or swish of x; None where the engine's operators serve better, or alone."""
    if is_exported_or_mixed() or not is_for_our_kernel(x) or x.size < FEWEST_ELEMENTS:
        return None
    return apply(gated, x, hard=hard)  # type: ignore[no-any-return]


__all__: list[str] = []
