"""What attention does with a row of scores, in registers. All arrays are flat."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.forms import FormCode
from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import serial
from core.kernels.layers.vector_functions import larger, of_lanes, power
from core.kernels.numeric.smooth import EXP_SERIES
from core.kernels.numeric.tiles import COLUMNS, VECTORS

_HIDDEN = np.float32(-1e30)


@serial
def hide(mask: np.ndarray, b: int, h: int, i: int, keys: int, causal: bool, hidden: np.ndarray) -> None:
    """Write what is added to the scores of a query; what fills the line up gets -infinity."""
    b, h, row, last = min(b, mask.shape[0] - 1), min(h, mask.shape[1] - 1), min(i, mask.shape[2] - 1), mask.shape[3] - 1
    if last > 0:
        for j in range(keys):
            hidden[j] = mask[b, h, row, j]
    else:
        for j in range(keys):
            hidden[j] = mask[b, h, row, 0]
    if causal:
        for j in range(i + 1, keys):
            hidden[j] += _HIDDEN
    for j in range(keys, hidden.size):
        hidden[j] = -np.inf


@intrinsic
def soften(
    context: Any,
    scores: Any,
    at: Any,
    panels: Any,
    scale: Any,
    hidden: Any,
    statistics: Any,
    place: Any,
    divide: Any,
) -> Any:
    """Turn a query's scores, some panels of COLUMNS, into exp(score * scale + hidden - the largest of these).

    They are divided by their sum if ``divide``. The largest and 1 / the sum go to ``statistics[place : place + 2]``.
    """
    whole = types.int64
    signature = types.void(scores, whole, whole, types.float32, hidden, statistics, whole, types.boolean)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        scores, at, panels, scale, hidden, statistics, place, divide = code.values
        scale, first = code.spread(scale), ir.Constant(ir.IntType(32), 0)

        def masked(p: Any, best: Sequence[Any]) -> list[Any]:
            places = [code.sum(code.times(p, COLUMNS), v * LANES) for v in range(VECTORS)]
            rows = [code.row(scores, code.sum(at, along)) for along in places]
            rows = [code.multiply_add(x, scale, code.row(hidden, along)) for x, along in zip(rows, places)]
            for x, along in zip(rows, places):
                code.store(x, scores, code.sum(at, along))
            return [larger(code, x, y) for x, y in zip(rows, best)]

        def powers(p: Any, totals: Sequence[Any]) -> list[Any]:
            places = [code.sum(at, code.times(p, COLUMNS), v * LANES) for v in range(VECTORS)]
            rows = [power(code, builder.fsub(code.row(scores, along), highest), EXP_SERIES) for along in places]
            for x, along in zip(rows, places):
                code.store(x, scores, along)
            return [builder.fadd(x, y) for x, y in zip(rows, totals)]

        def divided(p: Any, _: Sequence[Any]) -> list[Any]:
            for v in range(VECTORS):
                along = code.sum(at, code.times(p, COLUMNS), v * LANES)
                code.store(builder.fmul(code.row(scores, along), share), scores, along)
            return []

        lowest = [code.constant(float("-inf"))] * VECTORS
        highest = of_lanes(code, code.loop(panels, lowest, masked), functools.partial(larger, code))
        total = of_lanes(code, code.loop(panels, [code.constant(0)] * VECTORS, powers), builder.fadd)
        share = builder.fdiv(code.constant(1), total)
        for i, x in enumerate((highest, share)):
            builder.store(builder.extract_element(x, first), builder.gep(statistics, [code.sum(place, i)]))
        code.when(divide, lambda: code.loop(panels, [], divided))
        return context.get_dummy_value()

    return signature, generate
