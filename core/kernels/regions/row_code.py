"""What kernels of rows of pixels share: loops in LLVM's own language, activations, and the gradients of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.channels_last.activation import activated
from core.kernels.channels_last.vectors import LANES, VectorCode

KINDS = ("nothing", "relu", "bounded", "hard_swish", "swish", "sigmoid", "hard_sigmoid")
"""Activations. ``hard`` ones take two numbers, clip(x * first + second); ``bounded`` lies between them."""


class RowCode(VectorCode):
    """Code that runs through the channels of a few pixels, and through the pixels."""

    def through(self, rows: Any, vectors: Any, prepare: Any, row: Any, finish: Any = None, running: int = 0) -> None:
        """Write the loops.

        Args:
            rows, vectors: How many there are.
            prepare: Takes how far the channels are along; returns what all pixels share.
            row: Takes the pixel, how far, what is shared, and the running sums; returns the sums.
            finish: Takes how far, and the sums.
            running: How many sums there are.
        """

        def vector(v: Any, _: Sequence[Any]) -> list[Any]:
            along = self.times(v, LANES)
            shared = prepare(along)
            sums = self.loop(rows, [self.constant(0)] * running, lambda r, s: row(r, along, shared, s))
            if finish is not None:
                finish(along, sums)
            return []

        self.loop(vectors, [], vector)

    def normal(self, z: Any, shared: Sequence[Any]) -> Any:
        """Return (z - mean) * scale + shift."""
        return self.multiply_add(self.builder.fsub(z, shared[0]), shared[1], shared[2])

    def numbers(self, memory: Any, transform: Any, channels: Any, along: Any, first: int, last: int) -> list[Any]:
        """Return vectors of some of the rows of numbers."""
        return [self.row(memory, self.sum(transform, self.times(channels, i), along)) for i in range(first, last)]

    def added(self, value: Any, memory: Any, place: Any) -> None:
        """Add a vector to memory."""
        self.store(self.builder.fadd(self.row(memory, place), value), memory, place)

    def by_kind(self, kind: Any, factor: Any, body: Any) -> None:
        """Write a body for each kind of activation, with a factor and without."""

        def of_kind(name: str) -> None:
            given = self.builder.zext(self.builder.icmp_signed(">=", factor, self.number(0)), self.index)
            self.choose(given, [(i, lambda i=i: body(name, bool(i))) for i in (0, 1)])

        self.choose(kind, [(i, lambda name=name: of_kind(name)) for i, name in enumerate(KINDS)])


def applied(code: RowCode, name: str, x: Any, first: Any, second: Any) -> Any:
    """Return the activation of a vector."""
    if name == "relu":
        return code.builder.select(code.builder.fcmp_ordered("<", x, code.constant(0)), code.constant(0), x)
    if name == "bounded":
        return code.bounded(x, first, second)
    return activated(code, name, x, first, second)


def bent(code: RowCode, name: str, x: Any, gradient: Any, first: Any, second: Any) -> Any:
    """Return the gradient of an activation's input from that of its result."""
    builder, zero, one = code.builder, code.constant(0), code.constant(1)

    if name == "nothing":
        return gradient
    if name == "relu":
        return builder.select(builder.fcmp_ordered(">", x, zero), gradient, zero)
    if name == "bounded":
        inside = builder.and_(builder.fcmp_ordered(">", x, first), builder.fcmp_ordered("<=", x, second))
        return builder.select(inside, gradient, zero)
    if name in ("hard_sigmoid", "hard_swish"):
        line = code.multiply_add(x, first, second)
        above, below = builder.fcmp_ordered(">", line, zero), builder.fcmp_ordered("<", line, one)
        inside = builder.and_(above, below)
        if name == "hard_sigmoid":
            return builder.select(inside, builder.fmul(gradient, first), zero)
        slope = code.multiply_add(x, builder.fadd(first, first), second)
        return builder.fmul(gradient, builder.select(inside, slope, builder.select(above, one, zero)))
    opening = activated(code, "sigmoid", x, first, second)
    rest = builder.fsub(one, opening)
    if name == "sigmoid":
        return builder.fmul(gradient, builder.fmul(opening, rest))
    return builder.fmul(gradient, builder.fmul(opening, code.multiply_add(x, rest, one)))
