"""The innermost loops of message passing: a stretch of a row stays in the processor's registers while its edges pass.

Compilers do not find these loops by themselves, so they are written in LLVM's own language, as in
:mod:`core.kernels.numeric.tiles`. A stretch of 1 to ``COLUMNS`` elements is covered by equal vectors, of which the last
may overlap the one before it: nothing is left over. Memory is asked for a few edges ahead.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

COLUMNS = 64
"""Most elements of a stretch."""

Shapes = tuple[tuple[int, int], ...]
SHAPES: Shapes = ((16, 4), (16, 3), (16, 2), (8, 2), (4, 2), (2, 2), (1, 1))  # lanes, vectors
_SHAPES_OF_HEADS: Shapes = ((16, 4), (8, 8), (8, 4), (4, 8))
_AHEAD = 8
_LINE = 64  # bytes that a processor fetches at once
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)


def _stretch(weights: str) -> Any:
    """Return a function for numba's code that lets the edges of a row pass.

    Args:
        weights: What an edge's weights are for: ``one`` for the whole stretch, ``heads`` one for each vector,
            ``elements`` one for each element.
    """

    @intrinsic
    def stretch(
        context: Any,
        table: Any,
        weight: Any,
        mine: Any,
        result: Any,
        products: Any,
        neighbors: Any,
        edge_ids: Any,
        first: Any,
        last: Any,
        width: Any,
        place: Any,
        column: Any,
        count: Any,
        heads: Any,
        head: Any,
        size: Any,
    ) -> Any:
        """Let the edges from ``first`` to before ``last`` pass; all arrays are flat.

        For c below ``count``, a neighbour n and its edge's number e: ``result[place + column + c]`` becomes the sum of
        ``weight[e * heads + head] * table[n * width + column + c]``; ``products[e * heads + head]`` becomes the sum of
        ``table[n * width + column + c] * mine[place + column + c]``, or grows by it behind a head's first column. Where
        each vector is a head of ``size`` elements, or each element one, ``head`` is the first one's. Without ``weight``
        all weigh 1; without ``result``, or ``products`` and ``mine``, these are not computed.
        """
        arrays = (table, weight, mine, result, products, neighbors, edge_ids)
        signature = types.void(*arrays, *[types.int64] * 9)
        sums, dots = is_given(result), is_given(products)
        used = weights if dots or is_given(weight) else ""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            structures: list[Any] = [
                context.make_array(argument_type)(context, builder, argument) if is_given(argument_type) else None
                for argument_type, argument in zip(signature.args[:7], arguments)
            ]
            number = context.get_data_type(signature.args[0].dtype)
            data = [None if array is None else array.data for array in structures]
            given = Given(builder, number, data, arguments[7:], structures[5].nitems)
            exact = used == "heads"

            def loop(given: Given, lanes: int, vectors: int) -> Loop:
                return Loop(given, lanes, vectors, sums, dots, used)

            choose(given, loop, _SHAPES_OF_HEADS if exact else SHAPES, exact)
            return context.get_dummy_value()

        return signature, generate

    return stretch


def is_given(argument_type: Any) -> bool:
    """Return whether an argument of numba's code is there: whether it is not None."""
    return not isinstance(argument_type, types.NoneType)


class Given(NamedTuple):
    """What a stretch is given: LLVM's values."""

    builder: Any
    number: Any
    arrays: list[Any]
    numbers: list[Any]
    edges: Any


def choose(given: Given, loop: Callable[[Given, int, int], Loop], shapes: Shapes = SHAPES, exact: bool = False) -> None:
    """Write a loop for each shape, and the choice between them.

    Args:
        given: What the stretch is given.
        loop: Makes the loop for vectors of so many lanes, and so many vectors.
        shapes: Lanes and vectors.
        exact: Whether a shape is for heads that are vectors, not for any stretch that it can cover.
    """
    builder, count, size = given.builder, given.numbers[5], given.numbers[8]
    lanes, vectors = shapes[0]
    if len(shapes) == 1:
        loop(given, lanes, vectors).write()
        return
    if exact:
        whole = builder.icmp_signed("==", count, _INT64(lanes * vectors))
        fits = builder.and_(builder.icmp_signed("==", size, _INT64(lanes)), whole)
    else:
        fits = builder.icmp_signed(">=", count, _INT64(shapes[1][0] * shapes[1][1] + 1))
    with builder.if_else(fits) as (then, otherwise):
        with then:
            loop(given, lanes, vectors).write()
        with otherwise:
            choose(given, loop, shapes[1:], exact)


