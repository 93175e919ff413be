"""Convolutions of 16- and 8-bit numbers that write what becomes of their sums from the registers.

They serve layers whose results are numbers of the same form, without an activation or with hard swish. Each kind of
tile of a product is a function: written out where it is called, its sums would not all stay in registers. A convolution
along rows multiplies a word of neighbouring pixels, of which it shifts the next one in, by as many taps at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.forms import BYTES, FLOAT32, FormCode
from core.kernels.channels_last.narrow_tiles import HEIGHTS, emit_sums, form_of
from core.kernels.channels_last.tiles import LENGTHS, ROW_KINDS, VECTORS
from core.kernels.channels_last.vectors import LANES
from core.kernels.numeric.tiles import outlined

PLAIN, ADDS_WIDE, ADDS_NARROW, HARD_SWISH = range(4)
"""What becomes of sums: nothing more; float32, or numbers of their own form, are added; their hard swish."""


@intrinsic
def written_tile(
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
    scale: Any,
    bias: Any,
    change: Any,
    added: Any,
    others: Any,
    target: Any,
    targets: Any,
    other_scale: Any,
    other_zero: Any,
    low: Any,
    high: Any,
    inverse: Any,
    zero: Any,
    slope: Any,
    offset: Any,
) -> Any:
    """Compute some vectors of channels of a few pixels, HEIGHT, 3 or 1, of a convolution of the marker's form.

    Arguments are those of :func:`core.kernels.channels_last.narrow_tiles.dot_tile` and ``finish``; the result has the
    marker's form. Of bytes ``other_scale``, the bounds and, but for hard swish, the scales and biases count in steps of
    the result's grid, biases and bounds from its zero point on: sums times scales plus biases are bytes once they are
    rounded. Hard swish is x times x * ``slope`` + ``offset`` between 0 and 1.
    """
    signature = types.void(marker, memory, weights, places, *[types.int64] * 15, *[types.float32] * 8)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        narrow = form_of(signature.args[0])
        memory, weights, places, vectors, rows, *others = code.values[1:]
        change = others.pop(8)
        given = [memory, weights, places, *others]

        def call(count: int, height: int, kind: int) -> None:
            builder.call(_function(code, narrow, count, height, kind, given), given)

        def of_height(count: int, height: int) -> None:
            kinds = (PLAIN, ADDS_WIDE, ADDS_NARROW, HARD_SWISH)
            code.choose(change, [(kind, lambda kind=kind: call(count, height, kind)) for kind in kinds])

        def of_vectors(count: int) -> None:
            code.choose(rows, [(height, lambda height=height: of_height(count, height)) for height in HEIGHTS])

        code.choose(vectors, [(count, lambda count=count: of_vectors(count)) for count in range(1, VECTORS + 1)])
        return context.get_dummy_value()

    return signature, generate


def _function(code: FormCode, form: int, vectors: int, rows: int, change: int, given: Sequence[Any]) -> Any:
    """Return the function of a tile."""

    def emit(builder: Any, *values: Any) -> None:
        _emit(code.inside(builder), form, vectors, rows, change, *values)

    name = f"core.written_tile.{form}.{vectors}.{rows}.{change}"
    return outlined(code.builder.module, name, [value.type for value in given], emit)


def _emit(
    code: FormCode,
    form: int,
    vectors: int,
    rows: int,
    change: int,
    memory: Any,
    weights: Any,
    places: Any,
    pixels: Any,
    base: Any,
    depths: Any,
    depth: Any,
    first: Any,
    start: Any,
    scale: Any,
    bias: Any,
    added: Any,
    others: Any,
    target: Any,
    targets: Any,
    *numbers: Any,
) -> None:
    sums = emit_sums(code, form, vectors, rows, memory, weights, places, pixels, base, depths, depth, first, start)
    finish = _Finish(code, form, change, *numbers)
    ends = [[code.row(weights, code.sum(where, v * LANES)) for v in range(vectors)] for where in (scale, bias)]
    for r in range(rows):
        end = code.sum(target, code.element(places, code.sum(targets, r)))
        more = code.sum(added, code.element(places, code.sum(others, r))) if finish.adds else None
        for v in range(vectors):
            x = finish.number(sums[r * vectors + v], ends[0][v], ends[1][v])
            if more is not None:
                x = finish.sum(x, memory, code.sum(more, v * (LANES >> finish.other)))
            finish.write(x, memory, code.sum(end, v * (LANES >> form)))


class _Finish:
    """Writes the code of what becomes of vectors of sums; arguments as of :func:`written_tile`."""

    def __init__(self, code: FormCode, form: int, change: int, *numbers: Any) -> None:
        self.code, self.form, self.change = code, form, change
        self.adds, self.other = change in (ADDS_WIDE, ADDS_NARROW), form if change == ADDS_NARROW else FLOAT32
        spread = [code.spread(value) for value in numbers]
        self._other_scale, self._other_zero, self._low, self._high = spread[:4]
        self._inverse, self._zero, self._slope, self._offset = spread[4:]

    def number(self, total: Any, scale: Any, bias: Any) -> Any:
        """Return a sum as float32."""
        if self.form != BYTES:
            return total
        return self.code.multiply_add(self.code.builder.sitofp(total, self.code.vector), scale, bias)

    def sum(self, x: Any, memory: Any, place: Any) -> Any:
        """Add what is in memory."""
        builder, y = self.code.builder, self.code.numbers(self.other, memory, place)
        if self.other == BYTES:
            y = builder.fmul(builder.fsub(y, self._other_zero), self._other_scale)
        elif self.form == BYTES:
            y = builder.fmul(y, self._inverse)
        return builder.fadd(x, y)

    def write(self, x: Any, memory: Any, place: Any) -> None:
        """Write what becomes of a number."""
        code = self.code
        if self.change == HARD_SWISH:
            gate = code.bounded(code.multiply_add(x, self._slope, self._offset), code.constant(0), code.constant(1))
            x = code.builder.fmul(x, gate)
            if self.form == BYTES:
                x = code.multiply_add(x, self._inverse, self._zero)
        if self.form == BYTES:
            code.write_counted(x, memory, place, self._low, self._high)
        else:
            code.write(self.form, code.bounded(x, self._low, self._high), memory, place, None, None)


@intrinsic
def convolve_words(
    context: Any,
    marker: Any,
    memory: Any,
    weights: Any,
    kind: Any,
    start: Any,
    line: Any,
    channels: Any,
    first: Any,
    begin: Any,
    scale: Any,
    bias: Any,
    change: Any,
    target: Any,
    width: Any,
    kernel_rows: Any,
    low: Any,
    high: Any,
    inverse: Any,
    zero: Any,
    slope: Any,
    offset: Any,
) -> Any:
    """Compute ``width`` pixels in a row of a depthwise convolution of the marker's form.

    Arguments are those of :func:`core.kernels.channels_last.tiles.convolve_row` and :func:`written_tile`; a vector of
    channels has words of weights from ``first``, ``[kernel, words, LANES]``. Where ``change`` is below 0, sums are
    written as they are, in words, one pixel behind the other.
    """
    signature = types.void(marker, memory, weights, *[types.int64] * 12, *[types.float32] * 6)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        form = form_of(signature.args[0])
        memory, weights, kind, *others = code.values[1:]
        change, numbers = others.pop(7), others[10:]
        others = others[:10]
        unused = builder.uitofp(code.number(0), ir.FloatType())

        def of_change(sizes: tuple[int, int], change: int) -> None:
            finish = _Finish(code, form, change, unused, unused, *numbers)
            _emit_row(code, form, sizes, finish, memory, weights, *others)

        def of_kind(sizes: tuple[int, int]) -> None:
            changes = (-1, PLAIN, HARD_SWISH)
            code.choose(change, [(change, lambda change=change: of_change(sizes, change)) for change in changes])

        kinds = [(i, sizes) for i, (*sizes, share) in enumerate(ROW_KINDS) if share == 1]
        code.choose(kind, [(i, lambda sizes=sizes: of_kind(sizes)) for i, sizes in kinds])
        return context.get_dummy_value()

    return signature, generate


def _emit_row(
    code: FormCode,
    form: int,
    sizes: tuple[int, int],
    finish: _Finish,
    memory: Any,
    weights: Any,
    start: Any,
    line: Any,
    channels: Any,
    first: Any,
    begin: Any,
    scale: Any,
    bias: Any,
    target: Any,
    width: Any,
    kernel_rows: Any,
) -> None:
    (kernel, stride), builder = sizes, code.builder
    several = 1 << form
    last = range((kernel - 1) % several, kernel, several)  # the last tap of each word
    pixel, written = builder.ashr(channels, code.number(form)), form if finish.change >= 0 else FLOAT32
    apart = builder.ashr(channels, code.number(written))

    def tile(length: int, start: Any, target: Any) -> None:
        def vector(c: Any, _: Sequence[Any]) -> list[Any]:
            along = code.times(c, LANES)
            initial = (code.bits if form == BYTES else code.row)(weights, code.sum(begin, along))

            def row(y: Any, sums: Sequence[Any]) -> list[Any]:
                corner = code.sum(start, code.times(c, LANES >> form), code.times(line, y))
                taps = code.sum(first, code.times(code.sum(code.times(c, kernel_rows), y), len(last) * LANES))
                factors = [code.row(weights, code.sum(taps, i * LANES)) for i in range(len(last))]
                window, sums = code.wholes(0), list(sums)
                for column in range((length - 1) * stride + kernel):
                    following = code.widened(form, memory, code.sum(corner, code.times(pixel, column)))
                    window = code.shifted_in(window, following, 32 >> form)
                    for factor, tap in zip(factors, last):
                        place, rest = divmod(column - tap, stride)
                        if rest == 0 and 0 <= place < length:
                            sums[place] = code.accumulated(form, sums[place], window, factor)
                return sums

            sums = code.loop(kernel_rows, [initial] * length, row)
            ends = [code.row(weights, code.sum(where, along)) for where in (scale, bias)]
            for place, total in enumerate(sums):
                end = code.sum(target, code.times(c, LANES >> written), code.times(apart, place))
                if finish.change < 0:
                    code.store(builder.bitcast(total, code.vector), memory, end)
                else:
                    finish.write(finish.number(total, *ends), memory, end)
            return []

        code.loop(builder.sdiv(channels, code.number(LANES)), [], vector)

    code.along(
        width,
        LENGTHS,
        lambda length, at: tile(
            length,
            code.sum(start, code.times(code.times(at, pixel), stride)),
            code.sum(target, code.times(at, apart)),
        ),
    )
