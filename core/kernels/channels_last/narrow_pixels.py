"""Pixels of 16- and 8-bit numbers: in float32, times factors of their channels, and the largest or the sum of windows.

Functions take an empty array that says which form there is beside float32, as those of
:mod:`core.kernels.channels_last.narrow_tiles` do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, FormCode
from core.kernels.channels_last.narrow_tiles import form_of
from core.kernels.channels_last.vectors import LANES


@intrinsic
def scale_pixels(
    context: Any,
    marker: Any,
    memory: Any,
    places: Any,
    form: Any,
    vectors: Any,
    rows: Any,
    source: Any,
    sources: Any,
    scale: Any,
    target: Any,
    targets: Any,
) -> Any:
    """Copy pixels, the marker's form or float32, each channel times a float32 factor; pixel r from ``sources``, looked
    up, to ``targets``."""
    signature = types.void(marker, memory, places, *[types.int64] * 8)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        memory, places, form, vectors, rows, source, sources, scale, target, targets = code.values[1:]

        def of_form(form: int) -> None:
            def row(r: Any, _: Sequence[Any]) -> list[Any]:
                start = code.sum(source, code.element(places, code.sum(sources, r)))
                end = code.sum(target, code.element(places, code.sum(targets, r)))

                def vector(v: Any, _: Sequence[Any]) -> list[Any]:
                    along = code.times(v, LANES >> form)
                    x = code.numbers(form, memory, code.sum(start, along))
                    x = builder.fmul(x, code.row(memory, code.sum(scale, code.times(v, LANES))))
                    code.write(form, x, memory, code.sum(end, along), None, None)
                    return []

                code.loop(vectors, [], vector)
                return []

            code.loop(rows, [], row)

        forms = [FLOAT32] + [BFLOAT16] * (form_of(signature.args[0]) == BFLOAT16)
        code.choose(form, [(form, lambda form=form: of_form(form)) for form in forms])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def take(
    context: Any,
    marker: Any,
    memory: Any,
    form: Any,
    vectors: Any,
    source: Any,
    target: Any,
    scale: Any,
    zero: Any,
) -> Any:
    """Write the numbers of neighbouring pixels, so many vectors of some form, in float32."""
    signature = types.void(marker, memory, *[types.int64] * 4, *[types.float32] * 2)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        memory, form, vectors, source, target, scale, zero = code.values[1:]
        scale, zero = code.spread(scale), code.spread(zero)

        def of_form(form: int) -> None:
            def vector(v: Any, _: Sequence[Any]) -> list[Any]:
                x = code.numbers(form, memory, code.sum(source, code.times(v, LANES >> form)))
                if form == BYTES:
                    x = builder.fmul(builder.fsub(x, zero), scale)
                code.store(x, memory, code.sum(target, code.times(v, LANES)))
                return []

            code.loop(vectors, [], vector)

        forms = (FLOAT32, form_of(signature.args[0]))
        code.choose(form, [(form, lambda form=form: of_form(form)) for form in forms])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def pool_window(
    context: Any,
    marker: Any,
    memory: Any,
    form: Any,
    adds: Any,
    vectors: Any,
    source: Any,
    line: Any,
    pixel: Any,
    rows: Any,
    columns: Any,
    target: Any,
    scale: Any,
    zero: Any,
) -> Any:
    """Write the largest number, or where ``adds`` is 1 the sum, of each channel of a window of some form, in float32.

    The window has ``rows`` times ``columns`` pixels, at least one, ``line`` and ``pixel`` words apart, from ``source``.
    """
    signature = types.void(marker, memory, *[types.int64] * 9, *[types.float32] * 2)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        memory, form, adds, vectors, source, line, pixel, rows, columns, target, scale, zero = code.values[1:]
        scale, zero = code.spread(scale), code.spread(zero)

        def of_kind(form: int, adding: bool) -> None:
            def vector(v: Any, _: Sequence[Any]) -> list[Any]:
                begin = code.sum(source, code.times(v, LANES >> form))

                def row(y: Any, totals: Sequence[Any]) -> list[Any]:
                    start = code.sum(begin, code.times(line, y))

                    def column(x: Any, totals: Sequence[Any]) -> list[Any]:
                        number, (total,) = code.numbers(form, memory, code.sum(start, code.times(pixel, x))), totals
                        if form == BYTES:
                            number = builder.fmul(builder.fsub(number, zero), scale)
                        if adding:
                            return [builder.fadd(total, number)]
                        larger = builder.fcmp_ordered("<", total, number)
                        larger = builder.or_(larger, builder.fcmp_unordered("!=", number, number))
                        return [builder.select(larger, number, total)]  # what is not a number stays

                    return code.loop(columns, totals, column)

                (total,) = code.loop(rows, [code.constant(0 if adding else -math.inf)], row)
                code.store(total, memory, code.sum(target, code.times(v, LANES)))
                return []

            code.loop(vectors, [], vector)

        forms = dict.fromkeys((FLOAT32, form_of(signature.args[0])))
        kinds = [(form, adding) for form in forms for adding in (False, True)]
        bodies = [(2 * form + adding, lambda kind=(form, adding): of_kind(*kind)) for form, adding in kinds]
        code.choose(code.sum(code.times(form, 2), adds), bodies)
        return context.get_dummy_value()

    return signature, generate
