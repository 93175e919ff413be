"""to_static: the same Python code as one compiled graph (paddle.jit.to_static)."""

from __future__ import annotations

import copy
import functools
import inspect
import logging
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Callable, Optional

import core.left_types as left_types
from core.jit import tree
from core.jit.input_spec import check_arguments
from core.jit.rewrite import call
from core.jit.running.compiled_program import CompiledProgram
from core.jit.translator import ProgramTranslator
from core.kernels.dispatch import dispatcher
from core.kernels.engine import engine
from core.tensor import default_dtype

logger = logging.getLogger("core.jit")

MAXIMUM_PROGRAMS = 32
MAXIMUM_VARIANTS = 8
STATIC_SIGNATURES = 8


class StaticFunction:
    """A function or method that runs compiled, one program per input signature.

    Args:
        function: Ordinary Python code on tensors. Reading a tensor's value in it is an error that names the line.
        dynamic: Allocate memory again in each call (for inputs of many different shapes).
        input_spec: What the arguments look like; a call with others is an error.
    """

    def __init__(
        self, function: Callable[..., Any], dynamic: bool = False, input_spec: Optional[Sequence[Any]] = None
    ) -> None:
        if not callable(function) or _runs_in_steps(function):
            kind = "generator or coroutine" if callable(function) else type(function).__name__
            name = getattr(function, "__qualname__", repr(function))
            raise TypeError(
                f"to_static: {name} is a {kind}: compile a function, method or Layer that returns its results at once"
            )
        functools.update_wrapper(self, function)
        self.function = function
        self.dynamic = dynamic
        self.input_spec = input_spec
        self.programs: OrderedDict[Any, list[CompiledProgram]] = OrderedDict()
        self.bound_from: Optional[tuple[StaticFunction, Any]] = None
        self.bound_to_classes: dict[type, StaticFunction] = {}

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        name = f"_static_{self.function.__qualname__}"
        table: Any = self.bound_to_classes if isinstance(instance, type) else getattr(instance, "__dict__", None)
        if table is None:
            raise TypeError(
                f"to_static: {self.function.__qualname__} is a method of a class with __slots__, which has no room for"
                " its programs: add '__dict__' to __slots__"
            )
        key = instance if isinstance(instance, type) else name
        bound = table.get(key)
        if bound is None or bound.bound_from[0] is not self:
            bound = StaticFunction(self.function.__get__(instance, owner), self.dynamic, self.input_spec)
            bound.bound_from = (self, instance)
            table[key] = bound
        return bound

    def __deepcopy__(self, memo: dict[int, Any]) -> StaticFunction:
        copied = StaticFunction(copy.deepcopy(self.function, memo), self.dynamic, self.input_spec)
        if self.bound_from is not None:
            copied.bound_from = (self.bound_from[0], copied.function.__self__)  # type: ignore[attr-defined]  # a bound function is a method
        return copied

    def __reduce__(self) -> Any:
        if self.bound_from is not None:  # the class makes it again
            return getattr, (self.bound_from[1], self.function.__name__)
        return StaticFunction, (self.function, self.dynamic, self.input_spec)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program for this signature, compiling it on the first call."""
        if dispatcher.state.trace is not None:  # part of a larger program
            return call(self.function)(*args, **kwargs)
        if not ProgramTranslator.enable_to_static:
            return self.function(*args, **kwargs)
        if self.input_spec is not None:
            check_arguments(self.function, self.input_spec, args, kwargs)
        tensors, skeleton = tree.flatten((args, kwargs))
        signature = (
            skeleton,
            tuple([(tensor._value.meta, tensor._value.requires_grad) for tensor in tensors]),
            dispatcher.state.gradients,
            default_dtype(),
            dispatcher.at_least_1d,
            left_types.kept,
            dispatcher.state.precision and dispatcher.state.precision.signature,
        )
        with engine.turn:
            program = self._program((args, kwargs), signature)
            inputs = program.inputs(tensors)
        return program.run(tensors, inputs)

    def _program(self, arguments: Any, signature: Any) -> CompiledProgram:
        candidates = self.programs.get(signature)
        if candidates is not None:
            self.programs.move_to_end(signature)
            for program in candidates:
                if program.fits():
                    return program
        return self._compile(arguments, signature)

    @property
    def code(self) -> str:
        """The source that the function is rewritten to before it is traced."""
        return ProgramTranslator().get_code(self.function)

    def _compile(self, arguments: Any, signature: Any) -> CompiledProgram:
        if len(self.programs) == STATIC_SIGNATURES and not self.dynamic:
            logger.info(
                "%s: more than %d input signatures; each call allocates its memory from now on",
                getattr(self.function, "__qualname__", "function"),
                STATIC_SIGNATURES,
            )
            self.dynamic = True
        others = [other.guards for candidates in self.programs.values() for other in candidates]
        before = dict([entry for other in others for entry in other.constants()])
        program = CompiledProgram(self.function, arguments, static=not self.dynamic)
        after = dict([entry for other in others for entry in other.constants()])
        own = {key for key in before if before[key] != after[key]}  # what the function itself counts up, say
        for guards in (*others, program.guards):
            guards.forget(own)
        variants = self.programs.setdefault(signature, [])
        variants.append(program)
        if len(variants) > MAXIMUM_VARIANTS:
            logger.info(
                "%s: compiled more than %d times for one signature because %r changes; make it an argument",
                getattr(self.function, "__qualname__", "function"),
                MAXIMUM_VARIANTS,
                variants[0].guards.changed() or "a tensor that it reads",
            )
            del variants[0]
        if len(self.programs) > MAXIMUM_PROGRAMS:
            self.programs.popitem(last=False)
        return program


def to_static(
    function: Optional[Any] = None,
    input_spec: Optional[Sequence[Any]] = None,
    build_strategy: Optional[Any] = None,
    backend: Optional[str] = None,
    full_graph: bool = True,
    dynamic: bool = False,
    **options: Any,
) -> Any:
    """Compile a function, method or Layer on its first call with each input signature.

    Without gradients, and after 16 calls between which no tensor was written, weights are folded as in an export
    (:mod:`core.jit.running.frozen_program`): results may differ from then on by rounding.

    Args:
        function: What to compile; for a Layer its ``forward`` is replaced and the Layer returned. Without it, the
            result is a decorator.
        input_spec: An InputSpec for each tensor argument, in order and nested like the arguments. A call that
            contradicts it is an error; one program is compiled for each signature nevertheless.
        build_strategy: Not supported: the engine has one way to build a graph.
        backend: Not supported, for the same reason.
        full_graph: Must be True: the whole function becomes one program.
        dynamic: Allocate memory again in each call, for inputs of many different shapes.

    Returns:
        A callable with the same results and gradients.

    Raises:
        NotImplementedError: an option is given that is not supported.
    """
    _refuse_options(build_strategy=build_strategy, backend=backend, full_graph=None if full_graph else False, **options)
    if function is None:
        return functools.partial(to_static, input_spec=input_spec, dynamic=dynamic)
    if hasattr(function, "forward") and hasattr(function, "sublayers"):
        if not isinstance(function.forward, StaticFunction):
            function.forward = StaticFunction(function.forward, dynamic, input_spec)
        return function
    return StaticFunction(function, dynamic, input_spec)


def _runs_in_steps(function: Any) -> bool:
    return (
        inspect.isgeneratorfunction(function)
        or inspect.iscoroutinefunction(function)
        or inspect.isasyncgenfunction(function)
    )


def _refuse_options(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise NotImplementedError(
                f"to_static: the option {name}={value!r} is not supported: the whole function becomes one program of"
                f" one engine; leave {name} out"
            )


def not_to_static(func: Optional[Callable[..., Any]] = None) -> Callable[..., Any]:
    """Leave a function's control flow as it is where compiled code calls it: then it must not depend on tensors.

    Args:
        func: A Python function or method; without it, the result decorates with parentheses.

    Returns:
        The function, or a decorator.
    """
    if func is None:
        return not_to_static
    plain: Any = getattr(func, "__func__", func)
    plain._core_not_to_static = True
    return func
