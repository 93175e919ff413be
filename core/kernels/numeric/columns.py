"""COLUMNS numbers of a row moved or added at once, for kernels that work on blocks as wide as a tile.

Loops over computed places are not turned into vectors: each place might count from the end.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from core.kernels.numeric.tiles import COLUMNS

_ROW = ir.VectorType(ir.FloatType(), COLUMNS)


def _moving(adds: bool) -> Any:
    @intrinsic
    def move(context: Any, source: Any, start: Any, target: Any, place: Any) -> Any:
        """Write, or add, ``source[start + c]`` to ``target[place + c]``, c below COLUMNS; both are flat."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def at(index: int) -> Any:
                memory = context.make_array(signature.args[index])(context, builder, arguments[index]).data
                return builder.bitcast(builder.gep(memory, [arguments[index + 1]]), _ROW.as_pointer())

            row = builder.load(at(0), align=4)
            if adds:
                row = builder.fadd(builder.load(at(2), align=4), row)
            builder.store(row, at(2), align=4)
            return context.get_dummy_value()

        return types.void(source, types.intp, target, types.intp), generate

    return move


copy_columns, add_columns = _moving(False), _moving(True)
