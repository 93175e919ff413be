"""The transposition of 8 x 8 numbers inside the processor's registers, for kernels that lay matrices out anew."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

SQUARE = 8
"""Rows and columns that are transposed together."""
_STAGES = (
    ((0, 8, 1, 9, 4, 12, 5, 13), (2, 10, 3, 11, 6, 14, 7, 15), ((0, 1), (2, 3), (4, 5), (6, 7))),
    ((0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15), ((0, 2), (1, 3), (4, 6), (5, 7))),
    ((0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15), ((0, 4), (1, 5), (2, 6), (3, 7))),
)
"""Of each step: what the first and the second new row take of a pair of rows, and the pairs."""
_ORDER = (0, 2, 1, 3, 4, 6, 5, 7)


@intrinsic
def transpose_square(
    context: Any, source: Any, start: Any, row: Any, target: Any, place: Any, line: Any
) -> Any:
    """Write ``target[place + c * line + r] = source[start + r * row + c]``, r and c below SQUARE; arrays are flat."""
    whole = types.intp

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def pointer(index: int) -> Any:
            return context.make_array(signature.args[index])(context, builder, arguments[index]).data

        vector = ir.VectorType(ir.FloatType(), SQUARE)

        def at(memory: Any, begin: Any, number: int, apart: Any) -> Any:
            offset = builder.add(begin, builder.mul(apart.type(number), apart))
            return builder.bitcast(builder.gep(memory, [offset]), vector.as_pointer())

        read, written = pointer(0), pointer(3)
        rows = [builder.load(at(read, arguments[1], r, arguments[2]), align=4) for r in range(SQUARE)]
        for first, second, pairs in _STAGES:
            new = list(rows)
            for one, other in pairs:
                for place_, mask in ((one, first), (other, second)):
                    constant = ir.Constant(ir.VectorType(ir.IntType(32), SQUARE), mask)
                    new[place_] = builder.shuffle_vector(rows[one], rows[other], constant)
            rows = new
        for c in range(SQUARE):
            builder.store(rows[_ORDER[c]], at(written, arguments[4], c, arguments[5]), align=4)
        return context.get_dummy_value()

    return types.void(source, whole, whole, target, whole, whole), generate
