"""Tiles of products of 16- and 8-bit numbers, and what becomes of their sums: float32 numbers, then values in a form.

A tile leaves its sums in a thread's own room, pixel by pixel, where they stay in the processor's first cache. All
functions take an empty array, ``marker``, first: its type, uint16 for bfloat16 and uint8 for bytes, says which forms
beside float32 there are, so that each kind of network has kernels of its own and compiles no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, FormCode
from core.kernels.channels_last.tiles import HEIGHT, ROW_KINDS, VECTORS, emit_row
from core.kernels.channels_last.vectors import LANES

AS_THEY_ARE, SCALED, COUNTED = range(3)
"""What sums are: float32 numbers; those times a scale, plus a bias; whole numbers times a scale, plus a bias."""

IN_PLACE = 3
"""What to give for a form where numbers are to stay in float32, in the place of the sums."""

HEIGHTS = (1, 3, HEIGHT)
"""Pixels of a tile."""


def form_of(marker: Any) -> int:
    """Return the form that the type of a marker stands for."""
    return {types.float32: FLOAT32, types.uint16: BFLOAT16, types.uint8: BYTES}[marker.dtype]


@intrinsic
def dot_tile(
    context: Any,
    marker: Any,
    memory: Any,
    weights: Any,
    places: Any,
    vectors: Any,
    rows: Any,
    pixels: Any,
    base: Any,
    depths: Any,
    depth: Any,
    first: Any,
    start: Any,
    target: Any,
) -> Any:
    """Add up some vectors of channels of a few pixels, HEIGHT, 3 or 1, of a convolution of the marker's form.

    Arguments are those of :func:`core.kernels.channels_last.tiles.product_tile`, in words; sums begin with the row of
    weights at ``start``, and are written from ``target`` on, one pixel behind the other.
    """
    signature = types.void(marker, memory, weights, places, *[types.int64] * 9)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        form = form_of(signature.args[0])
        memory, weights, places, vectors, rows, *others = code.values[1:]

        def of_height(count: int) -> None:
            bodies = [(n, lambda n=n: _emit(code, form, count, n, memory, weights, places, *others)) for n in HEIGHTS]
            code.choose(rows, bodies)

        code.choose(vectors, [(count, lambda count=count: of_height(count)) for count in range(1, VECTORS + 1)])
        return context.get_dummy_value()

    return signature, generate


def _emit(
    code: FormCode,
    form: int,
    vectors: int,
    rows: int,
    memory: Any,
    weights: Any,
    places: Any,
    pixels: Any,
    base: Any,
    depths: Any,
    depth: Any,
    first: Any,
    start: Any,
    target: Any,
) -> None:
    given = (vectors, rows, memory, weights, places, pixels, base, depths, depth, first, start)
    for i, total in enumerate(emit_sums(code, form, *given)):
        code.store(code.builder.bitcast(total, code.vector), memory, code.sum(target, i * LANES))


def emit_sums(
    code: FormCode,
    form: int,
    vectors: int,
    rows: int,
    memory: Any,
    weights: Any,
    places: Any,
    pixels: Any,
    base: Any,
    depths: Any,
    depth: Any,
    first: Any,
    start: Any,
) -> list[Any]:
    """Write the code of a tile's sums, pixel by pixel; of bytes they are whole numbers."""
    starts = [code.sum(base, code.element(places, code.sum(pixels, r))) for r in range(rows)]
    load = code.bits if form == BYTES else code.row
    initial = [load(weights, code.sum(start, v * LANES)) for v in range(vectors)]

    def step(k: Any, sums: Sequence[Any]) -> list[Any]:
        along = code.element(places, code.sum(depths, k))
        line = code.sum(first, code.times(k, vectors * LANES))
        factors = [code.row(weights, code.sum(line, v * LANES)) for v in range(vectors)]
        results = []
        for r in range(rows):
            word = code.spread(code.element(memory, code.sum(starts[r], along)))
            results += [code.accumulated(form, sums[r * vectors + v], word, factors[v]) for v in range(vectors)]
        return results

    return code.loop(depth, initial * rows, step)


