"""The innermost loops of convolutions with channels last: small tiles of the result that stay in the registers.

Like those of :mod:`core.kernels.numeric.tiles` they are written in LLVM's own language, because compilers do not find
them. A tile begins with the bias and ends between two bounds, which is all that ReLU and its kin need.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.vectors import LANES, VectorCode
from core.kernels.engine.compiled import serial

VECTORS = 3 if LANES == 16 else 2
"""Most vectors of channels in a tile of a product."""

HEIGHT = 7 if LANES == 16 else 6
"""Pixels of a tile of a product: its sums, a row of weights and a number of each pixel fill the registers."""

_FEW = 3  # pixels of a tile where there are not as many
LENGTHS = (7, 4, 1) if LANES == 16 else (4, 1)
"""Pixels of a tile of a convolution along rows."""

PREFETCHES = LANES == 8  # not measured with AVX-512
"""Whether a tile asks for the memory of the next one."""

ROW_KINDS = (
    *[(kernel, stride, 1) for kernel in (3, 5) for stride in (1, 2)],
    *[(3, stride, share) for stride in (1, 2) for share in (4, 8) if share < LANES],
)
"""Kernel, stride and channels of a group of the convolutions that go along rows."""


@intrinsic
def product_tile(
    context: Any,
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
    bias: Any,
    target: Any,
    targets: Any,
    added: Any,
    others: Any,
    low: Any,
    high: Any,
) -> Any:
    """Compute some vectors of channels of a few pixels, HEIGHT, 3 or 1, of a convolution.

    Rows and depth are looked up: the input's numbers of pixel r are at ``base + places[pixels + r] + places[depths +
    k]``, the result belongs to ``target + places[targets + r]``, and what is added to it is at ``added +
    places[others + r]``, unless ``others`` is below 0. The weights, as many vectors for each k, begin at ``first``.
    """
    whole, single = types.int64, types.float32
    signature = types.void(memory, weights, places, *[whole] * 12, single, single)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature, arguments)
        memory, weights, places, vectors, rows, *others = code.values

        def of_height(count: int) -> None:
            bodies = [
                (n, lambda n=n: _emit_product(code, count, n, memory, weights, places, *others))
                for n in (1, _FEW, HEIGHT)
            ]
            code.choose(rows, bodies)

        code.choose(vectors, [(count, lambda count=count: of_height(count)) for count in range(1, VECTORS + 1)])
        return context.get_dummy_value()

    return signature, generate


@serial
def height(rows: int) -> Any:
    """Return the most pixels that a tile can have of those that are left."""
    return HEIGHT if rows >= HEIGHT else (_FEW if rows >= _FEW else 1)


def _emit_product(
    code: VectorCode,
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
    bias: Any,
    target: Any,
    targets: Any,
    added: Any,
    others: Any,
    low: Any,
    high: Any,
) -> None:
    builder = code.builder
    starts = [code.sum(base, code.element(places, code.sum(pixels, r))) for r in range(rows)]
    biases = [code.row(weights, code.sum(bias, v * LANES)) for v in range(vectors)]

    def step(k: Any, sums: Sequence[Any]) -> list[Any]:
        along = code.element(places, code.sum(depths, k))
        line = code.sum(first, code.times(k, vectors * LANES))
        factors = [code.row(weights, code.sum(line, v * LANES)) for v in range(vectors)]
        results = []
        for r in range(rows):
            x = code.spread(code.element(memory, code.sum(starts[r], along)))
            results += [code.multiply_add(x, factors[v], sums[r * vectors + v]) for v in range(vectors)]
        return results

    sums = code.loop(depth, biases * rows, step)
    before = builder.block
    with_more, store = builder.append_basic_block("added"), builder.append_basic_block("store")
    builder.cbranch(builder.icmp_signed(">=", others, code.number(0)), with_more, store)
    builder.position_at_end(with_more)
    more = []
    for r in range(rows):
        start = code.sum(added, code.element(places, code.sum(others, r)))
        for v in range(vectors):
            more.append(builder.fadd(sums[r * vectors + v], code.row(memory, code.sum(start, v * LANES))))
    builder.branch(store)
    builder.position_at_end(store)
    results = [builder.phi(code.vector) for _ in sums]
    for phi, plain, joined in zip(results, sums, more):
        phi.add_incoming(plain, before)
        phi.add_incoming(joined, with_more)
    ends = [code.sum(target, code.element(places, code.sum(targets, r))) for r in range(rows)]

    def write(change: Any) -> None:
        for i, result in enumerate(results):
            code.store(change(result), memory, code.sum(ends[i // vectors], i % vectors * LANES))

    infinite = ir.Constant(high.type, math.inf)
    from_below = builder.fcmp_ordered(">", low, ir.Constant(low.type, -math.inf))
    has_bounds = builder.or_(from_below, builder.fcmp_ordered("<", high, infinite))
    wide_low, wide_high = code.spread(low), code.spread(high)
    code.choose(
        builder.zext(has_bounds, code.index),
        [(0, lambda: write(lambda x: x)), (1, lambda: write(lambda x: code.bounded(x, wide_low, wide_high)))],
    )


@intrinsic
def prefetch(context: Any, memory: Any, place: Any, writes: Any) -> Any:
    """Ask for the line of memory of a number, which is read (0) or written (1) soon."""
    signature = types.void(memory, types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature, arguments)
        memory, place, writes = code.values
        code.choose(writes, [(kind, lambda kind=kind: code.prefetch(memory, place, bool(kind))) for kind in (0, 1)])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def convolve_row(
    context: Any,
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
    """Compute ``width`` pixels in a row of a depthwise or finely grouped convolution.

    ``kind`` is a place in ROW_KINDS; the input's first pixel is at ``start``, its rows have ``line`` numbers,
    pixels ``channels``. A vector of channels has weights from ``first``, ``[kernel, share, kernel, LANES]``, row,
    how far the input channel follows the output channel in its group, column, output channel. ``kernel_rows``
    and ``neighbours`` say again what the kind says: LLVM does not unroll loops of an unknown length, and has a tenth to
    compile.
    """
    signature = types.void(memory, weights, *[types.int64] * 10, types.float32, types.float32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature, arguments)
        memory, weights, kind, *others = code.values
        bodies = [
            (i, lambda sizes=sizes: emit_row(code, sizes, 0, code.row, memory, weights, *others))
            for i, sizes in enumerate(ROW_KINDS)
        ]
        code.choose(kind, bodies)
        return context.get_dummy_value()

    return signature, generate


def emit_row(
    code: VectorCode,
    sizes: tuple[int, int, int],
    form: int,
    load: Callable[[Any, Any], Any],
    memory: Any,
    weights: Any,
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
) -> None:
    """Write the code of one kind of :func:`convolve_row`.

    Args:
        form: Of the input's numbers: so many times a vector of channels halves in memory.
        load: Reads a vector of them; the result has ``channels`` numbers for each pixel, too.
    """
    kernel, stride, share = sizes
    builder = code.builder
    low, high = code.spread(low), code.spread(high)
    size = kernel * share * kernel * LANES
    count = builder.sdiv(channels, code.number(LANES))
    pixel = builder.ashr(channels, code.number(form)) if form else channels

    def tile(length: int, start: Any, target: Any) -> None:
        columns = (length - 1) * stride + kernel

        def vector(c: Any, _: Sequence[Any]) -> list[Any]:
            along, taps = code.times(c, LANES), code.sum(first, code.times(c, size))

            def row(y: Any, sums: Sequence[Any]) -> list[Any]:
                corner = code.sum(start, code.times(c, LANES >> form), code.times(line, y))
                pixels = [load(memory, code.sum(corner, code.times(pixel, i))) for i in range(columns)]

                def neighbour(q: Any, running: Sequence[Any]) -> list[Any]:
                    place = code.sum(taps, code.times(code.sum(code.times(y, share), q), kernel * LANES))
                    factors = [code.row(weights, code.sum(place, x * LANES)) for x in range(kernel)]
                    sums, pixels = list(running[:length]), running[length:]
                    for column in range(columns):
                        for tap in range(kernel):
                            pixel, rest = divmod(column - tap, stride)
                            if rest == 0 and 0 <= pixel < length:
                                sums[pixel] = code.multiply_add(pixels[column], factors[tap], sums[pixel])
                    following = [lane // share * share + (lane + 1) % share for lane in range(LANES)]
                    return [*sums, *(pixels if share == 1 else [code.shuffled(x, following) for x in pixels])]

                if share == 1:
                    return neighbour(code.number(0), [*sums, *pixels])[:length]
                return code.loop(neighbours, [*sums, *pixels], neighbour)[:length]

            if PREFETCHES and not form and length > 1:
                corner = code.sum(start, along)
                for y in range(kernel - stride, kernel):  # the rows above have been read for the result's row before
                    for i in range(columns, columns + length * stride):
                        code.prefetch(memory, code.sum(corner, code.times(line, y), code.times(pixel, i)))
            sums = code.loop(kernel_rows, [code.row(weights, code.sum(bias, along))] * length, row)
            for place, total in enumerate(sums):
                code.store(code.bounded(total, low, high), memory, code.sum(target, along, code.times(channels, place)))
            return []

        code.loop(count, [], vector)

    code.along(
        width,
        LENGTHS,
        lambda length, at: tile(
            length,
            code.sum(start, code.times(code.times(at, pixel), stride)),
            code.sum(target, code.times(at, channels)),
        ),
    )
