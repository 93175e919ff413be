"""The innermost loops of the largest and smallest of messages, as in :mod:`core.kernels.graphs.row_tiles`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from core.kernels.graphs.row_tiles import Given, Loop, choose

_INT32, _INT64 = ir.IntType(32), ir.IntType(64)


class _Comparison(Loop):
    """Writes the loop that keeps the best elements, and the numbers of the edges that bring them."""

    def __init__(self, given: Given, lanes: int, vectors: int, largest: bool, signed: bool) -> None:
        super().__init__(given, lanes, vectors)
        self.sign, self.signed = ">" if largest else "<", signed
        self.numbers = ir.VectorType(_INT32, lanes)

    def write(self) -> None:
        """Write the loop, and the stores behind it."""
        builder = self.builder
        rows = [builder.add(self.place, column) for column in self.columns]
        nobody = ir.Constant(self.numbers, [-1] * self.lanes)
        before, loop, after = builder.block, builder.append_basic_block("edges"), builder.append_basic_block("best")
        builder.cbranch(builder.icmp_signed("<", self.first, self.last), loop, after)
        builder.position_at_end(loop)
        at = builder.phi(_INT64)
        best = [(builder.phi(self.vector), builder.phi(self.numbers)) for _ in self.columns]
        self.ask(at)
        edge = self.spread(builder.trunc(self.index(self.edge_ids, at), _INT32))
        start = builder.mul(self.index(self.neighbors, at), self.width)
        found = [self.load(self.table, builder.add(start, column)) for column in self.columns]
        better = []
        for new, (old, winner) in zip(found, best):
            wins = builder.or_(builder.icmp_signed("==", winner, nobody), self.beats(new, old))
            better.append((builder.select(wins, new, old), builder.select(wins, edge, winner)))
        following = builder.add(at, _INT64(1))
        builder.cbranch(builder.icmp_signed("<", following, self.last), loop, after)
        at.add_incoming(self.first, before)
        at.add_incoming(following, loop)
        builder.position_at_end(after)
        final = [(builder.phi(self.vector), builder.phi(self.numbers)) for _ in self.columns]
        for pairs in (best, final):
            for pair, new in zip(pairs, better):
                for phi, value, nothing in zip(pair, new, (self.zero, nobody)):
                    phi.add_incoming(nothing, before)
                    phi.add_incoming(value, loop)
        for row, (value, winner) in zip(rows, final):
            builder.store(value, self.pointer(self.result, row), align=self.bytes)
            builder.store(winner, self.pointer(self.products, row, self.numbers), align=4)

    def beats(self, new: Any, old: Any) -> Any:
        """Return where the new elements win; what is not a number wins against numbers."""
        builder = self.builder
        if self.whole:
            compare = builder.icmp_signed if self.signed else builder.icmp_unsigned
            return compare(self.sign, new, old)
        no_number = builder.and_(builder.fcmp_unordered("uno", new, new), builder.fcmp_ordered("ord", old, old))
        return builder.or_(builder.fcmp_ordered(self.sign, new, old), no_number)


class _Winners(Loop):
    """Writes the loop that adds up elements of edges that won: of the row itself (``forward``), or of the neighbour."""

    def __init__(self, given: Given, lanes: int, vectors: int, forward: bool) -> None:
        super().__init__(given, lanes, vectors)
        self.forward = forward
        self.numbers = ir.VectorType(_INT32, lanes)

    def added(self, found: list[Any], running: list[Any], edge: Any, at: Any) -> list[Any]:
        """Return the sums with an edge's elements."""
        builder = self.builder
        start = self.place if self.forward else builder.mul(self.index(self.neighbors, at), self.width)
        edge, sums = self.spread(builder.trunc(self.index(self.edge_ids, at), _INT32)), []
        for element, sum_, column in zip(found, running, self.columns):
            where = self.pointer(self.products, builder.add(start, column), self.numbers)
            won = builder.icmp_signed("==", builder.load(where, align=4), edge)
            sums.append(builder.fadd(sum_, builder.select(won, element, self.zero)))
        return sums


def _extreme(largest: bool) -> Any:
    """Return a function for numba's code that lets the edges of a row pass and keeps the best elements."""

    @intrinsic
    def extreme(
        context: Any,
        table: Any,
        result: Any,
        winners: Any,
        neighbors: Any,
        edge_ids: Any,
        first: Any,
        last: Any,
        width: Any,
        place: Any,
        column: Any,
        count: Any,
    ) -> Any:
        """Write the best elements of a stretch, and the numbers of their edges: 0 and -1 where no edge is.

        All arrays are flat, winners and edge ids int32; see :mod:`core.kernels.graphs.row_tiles`.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            given = _given(context, builder, signature, arguments)
            signed = getattr(table.dtype, "signed", True)
            choose(given, lambda given, lanes, vectors: _Comparison(given, lanes, vectors, largest, signed))
            return context.get_dummy_value()

        return types.void(table, result, winners, neighbors, edge_ids, *[types.int64] * 6), generate

    return extreme


def _sum(forward: bool) -> Any:
    """Return a function for numba's code that lets the edges of a row pass and adds up what won."""

    @intrinsic
    def sum_of_winners(
        context: Any,
        table: Any,
        result: Any,
        winners: Any,
        neighbors: Any,
        edge_ids: Any,
        first: Any,
        last: Any,
        width: Any,
        place: Any,
        column: Any,
        count: Any,
    ) -> Any:
        """Write the sums of a stretch; all arrays are flat, winners and edge ids int32."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            given = _given(context, builder, signature, arguments)
            choose(given, lambda given, lanes, vectors: _Winners(given, lanes, vectors, forward))
            return context.get_dummy_value()

        return types.void(table, result, winners, neighbors, edge_ids, *[types.int64] * 6), generate

    return sum_of_winners


def _given(context: Any, builder: Any, signature: Any, arguments: Any) -> Given:
    """Return what a stretch is given; the winners are where products of edges are elsewhere."""
    structures = [
        context.make_array(kind)(context, builder, argument) for kind, argument in zip(signature.args[:5], arguments)
    ]
    table, result, winners, neighbors, edge_ids = [array.data for array in structures]
    number = context.get_data_type(signature.args[0].dtype)
    zero = _INT64(0)
    numbers = [*arguments[5:], _INT64(1), zero, zero]
    arrays = [table, table, table, result, winners, neighbors, edge_ids]
    return Given(builder, number, arrays, numbers, structures[3].nitems)


largest_of_row, smallest_of_row = _extreme(True), _extreme(False)
sum_of_row_winners, sum_of_neighbor_winners = _sum(True), _sum(False)
