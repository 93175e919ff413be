"""The innermost loop of a depthwise convolution's weight gradient: all taps of a vector of channels in registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.vectors import LANES, VectorCode

TAPS = ((3, 1), (3, 2), (5, 1), (5, 2))
"""Kernel and stride of the depthwise convolutions that there is code for."""


@intrinsic
def correlate_row(
    context: Any,
    memory: Any,
    kind: Any,
    start: Any,
    line: Any,
    gradient: Any,
    step: Any,
    channels: Any,
    width: Any,
    result: Any,
    place: Any,
) -> Any:
    """Add what a row of the result's gradient gives to the gradient of the weight.

    ``kind`` is a place in TAPS. The input's pixels are at ``start``, its rows ``line`` apart, the gradient's pixels are
    ``step`` apart. A vector of channels has its sums, [kernel, kernel, LANES], from ``result[place]`` on.
    """
    signature = types.void(memory, *[types.int64] * 7, result, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature, arguments)
        memory, kind, start, line, gradient, step, channels, width, result, place = code.values

        def of_kind(kernel: int, stride: int) -> None:
            size = kernel * kernel * LANES

            def vector(v: Any, _: Sequence[Any]) -> list[Any]:
                along, sums = code.times(v, LANES), code.sum(place, code.times(v, size))
                corner = code.sum(start, along)
                rows = [code.builder.gep(memory, [code.sum(corner, code.times(line, y))]) for y in range(kernel)]
                given = [code.row(result, code.sum(sums, i * LANES)) for i in range(kernel * kernel)]

                def pixel(x: Any, totals: Sequence[Any]) -> list[Any]:
                    g = code.row(memory, code.sum(gradient, along, code.times(step, x)))
                    at = [code.times(channels, code.sum(code.times(x, stride), i)) for i in range(kernel)]
                    taps = [code.row(rows[i // kernel], at[i % kernel]) for i in range(kernel * kernel)]
                    return [code.multiply_add(g, tap, total) for tap, total in zip(taps, totals)]

                for i, total in enumerate(code.loop(width, given, pixel)):
                    code.store(total, result, code.sum(sums, i * LANES))
                return []

            code.loop(builder.sdiv(channels, code.number(LANES)), [], vector)

        code.choose(kind, [(i, lambda sizes=sizes: of_kind(*sizes)) for i, sizes in enumerate(TAPS)])
        return context.get_dummy_value()

    return signature, generate
