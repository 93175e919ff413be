"""The operator of numbers times a gate that they open themselves: hard swish and swish, in kernels of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.kernels import door, engine
from core.kernels.dtypes import float32
from core.kernels.operator import HostOperator
from core.tensor import Tensor, apply

FEWEST_ELEMENTS = 2**13
"""Below it, calling our kernel costs more than the engine's two operators."""


def _gate(x: np.ndarray, *, hard: bool, out: np.ndarray) -> None:
    from core.kernels.gated import gate  # numba loads with the first use

    gate(x, hard=hard, out=out)


def _gate_gradient(gradient: np.ndarray, x: np.ndarray, *, hard: bool, out: np.ndarray) -> None:
    from core.kernels.gated import gate_gradient

    gate_gradient(gradient, x, hard=hard, out=out)


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


gated = HostOperator("gated", _gate, infer=lambda metas, options: metas, fills=True, gradients=_into_gate)
gated_gradient = HostOperator(
    "gated_gradient", _gate_gradient, infer=lambda metas, options: metas[:1], fills=True, differentiable=False
)


def gate(x: Tensor, hard: bool) -> Optional[Tensor]:
    """Return hard swish or swish of x; None where the engine's operators serve better, or at all.

    Programs that are exported hold operators that other run times know.
    """
    trace = door.state.trace
    if x.dtype is not float32 or not engine.on_cpu() or door.state.precision is not None:
        return None
    if (trace is not None and trace.symbolic) or x.size < FEWEST_ELEMENTS:
        return None
    return apply(gated, x, hard=hard)  # type: ignore[no-any-return]


__all__: list[str] = []
