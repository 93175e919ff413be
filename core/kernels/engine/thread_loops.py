"""Loops over ``threads``: the body of each becomes a function of its own, which numba's OpenMP threads call.

numba's own ``prange`` makes a function of the whole loop too, and wraps it twice; each level is compiled again. Here
the body is cut out of the source, and the loop around it is written in LLVM's language, as a part of the kernel. What a
body assigns exists once for each step of its loop; it may read all other variables of the kernel.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Callable

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callconv import excinfo_ptr_t
from numba.extending import intrinsic

from core.kernels.engine.code_library import STARTS_THREADS

_WORD, _CODE, _POINTER = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()
_NONNEGATIVE = ir.Constant(_WORD, 2**63 - 1)
_TURNS = 4
"""How often each thread takes steps of a loop, where none is held up."""
_Function = Callable[..., Any]


def threads(*bounds: int) -> range:
    """Return the numbers of ``range``, none below 0: in a kernel, all threads share a loop over them."""
    return range(*bounds)


def with_outlined_loops(function: FunctionType, compiled: Callable[[_Function], Any]) -> _Function:
    """Return a kernel that hands the bodies of its loops over ``threads`` to numba's threads.

    Args:
        function: The kernel.
        compiled: Compiles the body of a loop, which other kernels call.

    Returns:
        The function itself where it has no such loop.

    Raises:
        ValueError: a loop has other bounds than one or two, is left early, or shares a variable that it assigns; or the
            kernel has no source file.
    """
    names = {name for name in function.__code__.co_names if function.__globals__.get(name) is threads}
    if not names:
        return function
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except OSError:
        problem = "loops over threads, which takes its source; write it into a file"
        raise ValueError(f"{function.__name__} {problem}") from None
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    (kernel,) = tree.body
    assert isinstance(kernel, ast.FunctionDef)
    outliner = _Outliner(function, kernel, names)
    outliner.visit(kernel)
    parts = [_function_of(definition, function) for definition in [kernel, *outliner.bodies]]
    whole, *bodies = parts
    given = {body.__name__: compiled(body) for body in bodies}
    whole.__globals__.update(given, **{_RUN: run_on_threads})
    return whole


_RUN = "run_on_threads"


class _Outliner(ast.NodeTransformer):
    """Puts a call in the place of each loop over ``threads``; ``bodies`` are the functions that are called."""

    def __init__(self, function: FunctionType, kernel: ast.FunctionDef, names: set[str]) -> None:
        self.function = function
        self.names = names
        self.bodies: list[ast.FunctionDef] = []
        inside = {id(node) for loop in self._loops(kernel) for node in ast.walk(loop)}
        outside = [node for node in ast.walk(kernel) if id(node) not in inside]
        self.variables = {node.arg for node in outside if isinstance(node, ast.arg)}
        self.variables |= {node.id for node in outside if isinstance(node, ast.Name) and _is_assigned(node)}
        self.read_outside = {node.id for node in outside if isinstance(node, ast.Name)} | self.variables

    def _loops(self, tree: ast.AST) -> Iterator[ast.For]:
        return (node for node in ast.walk(tree) if isinstance(node, ast.For) and self._is_ours(node.iter))

    def _is_ours(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self.names:
            raise self._error(node, "threads is only for loops: `for i in threads(n):`")
        return node

    def visit_For(self, loop: ast.For) -> Any:
        if not self._is_ours(loop.iter):
            return self.generic_visit(loop)
        assert isinstance(loop.iter, ast.Call)
        bounds = loop.iter.args
        if len(bounds) not in (1, 2) or not isinstance(loop.target, ast.Name):
            raise self._error(loop, "a loop over threads has one variable, and one or two bounds")
        _Leaving(self._error).visit_body(loop)
        used = [node for part in loop.body for node in ast.walk(part) if isinstance(node, ast.Name)]
        if any(node.id in self.names for node in used):
            raise self._error(loop, "a loop over threads holds another one; that takes range")
        assigned = {node.id for node in used if _is_assigned(node)} | {loop.target.id}
        shared = sorted(assigned & self.read_outside)
        if shared:
            problem = "is assigned in a loop over threads and used outside; take another name"
            raise self._error(loop, f"{shared[0]} {problem}")
        given = sorted({node.id for node in used} & self.variables)
        name = f"{self.function.__name__}_loop{len(self.bodies) + 1}"
        self.bodies.append(_definition(name, [loop.target.id, *given], loop))
        values = ast.Tuple([ast.Name(one, ast.Load()) for one in given], ast.Load())
        first = ast.Constant(0) if len(bounds) == 1 else bounds[0]
        call = ast.Call(ast.Name(_RUN, ast.Load()), [first, bounds[-1], ast.Name(name, ast.Load()), values], [])
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), loop))

    def _error(self, node: Any, problem: str) -> ValueError:
        return ValueError(f"{self.function.__code__.co_filename}:{node.lineno}: {self.function.__name__}: {problem}")


class _Leaving(ast.NodeTransformer):
    """Ends a step with ``return`` where the loop said ``continue``; refuses what would end the loop."""

    def __init__(self, error: Callable[[Any, str], ValueError]) -> None:
        self.error = error

    def visit_body(self, loop: ast.For) -> None:
        """Change the statements of a loop."""
        loop.body = [self.visit(statement) for statement in loop.body]

    def visit_Continue(self, node: ast.Continue) -> ast.Return:
        return ast.copy_location(ast.Return(None), node)

    def visit_Break(self, node: ast.Break) -> None:
        raise self.error(node, "a loop over threads cannot be left by break")

    def visit_Return(self, node: ast.Return) -> None:
        raise self.error(node, "a loop over threads cannot be left by return")

    def visit_For(self, node: Any) -> Any:
        """Leave the loops inside alone, but for ``return``."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return):
                self.visit_Return(inner)
        return node

    visit_While = visit_For


