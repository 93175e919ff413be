"""Writing LLVM's own language for kernels whose loops work on whole vectors of numbers.

All arrays are flat. A pixel holds its channels in a row, filled up to a multiple of LANES, so that it is made of whole
vectors.
"""

from __future__ import annotations

import copy
import struct
from collections.abc import Sequence
from typing import Any, Callable

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils

LANES = 16 if llvmlite.binding.get_host_cpu_features().get("avx512f") else 8
"""Numbers in a vector."""

Body = Callable[[Any, Sequence[Any]], Sequence[Any]]


class VectorCode:
    """What the tiles below share in writing LLVM's language."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> None:
        self.builder = builder
        self.vector, self.index = ir.VectorType(ir.FloatType(), LANES), ir.IntType(64)
        self.values = [
            context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, arguments)
        ]
        kind = ir.FunctionType(self.vector, [self.vector] * 3)
        self.fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f32")
        kind = ir.FunctionType(self.vector, [self.vector])
        self.rounded = cgutils.get_or_insert_function(builder.module, kind, f"llvm.rint.v{LANES}f32")

    def inside(self, builder: Any) -> Any:
        """Return the same for the code of another function of the module."""
        found = copy.copy(self)
        found.builder, found.values = builder, []
        return found

    def number(self, value: int) -> Any:
        """Return a whole number."""
        return ir.Constant(self.index, value)

    def constant(self, value: float) -> Any:
        """Return a vector of one number, rounded to float32."""
        return ir.Constant(self.vector, [struct.unpack("f", struct.pack("f", value))[0]] * LANES)

    def sum(self, first: Any, *others: Any) -> Any:
        """Return a sum of whole numbers."""
        for other in others:
            other = self.number(other) if isinstance(other, int) else other
            first = self.builder.add(first, other, flags=["nsw"])
        return first

    def times(self, first: Any, second: Any) -> Any:
        """Return a product of whole numbers."""
        second = self.number(second) if isinstance(second, int) else second
        return self.builder.mul(first, second, flags=["nsw"])

    def element(self, array: Any, place: Any) -> Any:
        """Return one number of an array."""
        return self.builder.load(self.builder.gep(array, [place]), align=4)

    def row(self, array: Any, place: Any) -> Any:
        """Return a vector of an array."""
        return self.builder.load(self._pointer(array, place), align=4)

    def store(self, value: Any, array: Any, place: Any) -> None:
        """Write a vector into an array."""
        self.builder.store(value, self._pointer(array, place), align=4)

    def _pointer(self, array: Any, place: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(array, [place]), self.vector.as_pointer())

    def prefetch(self, array: Any, place: Any, writes: bool = False) -> None:
        """Ask for the line of memory of a number, which is read or written soon."""
        at, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [at, flag, flag, flag])
        function = self.builder.module.declare_intrinsic("llvm.prefetch", [at], kind)
        pointer = self.builder.bitcast(self.builder.gep(array, [place]), at)
        self.builder.call(function, [pointer, flag(int(writes)), flag(3), flag(1)])  # into the first cache, data

    def spread(self, number: Any) -> Any:
        """Return a vector of one number."""
        undefined = ir.Constant(self.vector, ir.Undefined)
        single = self.builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
        return self.shuffled(single, [0] * LANES)

    def shuffled(self, row: Any, lanes: Sequence[int]) -> Any:
        """Return a vector with its numbers in another order."""
        order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), list(lanes))
        return self.builder.shuffle_vector(row, ir.Constant(self.vector, ir.Undefined), order)

    def multiply_add(self, x: Any, y: Any, z: Any) -> Any:
        """Return x * y + z of vectors, rounded once."""
        return self.builder.call(self.fused, [x, y, z])

    def bounded(self, x: Any, low: Any, high: Any) -> Any:
        """Return x between two bounds; what is not a number stays so."""
        x = self.builder.select(self.builder.fcmp_ordered("<", x, low), low, x)
        return self.builder.select(self.builder.fcmp_ordered(">", x, high), high, x)

    def when(self, condition: Any, body: Any) -> None:
        """Run a function where a condition holds."""
        inside, after = self.builder.append_basic_block("then"), self.builder.append_basic_block("otherwise")
        self.builder.cbranch(condition, inside, after)
        self.builder.position_at_end(inside)
        body()
        self.builder.branch(after)
        self.builder.position_at_end(after)

    def choose(self, choice: Any, cases: Sequence[tuple[int, Any]]) -> None:
        """Run the function that is beside the number that ``choice`` is."""
        after = self.builder.append_basic_block("chosen")
        switch = self.builder.switch(choice, after)
        for number, body in cases:
            block = self.builder.append_basic_block("case")
            switch.add_case(self.number(number), block)
            self.builder.position_at_end(block)
            body()
            self.builder.branch(after)
        self.builder.position_at_end(after)

    def loop(self, count: Any, running: Sequence[Any], body: Any) -> list[Any]:
        """Run ``body(position, values)``, which returns the new values, ``count`` times, at least once."""
        builder, before = self.builder, self.builder.block
        inside, after = builder.append_basic_block("loop"), builder.append_basic_block("after")
        builder.branch(inside)
        builder.position_at_end(inside)
        position = builder.phi(self.index)
        values = [builder.phi(value.type) for value in running]
        results = body(position, values)
        following, last = self.sum(position, 1), builder.block
        builder.cbranch(builder.icmp_signed("<", following, count), inside, after)
        for phi, first, again in zip([position, *values], [self.number(0), *running], [following, *results]):
            phi.add_incoming(first, before)
            phi.add_incoming(again, last)
        builder.position_at_end(after)
        return results

    def along(self, width: Any, lengths: Sequence[int], body: Callable[[int, Any], None]) -> None:
        """Run ``body(length, position)`` for pieces of these lengths, the last of which is 1, that make up a width."""
        builder, at = self.builder, self.number(0)
        for length in lengths:
            pieces = builder.sdiv(builder.sub(width, at), self.number(length))

            def piece(i: Any, _: Sequence[Any], at: Any = at, length: int = length) -> list[Any]:
                body(length, self.sum(at, self.times(i, length)))
                return []

            some = builder.icmp_signed(">", pieces, self.number(0))
            self.when(some, lambda pieces=pieces, piece=piece: self.loop(pieces, [], piece))
            at = self.sum(at, self.times(pieces, length))
