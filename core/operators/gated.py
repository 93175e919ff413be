"""The operator of numbers times a gate that they open themselves: hard swish and swish, in kernels of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.kernels.operator import HostOperator
from core.operators.own_kernels import is_exported_or_mixed, is_for_our_kernel, kernel
from core.tensor import Tensor, apply

FEWEST_ELEMENTS = 2**13
"""Below it, calling our kernel costs more than the engine's two operators."""


_gate_gradient = kernel("gated", "gate_gradient")


def _into_gate(
    gradients: Sequence[np.ndarray],
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    out: Sequence[Optional[np.ndarray]],
    *,
    hard: bool,
) -> None:
    if out[0] is not None:
        _gate_gradient(gradients[0], inputs[0], hard=hard, out=out[0])


gated = HostOperator(
    "gated", kernel("gated", "gate"), infer=lambda metas, options: metas, fills=True, gradients=_into_gate
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
