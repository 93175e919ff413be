"""Rows of words: tiles of their products by panels, and what becomes of the sums, in registers.

What stands in words is explained in :mod:`core.kernels.channels_last.forms`. All arrays are flat; where a function
takes an empty array, ``marker``, its type says in which form numbers are multiplied, as in
:mod:`core.kernels.channels_last.narrow_tiles`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, HAS_BFLOAT16_PRODUCTS, FormCode
from core.kernels.channels_last.narrow_tiles import HEIGHTS, emit_sums, form_of
from core.kernels.channels_last.tiles import VECTORS
from core.kernels.channels_last.vectors import LANES
from core.kernels.layers.vector_functions import CODES, activated

COLUMNS = VECTORS * LANES
"""Columns of a panel."""

HEAD_VECTORS = 4
HEAD_COLUMNS = HEAD_VECTORS * LANES
"""Columns of a panel in attention."""


@intrinsic
def narrow_rows(
    context: Any, marker: Any, x: Any, memory: Any, source: Any, target: Any, vectors: Any, inverse: Any, zero: Any
) -> Any:
    """Write vectors of x, from ``source`` on, in the marker's form, from the word ``target`` on."""
    signature = types.void(marker, x, memory, *[types.int64] * 3, types.float32, types.float32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code, form = FormCode(context, builder, signature, arguments), form_of(signature.args[0])
        x, memory, source, target, vectors, inverse, zero = code.values[1:]
        inverse, zero = code.spread(inverse), code.spread(zero)

        def vector(v: Any, _: Sequence[Any]) -> list[Any]:
            row = code.row(x, code.sum(source, code.times(v, LANES)))
            code.write(form, row, memory, code.sum(target, code.times(v, LANES >> form)), inverse, zero)
            return []

        code.loop(vectors, [], vector)
        return context.get_dummy_value()

    return signature, generate


def _tile(vectors: int, heights: Sequence[int]) -> Any:
    """Return a function for numba's code that computes tiles of so many vectors of columns, and one of some heights."""

    @intrinsic
    def tile(
        context: Any,
        marker: Any,
        words: Any,
        weights: Any,
        places: Any,
        rows: Any,
        pixels: Any,
        base: Any,
        depths: Any,
        depth: Any,
        first: Any,
        start: Any,
        sums: Any,
        target: Any,
    ) -> Any:
        """Write the products of a few rows and a panel, one row behind the other, from ``target`` on.

        Arguments are those of :func:`core.kernels.channels_last.narrow_tiles.dot_tile`; sums have their own array.
        """
        signature = types.void(marker, words, weights, places, *[types.int64] * 7, sums, types.int64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            code, form = FormCode(context, builder, signature, arguments), form_of(signature.args[0])
            words, weights, places, rows, *others, sums, target = code.values[1:]

            def of_height(count: int) -> None:
                for i, total in enumerate(emit_sums(code, form, vectors, count, words, weights, places, *others)):
                    code.store(builder.bitcast(total, code.vector), sums, code.sum(target, i * LANES))

            code.choose(rows, [(count, lambda count=count: of_height(count)) for count in heights])
            return context.get_dummy_value()

        return signature, generate

    return tile


row_tile = _tile(VECTORS, HEIGHTS)
"""Products of a panel of COLUMNS columns and 1, 3 or HEIGHT rows."""

HEAD_HEIGHTS = (1, 3, 6)
head_tile = _tile(HEAD_VECTORS, HEAD_HEIGHTS)
"""Products of a panel of HEAD_COLUMNS columns, of which heads of attention are whole ones, and so many rows."""


@intrinsic
def write_sums(
    context: Any,
    marker: Any,
    sums: Any,
    at: Any,
    rows: Any,
    vectors: Any,
    ends: Any,
    scale: Any,
    bias: Any,
    activation: Any,
    form: Any,
    result: Any,
    target: Any,
    line: Any,
    inverse: Any,
    zero: Any,
) -> Any:
    """Turn the sums of some rows and the first vectors of a panel, which begin at ``at``, into results in some form.

    Sums of bytes are whole numbers: they are multiplied by the row of ``ends`` at ``scale``, and the one at ``bias`` is
    added. Row r is written from ``result[target + r * line]`` on; ``inverse`` and ``zero`` are, for bytes, 1 / the
    scale and the zero point of the results.
    """
    whole = types.int64
    signature = types.void(
        marker, sums, *[whole] * 3, ends, *[whole] * 4, result, whole, whole, types.float32, types.float32
    )

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code, narrow = FormCode(context, builder, signature, arguments), form_of(signature.args[0])
        sums, at, rows, vectors, ends, scale, bias, activation, form, result, target, line = code.values[1:13]
        inverse, zero = (code.spread(value) for value in code.values[13:])

        def written(change: int, form: int, is_whole: bool) -> None:
            def row(r: Any, _: Sequence[Any]) -> list[Any]:
                start, end = code.sum(at, code.times(r, COLUMNS)), code.sum(target, code.times(r, line))

                def vector(v: Any, _: Sequence[Any]) -> list[Any]:
                    along = code.times(v, LANES)
                    x = code.row(sums, code.sum(start, along))
                    if narrow == BYTES:
                        x = builder.sitofp(builder.bitcast(x, code.whole), code.vector)
                        x = code.multiply_add(x, *[code.row(ends, code.sum(where, along)) for where in (scale, bias)])
                    x, place = activated(code, change, x), code.sum(end, code.times(v, LANES >> form))
                    code.write(form, x, result, place, inverse, zero)
                    return []

                if is_whole:
                    for v in range(VECTORS):
                        vector(code.number(v), [])
                else:
                    code.loop(vectors, [], vector)
                return []

            code.loop(rows, [], row)

        forms = [FLOAT32, *[BFLOAT16] * HAS_BFLOAT16_PRODUCTS, *[BYTES] * (narrow == BYTES)]
        cases = [(change, form, is_whole) for change in CODES.values() for form in forms for is_whole in (False, True)]
        full = builder.zext(builder.icmp_signed("==", vectors, code.number(VECTORS)), code.index)
        choice = code.sum(code.times(code.sum(code.times(activation, BYTES + 1), form), 2), full)
        bodies = [((case[0] * 3 + case[1]) * 2 + case[2], lambda case=case: written(*case)) for case in cases]
        code.choose(choice, bodies)
        return context.get_dummy_value()

    return signature, generate