class Loop:
    """Writes the loop over the edges for vectors of one shape; see :func:`_stretch`."""

    def __init__(
        self, given: Given, lanes: int, vectors: int, sums: bool = True, dots: bool = False, weights: str = ""
    ) -> None:
        self.builder, self.number, self.edges = given.builder, given.number, given.edges
        self.sums, self.dots, self.weights, self.lanes = sums, dots, weights, lanes
        self.table, self.weight, self.mine, self.result, self.products, self.neighbors, self.edge_ids = given.arrays
        self.first, self.last, self.width, self.place, column, count, self.heads, self.head, size = given.numbers
        self.vector = ir.VectorType(self.number, lanes)
        self.whole = isinstance(self.number, ir.IntType)
        self.bytes = self.number.width // 8 if self.whole else {ir.FloatType: 4, ir.DoubleType: 8}[type(self.number)]
        self.name = f"v{lanes}f{self.bytes * 8}"
        self.zero = ir.Constant(self.vector, [0 if self.whole else 0.0] * lanes)
        add = self.builder.add
        before = [add(column, _INT64(v * lanes)) for v in range(vectors - 1)]
        self.columns = [*before, self.builder.sub(add(column, count), _INT64(lanes))]
        self.overlap = self.builder.sub(_INT64(lanes * vectors), count)
        self.behind = self.builder.icmp_signed("!=", column, self.builder.mul(self.head, size))

    def write(self) -> None:
        """Write the loop, and the sums behind it."""
        builder = self.builder
        rows = [builder.add(self.place, column) for column in self.columns]
        mine = self.own(rows) if self.dots else []
        before, loop, after = builder.block, builder.append_basic_block("edges"), builder.append_basic_block("sums")
        builder.cbranch(builder.icmp_signed("<", self.first, self.last), loop, after)
        builder.position_at_end(loop)
        at = builder.phi(_INT64)
        running = [builder.phi(self.vector) for _ in self.columns if self.sums]
        self.ask(at)
        edge, start = self.edge(at), builder.mul(self.index(self.neighbors, at), self.width)
        found = [self.load(self.table, builder.add(start, column)) for column in self.columns]
        results = self.added(found, running, edge, at) if self.sums else []
        if self.dots:
            self.multiply(found, mine, edge)
        following = builder.add(at, _INT64(1))
        builder.cbranch(builder.icmp_signed("<", following, self.last), loop, after)
        at.add_incoming(self.first, before)
        at.add_incoming(following, loop)
        builder.position_at_end(after)
        final = [builder.phi(self.vector) for _ in running]
        for phis in (running, final):
            for phi, new in zip(phis, results):
                phi.add_incoming(self.zero, before)
                phi.add_incoming(new, loop)
        for row, value in zip(rows, final):
            builder.store(value, self.pointer(self.result, row), align=self.bytes)

    def pointer(self, array: Any, offset: Any, kind: Any = None) -> Any:
        """Return where a vector is in an array."""
        return self.builder.bitcast(self.builder.gep(array, [offset]), (kind or self.vector).as_pointer())

    def load(self, array: Any, offset: Any) -> Any:
        """Return a vector of an array."""
        return self.builder.load(self.pointer(array, offset), align=self.bytes)

    def index(self, array: Any, at: Any) -> Any:
        """Return an element of an array of indices."""
        value = self.builder.load(self.builder.gep(array, [at]))
        return value if value.type == _INT64 else self.builder.sext(value, _INT64)

    def edge(self, at: Any) -> Any:
        """Return where the numbers of an edge begin, or None where none is needed."""
        if not self.weights and not self.dots:
            return None
        return self.builder.add(self.builder.mul(self.index(self.edge_ids, at), self.heads), self.head)

    def call(self, name: str, result: Any, arguments: list[Any], **options: Any) -> Any:
        """Call a function of LLVM's."""
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), arguments, **options)

    def spread(self, value: Any) -> Any:
        """Return a vector that holds one value in every lane."""
        undefined = ir.Constant(ir.VectorType(value.type, self.lanes), ir.Undefined)
        single = self.builder.insert_element(undefined, value, ir.Constant(_INT32, 0))
        return self.builder.shuffle_vector(single, undefined, ir.Constant(ir.VectorType(_INT32, self.lanes), None))

    def own(self, rows: list[Any]) -> list[Any]:
        """Return the row's elements; 0 where the last vector overlaps the one before, unless each stands for itself."""
        *others, last = [self.load(self.mine, row) for row in rows]
        if self.weights != "elements":
            lanes = ir.Constant(ir.VectorType(_INT64, self.lanes), list(range(self.lanes)))
            twice = self.builder.icmp_signed("<", lanes, self.spread(self.overlap))
            last = self.builder.select(twice, self.zero, last)
        return [*others, last]

    def ask(self, at: Any) -> None:
        """Ask for the memory of an edge that comes soon."""
        builder = self.builder
        soon = builder.add(at, _INT64(_AHEAD))
        soon = builder.select(builder.icmp_signed("<", soon, self.edges), soon, at)
        start = builder.add(builder.mul(self.index(self.neighbors, soon), self.width), self.columns[0])
        for ahead in range(0, len(self.columns) * self.lanes * self.bytes, _LINE):
            self.prefetch(self.table, builder.add(start, _INT64(ahead // self.bytes)))
        edge = self.edge(soon)
        if self.weights and self.sums:
            self.prefetch(self.weight, edge)
        if self.dots:
            self.prefetch(self.products, edge)

    def prefetch(self, array: Any, offset: Any) -> None:
        """Ask for one line of memory."""
        where = self.builder.bitcast(self.builder.gep(array, [offset]), ir.IntType(8).as_pointer())
        self.call("llvm.prefetch.p0i8", ir.VoidType(), [where, _INT32(0), _INT32(3), _INT32(1)])

    def added(self, found: list[Any], running: list[Any], edge: Any, at: Any) -> list[Any]:
        """Return the sums with an edge's elements."""
        if not self.weights:
            add = self.builder.add if self.whole else self.builder.fadd
            return [add(sum_, element) for sum_, element in zip(running, found)]
        if self.weights == "elements":
            factors = [self.load(self.weight, self.builder.add(edge, column)) for column in self.columns]
        else:
            places = [_INT64(v if self.weights == "heads" else 0) for v in range(len(found))]
            offsets = [self.builder.add(edge, place) for place in places]
            factors = [self.spread(self.builder.load(self.builder.gep(self.weight, [at]))) for at in offsets]
        return [
            self.call(f"llvm.fma.{self.name}", self.vector, [factor, element, sum_])
            for factor, element, sum_ in zip(factors, found, running)
        ]

    def multiply(self, found: list[Any], mine: list[Any], edge: Any) -> None:
        """Write the products of an edge's two ends."""
        builder = self.builder
        products = [builder.fmul(element, own) for element, own in zip(found, mine)]
        if self.weights == "elements":
            for product, column in zip(products, self.columns):
                builder.store(product, self.pointer(self.products, builder.add(edge, column)), align=self.bytes)
        elif self.weights == "heads":
            for v, product in enumerate(products):
                builder.store(self.total(product), builder.gep(self.products, [builder.add(edge, _INT64(v))]))
        else:
            whole = products[0]
            for product in products[1:]:
                whole = builder.fadd(whole, product)
            where = builder.gep(self.products, [edge])
            before = builder.select(self.behind, builder.load(where), ir.Constant(self.number, 0.0))
            builder.store(builder.fadd(before, self.total(whole)), where)

    def total(self, vector: Any) -> Any:
        """Return the sum of a vector's lanes, added up by halves."""
        given = [ir.Constant(self.number, -0.0), vector]
        return self.call(f"llvm.vector.reduce.fadd.{self.name}", self.number, given, fastmath=("reassoc",))


pass_rows = _stretch("one")
pass_rows_of_heads = _stretch("heads")
pass_rows_of_elements = _stretch("elements")
