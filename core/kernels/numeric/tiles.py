"""The innermost loop of our matrix products: a small tile of the result that stays in the processor's registers.

Compilers do not find this loop by themselves, so it is written in LLVM's own language, with vectors as wide as the
processor has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16 if llvmlite.binding.get_host_cpu_features().get("avx512f") else 8
VECTORS, ROWS = (4, 6) if LANES == 16 else (3, 4)
"""Of a tile: its sums, one row of the right factor and one element of the left one fill the registers."""
COLUMNS = LANES * VECTORS
"""Columns of a tile."""


def _tile(rows: int) -> Any:
    """Return a function for numba's code that computes a tile of ``rows`` rows."""

    @intrinsic
    def tile(
        context: Any,
        left: Any,
        start: Any,
        row: Any,
        step: Any,
        right: Any,
        first: Any,
        depth: Any,
        result: Any,
        place: Any,
        line: Any,
        initial: Any,
        begin: Any,
        stride: Any,
        ahead: Any,
        pace: Any,
    ) -> Any:
        """Write a tile of a product plus something; all arrays are flat.

        ``result[place + r * line + c] = initial[begin + r * stride + c] + the sum of left[start + r * row + k * step] *
        right[first + k * COLUMNS + c]`` over k below ``depth``. Meanwhile ``right[ahead + k * pace]``, which may lie
        behind the array's end, is fetched into the cache, where ``pace`` is not 0.
        """
        whole = types.intp
        signature = types.void(
            left, whole, whole, whole, right, whole, whole, result, whole, whole, initial, whole, whole, whole, whole
        )

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def pointer(place: int) -> Any:
                return context.make_array(signature.args[place])(context, builder, arguments[place]).data

            places = {0, 4, 7, 10}
            given = [pointer(i) if i in places else item for i, item in enumerate(arguments)]
            kinds = [item.type for item in given]
            with builder.if_else(builder.icmp_signed("!=", given[-1], ir.Constant(given[-1].type, 0))) as blocks:
                for block, fetching in zip(blocks, (True, False)):
                    with block:
                        builder.call(_function(builder.module, rows, fetching, kinds, VECTORS), given)
            return context.get_dummy_value()

        return signature, generate

    return tile


@intrinsic
def tile_of(
    context: Any,
    rows: Any,
    vectors: Any,
    left: Any,
    start: Any,
    row: Any,
    step: Any,
    right: Any,
    first: Any,
    depth: Any,
    result: Any,
    place: Any,
    line: Any,
    initial: Any,
    begin: Any,
    stride: Any,
) -> Any:
    """Write a tile of 1 to ROWS rows and 1 to VECTORS vectors of columns, which are as many as the panel has."""
    whole = types.intp
    signature = types.void(
        whole, whole, left, whole, whole, whole, right, whole, whole, result, whole, whole, initial, whole, whole
    )

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def pointer(place: int) -> Any:
            return context.make_array(signature.args[place])(context, builder, arguments[place]).data

        given = [pointer(i) if i in {2, 6, 9, 12} else item for i, item in enumerate(arguments)]
        number = given[0].type
        given += [ir.Constant(number, 0)] * 2
        kinds = [item.type for item in given[2:]]
        which = builder.add(builder.mul(given[0], ir.Constant(number, VECTORS + 1)), given[1])
        after = builder.append_basic_block("multiplied")
        switch = builder.switch(which, after)
        for height in range(1, ROWS + 1):
            for width in range(1, VECTORS + 1):
                block = builder.append_basic_block("tile")
                switch.add_case(ir.Constant(number, height * (VECTORS + 1) + width), block)
                builder.position_at_end(block)
                builder.call(_function(builder.module, height, False, kinds, width), given[2:])
                builder.branch(after)
        builder.position_at_end(after)
        return context.get_dummy_value()

    return signature, generate


def _function(module: Any, rows: int, fetching: bool, kinds: Any, vectors: int) -> Any:
    """Return the function of a tile."""

    def emit(builder: Any, *given: Any) -> None:
        _emit(builder, rows, fetching, vectors, *given)

    return outlined(module, f"core.tile.{rows}.{vectors}{'.fetching' if fetching else ''}", kinds, emit)


