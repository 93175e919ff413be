"""Numbers of 16 and 8 bits in vectors: how values stand in memory, and products of several numbers at once.

Memory counts words of 32 bits. A value of a network is in one of three forms: a word is one float32 number, two of
bfloat16 or four unsigned bytes, which count from a zero point in steps of a scale. Products take words of pixels and
words of weights, and add two or four products to each sum at once: processors have instructions for that
(``vdpbf16ps``, ``vpdpbusd``), which compile for no others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from core.kernels.channels_last.vectors import LANES, VectorCode
from core.kernels.engine import engine
from core.kernels.engine.processors import compiled_for

FLOAT32, BFLOAT16, BYTES = range(3)
"""Forms; a word holds 2 ** form numbers."""

HAS_BFLOAT16_PRODUCTS = LANES == 16 and compiled_for("avx512f", "avx512bf16")
"""Whether kernels are compiled for a processor that multiplies bfloat16."""

_ROUNDING = 12582912.0  # 1.5 * 2 ** 23: numbers of up to 2 ** 22 that are added to it are rounded to whole ones
_ROUNDING_BITS = 0x4B400000
_WORD, _HALF, _BYTE = ir.IntType(32), ir.IntType(16), ir.IntType(8)


def words(numbers: int, form: int) -> int:
    """Return how many words so many numbers are."""
    return -(-numbers // (1 << form))


def as_float32(numbers: np.ndarray, form: int, scale: float = 1.0, zero: float = 0.0) -> np.ndarray:
    """Return float32 numbers of words (..., n) in some form."""
    if form == BYTES:
        return (numbers.view(np.uint8).astype(np.float32) - np.float32(zero)) * np.float32(scale)
    return engine.bfloat16_bits_to_float32(numbers.view(np.uint16)) if form else numbers


class FormCode(VectorCode):
    """What kernels share that know several forms."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        super().__init__(context, builder, signature, arguments)
        self.whole = ir.VectorType(_WORD, LANES)

    def wholes(self, value: int) -> Any:
        """Return a vector of one whole number."""
        return ir.Constant(self.whole, [value] * LANES)

    def bits(self, array: Any, place: Any) -> Any:
        """Return a vector of words as whole numbers."""
        return self.builder.bitcast(self.row(array, place), self.whole)

    def numbers(self, form: int, array: Any, place: Any) -> Any:
        """Return a vector of numbers of some form, which begin at a word, in float32; bytes as they count."""
        builder = self.builder
        if form == FLOAT32:
            return self.row(array, place)
        wide = self.widened(form, array, place)
        if form == BYTES:
            return builder.sitofp(wide, self.vector)
        return builder.bitcast(builder.shl(wide, self.wholes(16)), self.vector)

    def widened(self, form: int, array: Any, place: Any) -> Any:
        """Return the bits of a vector of narrow numbers, each in a word."""
        kind = ir.VectorType(_HALF if form == BFLOAT16 else _BYTE, LANES)
        narrow = self.builder.load(self.builder.bitcast(self.builder.gep(array, [place]), kind.as_pointer()), align=4)
        return self.builder.zext(narrow, self.whole)

    def shifted_in(self, words: Any, numbers: Any, bits: int) -> Any:
        """Return words without their lowest bits, with as many of other words above."""
        kind = ir.FunctionType(self.whole, [self.whole] * 3)
        name = f"llvm.fshr.v{LANES}i32"
        shift = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.call(shift, [numbers, words, self.wholes(bits)])

    def write(self, form: int, x: Any, array: Any, place: Any, inverse: Any, zero: Any) -> None:
        """Write a vector of float32 in some form, rounded to nearest, halves to even.

        ``inverse`` and ``zero`` are, for bytes, vectors of what a step is multiplied by and of the zero point.
        """
        builder = self.builder
        if form == FLOAT32:
            self.store(x, array, place)
            return
        narrow = self._rounded(x) if form == BFLOAT16 else self._counted(x, inverse, zero)
        pointer = builder.bitcast(builder.gep(array, [place]), narrow.type.as_pointer())
        builder.store(narrow, pointer, align=4)

    def write_counted(self, x: Any, array: Any, place: Any, low: Any, high: Any) -> None:
        """Write a vector of float32 as bytes, rounded to nearest, halves to even, between bounds from 0 to 255."""
        builder = self.builder
        x = builder.select(builder.fcmp_ordered(">", x, low), x, low)  # what is not a number becomes the lowest
        x = builder.select(builder.fcmp_ordered("<", x, high), x, high)
        bits = builder.bitcast(builder.fadd(x, self.constant(_ROUNDING)), self.whole)
        narrow = builder.trunc(bits, ir.VectorType(_BYTE, LANES))  # the lowest bits are the number
        pointer = builder.bitcast(builder.gep(array, [place]), narrow.type.as_pointer())
        builder.store(narrow, pointer, align=4)

    def _rounded(self, x: Any) -> Any:
        kind = ir.FunctionType(ir.VectorType(_HALF, LANES), [self.vector])
        name = "llvm.x86.avx512bf16.cvtneps2bf16.512"
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), [x])

    def _counted(self, x: Any, inverse: Any, zero: Any) -> Any:
        builder = self.builder
        x = builder.fmul(x, inverse)
        low, high = builder.fsub(self.constant(0), zero), builder.fsub(self.constant(255), zero)
        x = builder.select(builder.fcmp_ordered(">", x, low), x, low)  # what is not a number becomes 0
        x = builder.select(builder.fcmp_ordered("<", x, high), x, high)
        bits = builder.bitcast(builder.fadd(x, self.constant(_ROUNDING)), self.whole)
        count = builder.add(builder.sub(bits, self.wholes(_ROUNDING_BITS)), builder.fptosi(zero, self.whole))
        return builder.trunc(count, ir.VectorType(_BYTE, LANES))

    def accumulated(self, form: int, total: Any, word: Any, weights: Any) -> Any:
        """Return sums, float32 or for bytes whole numbers, and the products of a word, in all lanes, and weights."""
        if form == FLOAT32:
            return self.multiply_add(word, weights, total)
        word, weights = (self.builder.bitcast(x, self.whole) for x in (word, weights))
        if form == BFLOAT16:
            return self._called("llvm.x86.avx512bf16.dpbf16ps.512", self.vector, total, word, weights)
        if LANES == 16 and compiled_for("avx512f", "avx512vnni"):
            return self._called("llvm.x86.avx512.vpdpbusd.512", self.whole, total, word, weights)
        if LANES == 8 and compiled_for("avx2", "avxvnni"):
            return self._called("llvm.x86.avx512.vpdpbusd.256", self.whole, total, word, weights)
        return self._sum_of_bytes(total, word, weights)

    def _sum_of_bytes(self, total: Any, word: Any, weights: Any) -> Any:
        """Multiply bytes without an instruction of their own: widened to 16 bits, where products do not saturate."""
        builder = self.builder
        name = {16: "llvm.x86.avx512.pmaddw.d.512", 8: "llvm.x86.avx2.pmadd.wd"}[LANES]
        if compiled_for("avx512bw" if LANES == 16 else "avx2"):
            halves = ir.VectorType(_HALF, 2 * LANES)
            eight, lower = ir.Constant(halves, [8] * 2 * LANES), ir.Constant(halves, [255] * 2 * LANES)
            word, weights = builder.bitcast(word, halves), builder.bitcast(weights, halves)
            even = builder.and_(word, lower), builder.ashr(builder.shl(weights, eight), eight)
            odd = builder.lshr(word, eight), builder.ashr(weights, eight)
            for pair in (even, odd):
                total = builder.add(total, self._called(name, self.whole, *pair))
            return total
        for byte in range(4):
            x = builder.and_(builder.lshr(word, self.wholes(8 * byte)), self.wholes(255))
            y = builder.ashr(builder.shl(weights, self.wholes(24 - 8 * byte)), self.wholes(24))
            total = builder.add(total, builder.mul(x, y))
        return total

    def _called(self, name: str, result: Any, *arguments: Any) -> Any:
        # LLVM 15 and later know the same functions with other types, and translate these
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), arguments)