@intrinsic
def finish(
    context: Any,
    marker: Any,
    memory: Any,
    weights: Any,
    places: Any,
    results: Any,
    sums_are: Any,
    vectors: Any,
    rows: Any,
    sums: Any,
    scale: Any,
    bias: Any,
    other_form: Any,
    added: Any,
    others: Any,
    form: Any,
    target: Any,
    targets: Any,
    other_scale: Any,
    other_zero: Any,
    low: Any,
    high: Any,
    inverse: Any,
    zero: Any,
) -> Any:
    """Turn the sums of some pixels into values: scaled, another value added, between bounds, and written in a form.

    The sums of all vectors of pixel r follow each other, from ``sums`` on; the scale and the bias of each channel are
    rows of weights. ``other_form`` is the form of what is added to pixel r, at ``added + places[others + r]``; below 0
    nothing is. Bytes of it are counted from ``other_zero`` in steps of ``other_scale``. Pixel r is written to
    ``results[target + places[targets + r]]``; ``inverse`` and ``zero`` are, for bytes, 1 / scale and the zero point.
    """
    signature = types.void(marker, memory, weights, places, results, *[types.int64] * 12, *[types.float32] * 6)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        narrow = form_of(signature.args[0])
        memory, weights, places, results, sums_are, vectors, rows, sums, scale, bias = code.values[1:11]
        other_form, added, others, form, target, targets = code.values[11:17]
        other_scale, other_zero, low, high, inverse, zero = [code.spread(value) for value in code.values[17:]]

        def of_kind(kind: int, other: int, form: int, known: int) -> None:
            """Write the code for so many vectors, or for any number of them (0)."""
            count = code.number(known) if known else vectors

            def row(r: Any, _: Sequence[Any]) -> list[Any]:
                line = code.sum(sums, code.times(code.times(r, count), LANES))
                start = code.sum(added, code.element(places, code.sum(others, r))) if other >= 0 else None
                end = line if form == IN_PLACE else code.sum(target, code.element(places, code.sum(targets, r)))
                array, written = (memory, FLOAT32) if form == IN_PLACE else (results, form)

                def vector(v: Any, _: Sequence[Any]) -> list[Any]:
                    along = code.times(v, LANES)
                    x = code.row(memory, code.sum(line, along))
                    if kind == COUNTED:
                        x = builder.sitofp(builder.bitcast(x, code.whole), code.vector)
                    if kind != AS_THEY_ARE:
                        factor, shift = (code.row(weights, code.sum(where, along)) for where in (scale, bias))
                        x = code.multiply_add(x, factor, shift)
                    if start is not None:
                        y = code.numbers(other, memory, code.sum(start, code.times(v, LANES >> other)))
                        if other == BYTES:
                            y = builder.fmul(builder.fsub(y, other_zero), other_scale)
                        x = builder.fadd(x, y)
                    x = code.bounded(x, low, high)
                    code.write(written, x, array, code.sum(end, code.times(v, LANES >> written)), inverse, zero)
                    return []

                if known:
                    for v in range(known):
                        vector(code.number(v), [])
                else:
                    code.loop(vectors, [], vector)
                return []

            code.loop(rows, [], row)

        kinds = (AS_THEY_ARE, SCALED, COUNTED) if narrow == BYTES else (AS_THEY_ARE,)
        cases = [
            (kind, other, form, 0)
            for kind in kinds
            for other in (-1, FLOAT32, narrow)
            for form in (FLOAT32, narrow, IN_PLACE)
        ]
        cases += [  # what most of the time goes into
            (kind, other, narrow, known) for kind in kinds for other in (-1, narrow) for known in range(1, VECTORS + 1)
        ]
        often = builder.icmp_signed("<=", vectors, code.number(VECTORS))
        often = builder.and_(often, builder.icmp_signed("==", form, code.number(narrow)))
        often = builder.and_(often, builder.icmp_signed("!=", other_form, code.number(FLOAT32)))
        choice = code.number(0)
        for part in (sums_are, code.sum(other_form, 1), form, builder.select(often, vectors, code.number(0))):
            choice = code.sum(code.times(choice, 4), part)
        numbers = [((kind * 4 + other + 1) * 4 + form) * 4 + known for kind, other, form, known in cases]
        code.choose(choice, [(n, lambda case=case: of_kind(*case)) for n, case in zip(numbers, cases)])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def convolve_narrow_row(
    context: Any,
    marker: Any,
    memory: Any,
    weights: Any,
    kind: Any,
    start: Any,
    line: Any,
    channels: Any,
    first: Any,
    bias: Any,
    target: Any,
    width: Any,
    kernel_rows: Any,
    neighbours: Any,
    low: Any,
    high: Any,
) -> Any:
    """Compute what :func:`core.kernels.channels_last.tiles.convolve_row` does in groups, of the marker's form.

    Bytes count as they are: their sums are whole numbers, exact in float32. The result is float32, one pixel behind the
    other.
    """
    signature = types.void(marker, memory, weights, *[types.int64] * 10, types.float32, types.float32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        memory, weights, kind, *others = code.values[1:]
        form = form_of(signature.args[0])

        def load(array: Any, place: Any) -> Any:
            return code.numbers(form, array, place)

        bodies = [
            (i, lambda sizes=sizes: emit_row(code, sizes, form, load, memory, weights, *others))
            for i, sizes in enumerate(ROW_KINDS)
            if sizes[2] > 1
        ]
        code.choose(kind, bodies)
        return context.get_dummy_value()

    return signature, generate
