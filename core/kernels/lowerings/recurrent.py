"""Recurrent sequences: where nothing is learned, kernels that keep no gates, which the backward pass alone reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Kernel, Operator
from core.kernels.dtypes import float32
from core.kernels.engine.custom_kernels import kernel

_NOTHING: Meta = ((1,), float32)
"""What stands in for a result that nobody reads."""


def _lstm_results(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (steps, batch, _), size = metas[0][0], metas[2][0][1]
    return [((steps, batch, size), float32), *[((batch, size), float32)] * 2, _NOTHING, _NOTHING]


def _gru_results(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (steps, batch, _), size = metas[0][0], metas[2][0][1]
    return [((steps, batch, size), float32), ((batch, size), float32), _NOTHING, _NOTHING]


_LSTM = Kernel("lstm.states", kernel("layers.recurrent.sequences", "lstm"), infer=_lstm_results, differentiable=False)
_GRU = Kernel("gru.states", kernel("layers.recurrent.sequences", "gru"), infer=_gru_results, differentiable=False)


@lowers("lstm")
def _lstm(call: Call) -> Optional[Operator]:
    return None if call.learns else _LSTM


@lowers("gru")
def _gru(call: Call) -> Optional[Operator]:
    return None if call.learns else _GRU