def outlined(module: Any, name: str, kinds: Sequence[Any], emit: Callable[..., None]) -> Any:
    """Return a function of a module, which is written once. Written out where it is called, its sums would not all
    stay in registers.

    Args:
        module: LLVM's.
        name: of the function.
        kinds: LLVM's types of its arguments.
        emit: writes its code, given a builder and the arguments.
    """
    found = module.globals.get(name)
    if found is None:
        found = ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), name)
        found.linkage = "linkonce_odr"
        found.attributes.add("noinline")
        builder = ir.IRBuilder(found.append_basic_block("entry"))
        emit(builder, *found.args)
        builder.ret_void()
    return found


def _emit(
    builder: Any,
    rows: int,
    fetching: bool,
    vectors: int,
    left: Any,
    start: Any,
    row: Any,
    step: Any,
    right: Any,
    first: Any,
    depth: Any,
    result: Any,
    place: Any,
    width: Any,
    initial: Any,
    begin: Any,
    stride: Any,
    ahead: Any,
    pace: Any,
) -> None:
    vector, index = ir.VectorType(ir.FloatType(), LANES), start.type
    name, kind = f"llvm.fma.v{LANES}f32", ir.FunctionType(vector, [vector] * 3)
    multiply_add = cgutils.get_or_insert_function(builder.module, kind, name)
    bytes_at, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    prefetch = builder.module.declare_intrinsic(
        "llvm.prefetch", [bytes_at], ir.FunctionType(ir.VoidType(), [bytes_at, flag, flag, flag])
    )
    undefined = ir.Constant(vector, ir.Undefined)
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)

    def number(value: int) -> Any:
        return ir.Constant(index, value)

    def vector_at(pointer: Any, offset: Any) -> Any:
        return builder.bitcast(builder.gep(pointer, [offset]), vector.as_pointer())

    starts = [builder.add(start, builder.mul(number(r), row)) for r in range(rows)]
    given = [
        [
            builder.load(
                vector_at(initial, builder.add(builder.add(begin, builder.mul(number(r), stride)), number(v * LANES))),
                align=4,
            )
            for v in range(vectors)
        ]
        for r in range(rows)
    ]
    before = builder.block
    loop, after = builder.append_basic_block("depth"), builder.append_basic_block("store")
    some = builder.icmp_signed(">", depth, number(0))
    builder.cbranch(some, loop, after)

    builder.position_at_end(loop)
    k = builder.phi(index)
    running = [[builder.phi(vector) for _ in range(vectors)] for _ in range(rows)]
    line = builder.add(first, builder.mul(k, number(vectors * LANES)))
    factors = [builder.load(vector_at(right, builder.add(line, number(v * LANES))), align=4) for v in range(vectors)]
    if fetching:
        coming = builder.bitcast(builder.gep(right, [builder.add(ahead, builder.mul(k, pace))]), bytes_at)
        builder.call(prefetch, [coming, flag(0), flag(2), flag(1)])  # to read, into the second cache, data
    results = []
    along = builder.mul(k, step)
    for r in range(rows):
        element = builder.load(builder.gep(left, [builder.add(starts[r], along)]), align=4)
        single = builder.insert_element(undefined, element, ir.Constant(ir.IntType(32), 0))
        spread = builder.shuffle_vector(single, undefined, everywhere)
        results.append([builder.call(multiply_add, [spread, factors[v], running[r][v]]) for v in range(vectors)])
    following = builder.add(k, number(1))
    builder.cbranch(builder.icmp_signed("<", following, depth), loop, after)
    k.add_incoming(number(0), before)
    k.add_incoming(following, loop)

    builder.position_at_end(after)
    final = [[builder.phi(vector) for _ in range(vectors)] for _ in range(rows)]
    for r in range(rows):
        for v in range(vectors):
            for sum_, block_value in ((running[r][v], loop), (final[r][v], loop)):
                sum_.add_incoming(results[r][v], block_value)
                sum_.add_incoming(given[r][v], before)
    for r in range(rows):
        line = builder.add(place, builder.mul(number(r), width))
        for v in range(vectors):
            builder.store(final[r][v], vector_at(result, builder.add(line, number(v * LANES))), align=4)


tile1, tile2, tile3, tile4, tile5, tile6 = (_tile(rows) for rows in range(1, 7))
