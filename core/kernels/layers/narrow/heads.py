"""What attention in bfloat16 does with rows of scores and of words, in registers."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, FormCode
from core.kernels.channels_last.vectors import LANES
from core.kernels.layers.narrow.rows import HEAD_COLUMNS, HEAD_VECTORS
from core.kernels.layers.vector_functions import larger, of_lanes, power
from core.kernels.numeric.smooth import EXP_SERIES

_SERIES = EXP_SERIES[:-2]  # bfloat16 has 4e-3


@intrinsic
def exponentials(
    context: Any,
    scores: Any,
    at: Any,
    apart: Any,
    panels: Any,
    scale: Any,
    hidden: Any,
    words: Any,
    target: Any,
) -> Any:
    """Write exp(score * scale + hidden - the largest of these) of a query in bfloat16, and return the sum.

    The scores of a panel of keys begin at ``at``, those of the next one ``apart`` further; words begin at ``target``.
    """
    signature = types.float32(scores, *[types.int64] * 3, types.float32, hidden, words, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        scores, at, apart, panels, scale, hidden, words, target = code.values
        scale = code.spread(scale)

        def masked(p: Any, best: Sequence[Any]) -> list[Any]:
            start, results = code.sum(at, code.times(p, apart)), []
            for v in range(HEAD_VECTORS):
                place = code.sum(start, v * LANES)
                added = code.row(hidden, code.sum(code.times(p, HEAD_COLUMNS), v * LANES))
                x = code.multiply_add(code.row(scores, place), scale, added)
                code.store(x, scores, place)
                results.append(larger(code, x, best[v]))
            return results

        lowest = [code.constant(float("-inf"))] * HEAD_VECTORS
        highest = of_lanes(code, code.loop(panels, lowest, masked), functools.partial(larger, code))

        def powers(p: Any, totals: Sequence[Any]) -> list[Any]:
            start, end = code.sum(at, code.times(p, apart)), code.sum(target, code.times(p, HEAD_COLUMNS // 2))
            results = []
            for v in range(HEAD_VECTORS):
                x = power(code, builder.fsub(code.row(scores, code.sum(start, v * LANES)), highest), _SERIES)
                code.write(BFLOAT16, x, words, code.sum(end, v * (LANES // 2)), None, None)
                results.append(builder.fadd(totals[v], x))
            return results

        total = of_lanes(code, code.loop(panels, [code.constant(0)] * HEAD_VECTORS, powers), builder.fadd)
        return builder.extract_element(total, ir.Constant(ir.IntType(32), 0))

    return signature, generate


@intrinsic
def write_shares(
    context: Any,
    sums: Any,
    rows: Any,
    shares: Any,
    form: Any,
    result: Any,
    target: Any,
    line: Any,
    inverse: Any,
    zero: Any,
) -> Any:
    """Write sums of some rows of a panel, each times its own share, in some form; see :func:`write_sums`."""
    whole = types.int64
    signature = types.void(sums, whole, shares, whole, result, whole, whole, types.float32, types.float32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        sums, rows, shares, form, result, target, line, inverse, zero = code.values
        inverse, zero = code.spread(inverse), code.spread(zero)

        def written(form: int) -> None:
            def row(r: Any, _: Sequence[Any]) -> list[Any]:
                start, end = code.times(r, HEAD_COLUMNS), code.sum(target, code.times(r, line))
                share = code.spread(code.element(shares, r))
                for v in range(HEAD_VECTORS):
                    x = builder.fmul(code.row(sums, code.sum(start, v * LANES)), share)
                    code.write(form, x, result, code.sum(end, v * (LANES >> form)), inverse, zero)
                return []

            code.loop(rows, [], row)

        code.choose(form, [(kind, lambda kind=kind: written(kind)) for kind in (FLOAT32, BFLOAT16, BYTES)])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def pair_rows(
    context: Any, one: Any, first: Any, other: Any, second: Any, count: Any, words: Any, target: Any, apart: Any
) -> Any:
    """Write words of two numbers of bfloat16, one of each of two rows of ``count`` words, in panels ``apart``."""
    whole = types.int64
    signature = types.void(one, whole, other, whole, whole, words, whole, whole)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        one, first, other, second, count, words, target, apart = code.values

        def panel(p: Any, _: Sequence[Any]) -> list[Any]:
            for v in range(HEAD_VECTORS):
                along = code.sum(code.times(p, HEAD_COLUMNS // 2), v * (LANES // 2))
                lower = code.widened(BFLOAT16, one, code.sum(first, along))
                upper = builder.shl(code.widened(BFLOAT16, other, code.sum(second, along)), code.wholes(16))
                word = builder.bitcast(builder.or_(lower, upper), code.vector)
                code.store(word, words, code.sum(target, code.times(p, apart), v * LANES))
            return []

        code.loop(builder.sdiv(count, code.number(HEAD_COLUMNS // 2)), [], panel)
        return context.get_dummy_value()

    return signature, generate
