"""How much memory an exported program may take: found by shape inference, before anything is allocated.

What a program makes out of nothing or of its weights takes at most :func:`made_limit` bytes at a time; what depends on
the numbers that a caller brings may take :data:`PER_INPUT` times their bytes more. Both hold for the sizes of the
program's first example. Where a caller gives larger ones, every value may grow by the square of what each open size has
grown; what it grows beyond that is the program's own doing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from core.jit.control_flow.operators import ControlFlowOperator, Loop
from core.jit.exported.interpreter import replay
from core.jit.exported.program import ExportedProgram, ProgramCost, ProgramWeight
from core.jit.exported.shapes import check_shapes
from core.jit.exported.work import work_of
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Meta, Value
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.trace import Operation, Trace

MADE = 64 << 20
PER_WEIGHT = 4
PER_INPUT = 1024
WORK = 2**32  # multiplications while loading: below a second
WORK_PER_WEIGHT = 2**16  # or so many for each byte of weights
_NOTHING, _WEIGHT, _CALLER = range(3)  # what a value is computed from

Shapes = Sequence[tuple[int, ...]]


def made_limit(weights: Mapping[str, ProgramWeight]) -> int:
    """Return how many bytes a program with these weights may make out of nothing."""
    return max(MADE, PER_WEIGHT * sum(weight.array.nbytes for weight in weights.values()))


def measured(program: ExportedProgram) -> ProgramCost:
    """Measure a program at its first example, and so make sure that every operation takes its inputs and attributes.

    Raises:
        OperatorError: an operation does not, or the program takes too much memory.
    """
    shapes = [tuple(shape) for shape in program.examples[0]]
    limit = made_limit(program.weights)
    for i, example in enumerate(program.examples):
        for entry, shape in zip(program.inputs, example):
            size = _bytes((shape, entry.dtype))
            if None in entry.shape and size > limit:
                raise OperatorError(
                    f"examples[{i}] gives the input {entry.name!r} the shape {list(shape)} of {_text(size)}, where a"
                    f" program with these weights may make {_text(limit)} out of nothing"
                )
    trace, outputs = _traced(program, shapes)
    sizes = list(_sizes(trace.operations))
    peak = _checked(program, shapes, trace, outputs, iter(sizes))
    return ProgramCost(shapes, sizes, peak, sum([work_of(operation) for operation in trace.operations]))


def is_light(program: ExportedProgram) -> bool:
    """Return whether a run at the first example may be a part of loading: it is quick, and takes little memory."""
    known = program.cost
    assert known is not None
    brought = sum(_bytes((shape, entry.dtype)) for entry, shape in zip(program.inputs, known.shapes))
    weights = sum(weight.array.nbytes for weight in program.weights.values())
    return known.peak + brought <= made_limit(program.weights) and known.work <= max(WORK, WORK_PER_WEIGHT * weights)


def check_memory(program: ExportedProgram, shapes: Shapes, known: ProgramCost) -> None:
    """Make sure that at a caller's sizes a program takes no more memory than these explain.

    Args:
        program: The program, as it was read.
        shapes: Of the inputs.
        known: What :func:`measured` found.

    Raises:
        OperatorError: an operation does not take its inputs or attributes, or the program takes too much memory.
    """
    growth = math.prod(
        [
            max(1, -(-large // max(small, 1))) ** 2
            for before, after in zip(known.shapes, shapes)
            for small, large in zip(before, after)
        ]
    )
    trace, outputs = _traced(program, shapes)
    own = [small + max(0, size - small * growth) for small, size in zip(known.sizes, _sizes(trace.operations))]
    _checked(program, shapes, trace, outputs, iter(own))


def _traced(program: ExportedProgram, shapes: Shapes) -> tuple[Trace, list[Value]]:
    trace = Trace(symbolic=True)  # notes operations down: it computes nothing and builds no graph
    with dispatcher.gradient_mode(False), dispatcher.precision_mode(None), trace:
        values = {
            entry.name: trace.input((tuple(shape), entry.dtype), False) for entry, shape in zip(program.inputs, shapes)
        }
        for name, weight in program.weights.items():
            values[name] = trace.input((weight.array.shape, weight.dtype), False)
        known = replay(program, values)
    return trace, [known[name] for name in program.outputs]


def _sizes(operations: Sequence[Operation]) -> Iterator[int]:
    """Give the bytes of every result in the order of :class:`_Account`: those inside control flow before its own."""
    for operation in operations:
        if isinstance(operation.operator, ControlFlowOperator):
            for body in operation.operator.subprograms.values():
                yield from _sizes(body.operations)
        for value in operation.outputs:
            yield _bytes(value.meta)


def _bytes(meta: Meta) -> int:
    shape, dtype = meta
    if any(size < 0 for size in shape):
        raise OperatorError(f"a result has the shape {list(shape)}: sizes start at 0")
    return math.prod([int(size) for size in shape]) * dtype.size


def _text(size: int) -> str:
    return f"{size / 2**20:,.0f} MB"


def _checked(
    program: ExportedProgram, shapes: Shapes, trace: Trace, outputs: Sequence[Value], sizes: Iterator[int]
) -> int:
    """Return the most bytes that values take at a time, unless they are too many."""
    limit = made_limit(program.weights)
    brought = sum(_bytes((tuple(shape), entry.dtype)) for entry, shape in zip(program.inputs, shapes))
    count = len(program.inputs)
    account = _Account(limit, limit + PER_INPUT * brought, sizes)
    origins = {id(value): _CALLER if i < count else _WEIGHT for i, value in enumerate(trace.variables)}
    account.run(trace.operations, outputs, origins, 0, 0)
    check_shapes(trace.operations)
    return account.peak


class _Account:
    """The bytes of the values that are alive at a time; what is made of nothing is computed first and stays.

    Args:
        made_limit: How many may be made without a caller's numbers.
        limit: How many there may be.
        sizes: Of every result, in order.
    """

    def __init__(self, made_limit: int, limit: int, sizes: Iterator[int]) -> None:
        self.made_limit = made_limit
        self.limit = limit
        self.sizes = sizes
        self.peak = 0

    def run(
        self, operations: Sequence[Operation], outputs: Sequence[Value], origins: dict[int, int], made: int, alive: int
    ) -> None:
        """Add up operations, above what is alive already: ``made`` bytes of ``alive`` without a caller's numbers."""
        end = len(operations)
        last = {id(value): i for i, operation in enumerate(operations) for value in operation.inputs}
        last.update({id(value): end for value in outputs})
        leaving: dict[int, list[tuple[int, int]]] = {}
        for i, operation in enumerate(operations):
            origin = max([origins.get(id(value), _NOTHING) for value in operation.inputs], default=_NOTHING)
            if isinstance(operation.operator, ControlFlowOperator):
                self._run_bodies(operation, origin, origins, made, alive)
            for value in operation.outputs:
                size = next(self.sizes)
                own = size if origin != _CALLER else 0
                origins[id(value)] = origin
                made, alive = made + own, alive + size
                leaving.setdefault(end if origin == _NOTHING else last.get(id(value), i), []).append((own, size))
                self._check(operation, value, made, alive)
            for own, size in leaving.pop(i, []):
                made, alive = made - own, alive - size

    def _run_bodies(
        self, operation: Operation, origin: int, origins: Mapping[int, int], made: int, alive: int
    ) -> None:
        control_flow = operation.operator
        assert isinstance(control_flow, ControlFlowOperator)
        for body in control_flow.subprograms.values():
            given = operation.inputs[len(operation.inputs) - len(body.variables) :]  # a conditional's come last
            inner = {
                id(variable): origin if isinstance(control_flow, Loop) else origins.get(id(value), _NOTHING)
                for variable, value in zip(body.variables, given)
            }
            self.run(body.operations, body.outputs, inner, made, alive)

    def _check(self, operation: Operation, value: Value, made: int, alive: int) -> None:
        self.peak = max(self.peak, alive)
        for size, limit, source in (
            (made, self.made_limit, "out of nothing"),
            (alive, self.limit, "out of such inputs"),
        ):
            if size > limit:
                shape, dtype = value.meta
                raise OperatorError(
                    f"it makes {_text(size)} {source}, up to {operation.operator.name} with a result"
                    f" {dtype.name}{list(shape)}; with these weights it may make {_text(limit)}"
                )