def _is_assigned(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _definition(name: str, arguments: list[str], loop: ast.For) -> ast.FunctionDef:
    """Return the definition of a function with the body of a loop."""
    template = ast.parse(f"def {name}({', '.join(arguments)}): pass").body[0]
    assert isinstance(template, ast.FunctionDef)
    for node in ast.walk(template):
        ast.copy_location(node, loop)
    template.body = loop.body
    return template


def _function_of(definition: ast.FunctionDef, original: FunctionType) -> FunctionType:
    """Return the function of a definition, with a copy of the original's names."""
    definition.decorator_list = []
    definition.returns = None
    for argument in ast.walk(definition.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    definition.args.defaults = []
    names: dict[str, Any] = {}
    module = ast.Module([definition], [])
    exec(compile(module, original.__code__.co_filename, "exec", dont_inherit=True), names)  # noqa: S102  # our own source
    found = FunctionType(names[definition.name].__code__, dict(original.__globals__), definition.name)
    found.__qualname__, found.__module__ = definition.name, original.__module__
    if definition.name == original.__name__:
        found.__qualname__, found.__defaults__ = original.__qualname__, original.__defaults__
    return found


@intrinsic
def run_on_threads(context: Any, first: Any, last: Any, body: Any, given: Any) -> Any:
    """Call ``body(i, *given)`` for each i from ``first`` to before ``last``, on all threads.

    A thread takes some steps when it is through with those before, a quarter of an equal share: ``prange`` gives equal
    shares, and all wait for the thread whose processor was busy otherwise. An error of a step is raised when all
    threads are done.
    """
    arguments = (types.int64, *given)
    returned = body.get_call_type(context, arguments, {}).return_type
    if not isinstance(returned, types.NoneType):
        raise TypeError(f"{body}: the body of a loop returns {returned}")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        form = body.dispatcher.overloads[arguments]
        context.active_code_library.add_linking_library(form.library)
        frame = _Frame(context, builder, given)
        frame.write(builder, values)
        work = _work(context, builder.module, frame, form.fndesc)
        with builder.if_then(builder.icmp_signed("<", values[0], values[1])):
            _start(context, builder, work, frame)
        code = builder.load(frame.place(builder, frame.CODE))
        with builder.if_then(builder.icmp_signed("!=", code, _CODE(0)), likely=False):
            error = builder.load(frame.place(builder, frame.ERROR))
            status = context.call_conv._get_return_status(builder, code, error)
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, body, given), generate


class _Frame:
    """What the threads of a loop have in common, on the kernel's stack."""

    NEXT, LAST, TOGETHER, CODE, ERROR, GIVEN = range(6)

    def __init__(self, context: Any, builder: Any, given: Any) -> None:
        self.given = given
        self.kind = ir.LiteralStructType([_WORD, _WORD, _WORD, _CODE, excinfo_ptr_t, context.get_value_type(given)])
        self.memory = cgutils.alloca_once(builder, self.kind, name="frame")

    def place(self, builder: Any, field: int, memory: Any = None) -> Any:
        """Return the address of a field."""
        return cgutils.gep_inbounds(builder, self.memory if memory is None else memory, 0, field)

    def write(self, builder: Any, values: Any) -> None:
        """Write the bounds, and what a body is given."""
        first, last, _, given = values
        fields = {self.NEXT: first, self.LAST: last, self.CODE: _CODE(0), self.GIVEN: given}
        for field, value in fields.items():
            builder.store(value, self.place(builder, field))


def _start(context: Any, builder: Any, work: Any, frame: _Frame) -> None:
    """Let numba's threads work; Python's other threads go on meanwhile."""
    module = builder.module
    threads_type = ir.FunctionType(_WORD, [])
    number = builder.call(cgutils.get_or_insert_function(module, threads_type, "get_num_threads"), [])
    first, last = (builder.load(frame.place(builder, field)) for field in (frame.NEXT, frame.LAST))
    alone = builder.icmp_signed("==", number, _WORD(1))
    parts = builder.select(alone, _WORD(1), builder.mul(number, _WORD(_TURNS)))
    together = builder.add(builder.udiv(builder.sub(builder.sub(last, first), _WORD(1)), parts), _WORD(1))
    builder.store(together, frame.place(builder, frame.TOGETHER))
    number_at = cgutils.alloca_once_value(builder, number)
    python = context.get_python_api(builder)
    lock = python.gil_ensure()
    thread = python.save_thread()
    # numba gives step r of its own loop the pointers `arguments + r * steps`: from 0, in steps of 1, that is r itself
    arguments = cgutils.alloca_once_value(builder, ir.Constant(_POINTER, None))
    steps = cgutils.alloca_once_value(builder, _WORD(1))
    pointers = [builder.bitcast(item, _POINTER) for item in (work, arguments, number_at, steps, frame.memory)]
    kind = ir.FunctionType(ir.VoidType(), [_POINTER] * 5 + [_WORD] * 3)
    run = cgutils.get_or_insert_function(module, kind, STARTS_THREADS)
    builder.call(run, [*pointers, _WORD(0), _WORD(1), number])
    python.restore_thread(thread)
    python.gil_release(lock)


def _work(context: Any, module: Any, frame: _Frame, description: Any) -> Any:
    """Write the function with which each thread takes steps of a loop while there are any."""
    kind = ir.FunctionType(ir.VoidType(), [_POINTER.as_pointer(), _WORD.as_pointer(), _WORD.as_pointer(), _POINTER])
    function = ir.Function(module, kind, module.get_unique_name(f"{description.mangled_name}.share"))
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block())
    memory = builder.bitcast(function.args[3], frame.kind.as_pointer())
    places = [frame.place(builder, field, memory) for field in range(6)]
    last, together = builder.load(places[frame.LAST]), builder.load(places[frame.TOGETHER])
    given = cgutils.unpack_tuple(builder, builder.load(places[frame.GIVEN]))
    called = context.declare_function(module, description)
    turn, end = builder.append_basic_block("turn"), builder.append_basic_block("end")
    builder.branch(turn)
    builder.position_at_end(end)
    builder.ret_void()
    builder.position_at_end(turn)
    begin = builder.atomic_rmw("add", places[frame.NEXT], together, "monotonic")
    steps = builder.append_basic_block("steps")
    builder.cbranch(builder.icmp_signed("<", begin, last), steps, end)
    builder.position_at_end(steps)
    stop = builder.add(begin, together)
    stop = builder.select(builder.icmp_signed("<", stop, last), stop, last)
    # knowing that it is not negative, LLVM drops the test whether an index counts from the end
    bounds = [builder.and_(item, _NONNEGATIVE) for item in (begin, stop)]
    with cgutils.for_range(builder, bounds[1], bounds[0]) as loop:
        arguments = [loop.index, *given]
        status, _ = context.call_conv.call_function(
            builder, called, description.restype, description.argtypes, arguments
        )
        with builder.if_then(status.is_error, likely=False):
            builder.store(status.excinfoptr, places[frame.ERROR])
            builder.store(status.code, places[frame.CODE])
            builder.ret_void()
    builder.branch(turn)
    return function
