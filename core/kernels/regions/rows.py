"""What lies between two convolutions of a training step, computed for a few pixels: forward, backward, and sums.

Written in LLVM's own language. A value is kept as what its convolution left, z; who reads it computes y = activation(
(z - mean) * scale + shift), times a factor of the image's channel where there is one. All arrays are flat; a pixel
has its channels in a row, in whole vectors. ``transform`` is where rows of numbers of each channel begin, ``channels``
apart: mean, scale, shift, and, of the gradient of z, which is of * g + along * (z - mean) + always: of, along, always.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from core.kernels.regions.row_code import RowCode, applied, bent

ROW_TOGETHER = 8
"""Pixels for which the numbers of the channels are loaded once."""

_WORDS, _FLOATS = types.int64, types.float32


@intrinsic
def load_rows(
    context: Any,
    memory: Any,
    source: Any,
    step: Any,
    rows: Any,
    vectors: Any,
    transform: Any,
    channels: Any,
    factor: Any,
    kind: Any,
    first: Any,
    second: Any,
    target: Any,
    pitch: Any,
) -> Any:
    """Write y of some channels of some pixels.

    Pixel r is at ``source + r * step``, and its result at ``target + r * pitch``. ``transform`` and ``factor``, unless
    it is below 0, belong to the first of the channels.
    """
    signature = types.void(memory, *[_WORDS] * 8, _FLOATS, _FLOATS, _WORDS, _WORDS)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = RowCode(context, builder, signature, arguments)
        memory, source, step, rows, vectors, transform, channels, factor, kind, first, second, *ends = code.values
        first, second = code.spread(first), code.spread(second)

        def body(name: str, scaled: bool) -> None:
            def prepare(along: Any) -> list[Any]:
                shared = code.numbers(memory, transform, channels, along, 0, 3)
                return [*shared, code.row(memory, code.sum(factor, along))] if scaled else shared

            def row(r: Any, along: Any, shared: Sequence[Any], _: Sequence[Any]) -> list[Any]:
                z = code.row(memory, code.sum(source, code.times(step, r), along))
                y = applied(code, name, code.normal(z, shared), first, second)
                y = code.builder.fmul(y, shared[3]) if scaled else y
                code.store(y, memory, code.sum(ends[0], code.times(ends[1], r), along))
                return []

            code.through(rows, vectors, prepare, row)

        code.by_kind(kind, factor, body)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def gradient_rows(
    context: Any,
    memory: Any,
    source: Any,
    given: Any,
    step: Any,
    rows: Any,
    vectors: Any,
    transform: Any,
    channels: Any,
    factor: Any,
    more: Any,
    kind: Any,
    first: Any,
    second: Any,
    target: Any,
    pitch: Any,
) -> Any:
    """Write the gradient of z from that of y at ``given``.

    Where there is a factor, the gradient of y is that at ``given``, times it, plus the numbers at ``more``.
    """
    signature = types.void(memory, *[_WORDS] * 10, _FLOATS, _FLOATS, _WORDS, _WORDS)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = RowCode(context, builder, signature, arguments)
        memory, source, given, step, rows, vectors, transform, channels, factor, more, kind, *others = code.values
        first, second = code.spread(others[0]), code.spread(others[1])

        def body(name: str, scaled: bool) -> None:
            def prepare(along: Any) -> list[Any]:
                shared = code.numbers(memory, transform, channels, along, 0, 6)
                return [*shared, *_scales(code, memory, factor, more, along)] if scaled else shared

            def row(r: Any, along: Any, shared: Sequence[Any], _: Sequence[Any]) -> list[Any]:
                place = code.sum(code.times(step, r), along)
                z, g = _reached(code, name, memory, source, given, place, shared, first, second)
                rest = code.multiply_add(code.builder.fsub(z, shared[0]), shared[4], shared[5])
                result = code.multiply_add(g, shared[3], rest)
                code.store(result, memory, code.sum(others[2], code.times(others[3], r), along))
                return []

            code.through(rows, vectors, prepare, row)

        code.by_kind(kind, factor, body)
        return context.get_dummy_value()

    return signature, generate


def _scales(code: RowCode, memory: Any, factor: Any, more: Any, along: Any) -> list[Any]:
    return [code.row(memory, code.sum(place, along)) for place in (factor, more)]


def _reached(
    code: RowCode,
    name: str,
    memory: Any,
    source: Any,
    given: Any,
    place: Any,
    shared: Sequence[Any],
    first: Any,
    second: Any,
) -> tuple[Any, Any]:
    """Return z, and the gradient that reaches the activation's input; what is shared may end with factor and more."""
    z = code.row(memory, code.sum(source, place))
    gradient = code.row(memory, code.sum(given, place))
    if len(shared) in (5, 8):
        gradient = code.multiply_add(gradient, shared[-2], shared[-1])
    return z, bent(code, name, code.normal(z, shared), gradient, first, second)


