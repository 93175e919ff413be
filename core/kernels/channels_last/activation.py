"""Activations of vectors, and sums over pixels, written in LLVM's own language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.vectors import LANES, VectorCode

ACTIVATIONS = ("nothing", "sigmoid", "swish", "hard_sigmoid", "hard_swish", "scaled", "leaky_relu")
"""What :func:`activate` can compute; ``hard``, ``scaled`` and ``leaky`` take two numbers: clip(x * first + second),
x * first, and that where x is below 0."""

_POWERS_OF_TWO = (1.0, 0.6931472, 0.24022107, 0.05550357, 0.009676032, 0.0013390863)
"""2^x on ±1/2 as a polynomial, to 2e-7."""


@intrinsic
def activate(
    context: Any,
    memory: Any,
    start: Any,
    pixels: Any,
    channels: Any,
    sums: Any,
    kind: Any,
    first: Any,
    second: Any,
) -> Any:
    """Replace numbers by their activation, and add them up over the pixels.

    ``kind`` is a place in ACTIVATIONS; there are ``pixels`` pixels of ``channels`` channels, whole vectors, from
    ``start``; the sums are added to what is at ``sums``, unless that is below 0.
    """
    signature = types.void(memory, *[types.int64] * 5, types.float32, types.float32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature, arguments)
        memory, start, pixels, channels, sums, kind, first, second = code.values
        first, second = code.spread(first), code.spread(second)
        summed = builder.icmp_signed(">=", sums, code.number(0))

        def of_kind(name: str) -> None:
            def vector(c: Any, _: Sequence[Any]) -> list[Any]:
                along = code.times(c, LANES)

                def pixel(i: Any, total: Sequence[Any]) -> list[Any]:
                    place = code.sum(start, along, code.times(i, channels))
                    result = activated(code, name, code.row(memory, place), first, second)
                    code.store(result, memory, place)
                    return [builder.fadd(total[0], result)]

                (total,) = code.loop(pixels, [code.constant(0)], pixel)
                place = code.sum(sums, along)
                code.when(summed, lambda: code.store(builder.fadd(code.row(memory, place), total), memory, place))
                return []

            code.loop(builder.sdiv(channels, code.number(LANES)), [], vector)

        code.choose(kind, [(i, lambda name=name: of_kind(name)) for i, name in enumerate(ACTIVATIONS)])
        return context.get_dummy_value()

    return signature, generate


def activated(code: VectorCode, name: str, x: Any, first: Any, second: Any) -> Any:
    """Return the activation of a vector, as a part of other code."""
    builder, one = code.builder, code.constant(1)
    if name == "nothing":
        return x
    if name == "scaled":
        return builder.fmul(x, first)
    if name == "leaky_relu":
        return builder.select(builder.fcmp_ordered("<", x, code.constant(0)), builder.fmul(x, first), x)
    if name in ("hard_sigmoid", "hard_swish"):
        gate = code.bounded(code.multiply_add(x, first, second), code.constant(0), one)
        return gate if name == "hard_sigmoid" else builder.fmul(x, gate)
    power = code.bounded(builder.fmul(x, code.constant(-1.4426950408889634)), code.constant(-126), code.constant(126))
    whole = builder.call(code.rounded, [power])
    rest = builder.fsub(power, whole)
    result = code.constant(_POWERS_OF_TWO[-1])
    for coefficient in _POWERS_OF_TWO[-2::-1]:
        result = code.multiply_add(result, rest, code.constant(coefficient))
    kind = ir.VectorType(ir.IntType(32), LANES)
    exponent = builder.add(builder.fptosi(whole, kind), ir.Constant(kind, [127] * LANES))
    scale = builder.bitcast(builder.shl(exponent, ir.Constant(kind, [23] * LANES)), code.vector)
    below = code.multiply_add(result, scale, one)  # 1 + e^-x
    return builder.fdiv(x if name == "swish" else one, below)