@intrinsic
def add_gradient_sums(
    context: Any,
    memory: Any,
    source: Any,
    given: Any,
    step: Any,
    rows: Any,
    vectors: Any,
    transform: Any,
    channels: Any,
    factor: Any,
    more: Any,
    kind: Any,
    first: Any,
    second: Any,
    sums: Any,
) -> Any:
    """Add up g, what reaches the activation's input, and g * (z - mean), into ``sums`` and ``sums + channels``."""
    signature = types.void(memory, *[_WORDS] * 10, _FLOATS, _FLOATS, _WORDS)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = RowCode(context, builder, signature, arguments)
        memory, source, given, step, rows, vectors, transform, channels, factor, more, kind, *others = code.values
        first, second, sums = code.spread(others[0]), code.spread(others[1]), others[2]

        def body(name: str, scaled: bool) -> None:
            def prepare(along: Any) -> list[Any]:
                shared = code.numbers(memory, transform, channels, along, 0, 3)
                return [*shared, *_scales(code, memory, factor, more, along)] if scaled else shared

            def row(r: Any, along: Any, shared: Sequence[Any], totals: Sequence[Any]) -> list[Any]:
                place = code.sum(code.times(step, r), along)
                z, g = _reached(code, name, memory, source, given, place, shared, first, second)
                away = code.builder.fsub(z, shared[0])
                return [code.builder.fadd(totals[0], g), code.multiply_add(g, away, totals[1])]

            def finish(along: Any, totals: Sequence[Any]) -> None:
                for i, total in enumerate(totals):
                    code.added(total, memory, code.sum(sums, code.times(channels, i), along))

            code.through(rows, vectors, prepare, row, finish, 2)

        code.by_kind(kind, factor, body)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_products(
    context: Any,
    memory: Any,
    source: Any,
    given: Any,
    step: Any,
    rows: Any,
    vectors: Any,
    transform: Any,
    channels: Any,
    kind: Any,
    first: Any,
    second: Any,
    sums: Any,
) -> Any:
    """Add y of all pixels up into ``sums``, times what is at ``given``, unless that is below 0."""
    signature = types.void(memory, *[_WORDS] * 8, _FLOATS, _FLOATS, _WORDS)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = RowCode(context, builder, signature, arguments)
        memory, source, given, step, rows, vectors, transform, channels, kind, *others = code.values
        first, second, sums = code.spread(others[0]), code.spread(others[1]), others[2]

        def body(name: str, weighed: bool) -> None:
            def row(r: Any, along: Any, shared: Sequence[Any], totals: Sequence[Any]) -> list[Any]:
                place = code.sum(code.times(step, r), along)
                z = code.row(memory, code.sum(source, place))
                y = applied(code, name, code.normal(z, shared), first, second)
                if weighed:
                    return [code.multiply_add(y, code.row(memory, code.sum(given, place)), totals[0])]
                return [code.builder.fadd(totals[0], y)]

            def finish(along: Any, totals: Sequence[Any]) -> None:
                code.added(totals[0], memory, code.sum(sums, along))

            code.through(
                rows, vectors, lambda along: code.numbers(memory, transform, channels, along, 0, 3), row, finish, 1
            )

        code.by_kind(kind, given, body)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def moments(
    context: Any, memory: Any, source: Any, step: Any, rows: Any, vectors: Any, channels: Any, target: Any
) -> Any:
    """Write the mean of some pixels, and the sum of the squared distances from it, ``channels`` behind."""
    signature = types.void(memory, *[_WORDS] * 6)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = RowCode(context, builder, signature, arguments)
        memory, source, step, rows, vectors, channels, target = code.values
        count = code.spread(builder.sitofp(rows, ir.FloatType()))

        def prepare(along: Any) -> list[Any]:
            return [code.row(memory, code.sum(source, along))]  # sums of distances from one pixel keep their digits

        def row(r: Any, along: Any, shared: Sequence[Any], totals: Sequence[Any]) -> list[Any]:
            z = code.row(memory, code.sum(source, code.times(step, r), along))
            away = builder.fsub(z, shared[0])
            return [builder.fadd(totals[0], away), code.multiply_add(away, away, totals[1])]

        def finish(along: Any, totals: Sequence[Any]) -> None:
            away = builder.fdiv(totals[0], count)
            mean = builder.fadd(code.row(memory, code.sum(source, along)), away)
            rest = builder.fsub(totals[1], builder.fmul(totals[0], away))
            code.store(mean, memory, code.sum(target, along))
            code.store(rest, memory, code.sum(target, channels, along))

        code.through(rows, vectors, prepare, row, finish, 2)
        return context.get_dummy_value()

    return signature, generate
