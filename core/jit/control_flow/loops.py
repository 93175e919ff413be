"""Loops whose number of iterations depends on a tensor: the condition and the body traced once."""

from __future__ import annotations

from typing import Any, Callable, Optional

from core.jit.control_flow.conditionals import (
    RETURNED,
    Branch,
    _like,
    _move,
    as_value,
    note,
    number_kind,
    one_element,
    union_of_reads,
)
from core.jit.control_flow.operators import Loop
from core.jit.control_flow.variables import (
    UNDEFINED,
    Container,
    Leaf,
    State,
    described,
    is_number,
    rebuilt,
    restore,
    same_constant,
    same_form,
)
from core.kernels.dispatch.dispatcher import Node, Value
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dispatch.trace import Trace
from core.kernels.dtypes import DType, bool_
from core.tensor import Tensor, given_name

MAXIMUM_TRACES = 50

_ITERATED = Operator("a loop's variable", None, register=False)
_ITERATED.rule = lambda context, *gradients: []


def while_loop(test: Callable[[], Any], body: Callable[[], Any], state: State, line: str) -> None:
    """Trace a loop and record it as a control-flow operator.

    Args:
        test: Returns the condition, a tensor of one element.
        body: Changes the variables.
        state: The variables.
        line: ``file:line`` of the user's code.

    Raises:
        OperatorError: the body leaves a variable with another type, shape or dtype, or a variable that is read has no
            value before the loop.
    """
    _Looping(test, body, state, line).run()


class _Variable:
    """One tensor that the loop renews: a leaf of a variable, or a handle that is moved in place."""

    def __init__(self, path: str, start: Value) -> None:
        self.path = path
        self.start = start
        self.requires_grad = start.requires_grad

    def placeholder(self, trace: Trace) -> Value:
        value = trace.input(self.start.meta, self.requires_grad, self.path, self.start.second)
        # it is no leaf, so it may be changed in place
        value.node = Node(_ITERATED, {}, [], [value.array], [value.meta], None, trace)
        return value


class _Looping:
    def __init__(self, test: Callable[[], Any], body: Callable[[], Any], state: State, line: str) -> None:
        self.test = test
        self.body = body
        self.state = state
        self.line = line
        self.before = state.freeze()
        self.paths: dict[str, _Variable] = {}
        self.handles: dict[int, tuple[Tensor, _Variable]] = {}
        self.placeholders: list[Value] = []

    def run(self) -> None:
        for _ in range(MAXIMUM_TRACES):  # each attempt finds variables that change, or a gradient that flows in
            body = Branch(self.body, self.state, self.before, self._prepare)
            leading = self.placeholders
            outputs = self._outputs(body)
            if outputs is not None:
                break
            body.trace.close()
        else:
            raise OperatorError(f"{self.line}: the variables of this loop change their types from one pass to the next")
        condition = Branch(self._truth, self.state, self.before, self._prepare)
        for branch, values in ((body, outputs), (condition, [condition.result])):
            for value in values:
                branch.trace.capture(value)
        read = union_of_reads([body.trace, condition.trace])
        programs = {
            "condition": condition.program(self.placeholders, [condition.result], read),
            "body": body.program(leading, outputs, read),
        }
        variables = [*self.paths.values(), *[variable for _, variable in self.handles.values()]]
        inputs = [*[variable.start for variable in variables], *read]
        flags = [[variable.requires_grad] for variable in variables]
        for branch in (body, condition):
            branch.trace.close()
        results = note(Loop(programs, {"variables": len(variables)}), inputs, flags)
        named = dict(zip(self.paths, results))
        self.state.set([self._placed(name, frozen, named) for name, frozen in zip(self.state.names, self.before)])
        for (handle, _), result in zip(self.handles.values(), results[len(self.paths) :]):
            _move(handle, result)

    def _truth(self) -> Value:
        answer = self.test()
        if not isinstance(answer, Tensor):
            answer = Tensor(as_value(bool(answer), bool_))
        one_element(answer, self.line)
        return answer._value

    # one attempt

    def _prepare(self, trace: Trace) -> None:
        self.placeholders = []
        named = {}
        for path, variable in self.paths.items():
            self.placeholders.append(variable.placeholder(trace))
            named[path] = Tensor(self.placeholders[-1])
        self.state.set([self._placed(name, frozen, named) for name, frozen in zip(self.state.names, self.before)])
        for handle, variable in self.handles.values():
            self.placeholders.append(variable.placeholder(trace))
            trace.rebound.setdefault(id(handle), (handle, handle._value))
            handle._value = self.placeholders[-1]

    def _placed(self, path: str, frozen: Any, named: dict[str, Tensor]) -> Any:
        """Return a variable's value with tensors in the places that the loop renews."""
        if path in named:
            return named[path]
        if isinstance(frozen, Container):
            return rebuilt(frozen, [self._placed(name, item, named) for name, item in frozen.parts(path)])
        return restore(frozen)

    def _outputs(self, body: Branch) -> Optional[list[Value]]:
        """Return the next values of the loop's variables, or None where another attempt is needed."""
        found: dict[str, Value] = {}
        settled = True
        for i, (name, after) in enumerate(zip(self.state.names, body.after)):
            if name in self.state.carried:
                settled = self._compare(name, i, self.before[i], after, found) and settled
        for handle in body.handles.values():
            if id(handle) not in self.handles:
                start = handle._value
                self.handles[id(handle)] = handle, _Variable(given_name(handle) or "a tensor changed in place", start)
                settled = False
        outputs = [found.get(path, start) for path, start in zip(self.paths, self.placeholders)]
        outputs += [body.value_of(handle) for handle, _ in self.handles.values()]
        if not settled or len(outputs) != len(self.placeholders):
            return None
        variables = [*self.paths.values(), *[variable for _, variable in self.handles.values()]]
        for variable, value in zip(variables, outputs):
            if value.requires_grad and not variable.requires_grad:
                variable.requires_grad = True
                settled = False
        return outputs if settled else None

    def _compare(self, path: str, index: int, before: Any, after: Any, found: dict[str, Value]) -> bool:
        """Compare a variable's leaves before and after the body; returns whether nothing new was found out."""
        variable = self.paths.get(path)
        if variable is not None:
            found[path] = self._next(variable, after)
            return True
        if isinstance(before, Leaf) and isinstance(after, Leaf) and before.handle is after.handle:
            return True
        if same_constant(before, after):
            return True
        if before is UNDEFINED:
            if path.partition("[")[0] == RETURNED:
                self.before[index] = _like(after, UNDEFINED)
                return False
            raise OperatorError(
                f"{self.line}: variable {path!r} has no value before this loop, and the number of iterations, which may"
                " be 0, depends on a tensor: give it a value of the same shape and dtype before the loop"
            )
        if isinstance(before, Container) and isinstance(after, Container):
            if same_form(before, after):
                results = [
                    self._compare(name, index, item, other, found)
                    for (name, item), other in zip(before.parts(path), after.items)
                ]
                return all(results)
            raise OperatorError(
                f"{self.line}: {path} has {len(before.items)} items before an iteration and {len(after.items)} after"
                " it; the number of iterations depends on a tensor, and a program cannot hold a list of unknown"
                " length: write into a tensor of a fixed size, or loop over range() of a Python number"
            )
        self.paths[path] = _Variable(path, self._start(path, before, after))
        return False

    def _start(self, path: str, before: Any, after: Any) -> Value:
        """Return the first value of a variable that turns out to change."""
        if isinstance(before, Leaf) and (isinstance(after, Leaf) or is_number(after)):
            return before.value
        if is_number(before):
            kind = self._kind(before, after)
            if kind is not None:
                return as_value(before, kind)
        raise OperatorError(self._difference(path, before, after))

    def _kind(self, before: Any, after: Any) -> Optional[DType]:
        """Return the type of the tensor that a Python number becomes where the loop changes it."""
        number = number_kind(before)
        if isinstance(after, Leaf):
            sizes, kind = after.value.meta
            if sizes or (kind is bool_) != (number is bool_) or (number.is_floating and not kind.is_floating):
                return None
            return kind
        if not is_number(after):
            return None
        kind = number_kind(after)
        if (kind is bool_) != (number is bool_):
            return None
        return number if number.is_floating else kind

    def _next(self, variable: _Variable, after: Any) -> Value:
        """Return the value with which a loop variable goes into the next iteration."""
        shape, kind = variable.start.meta
        if is_number(after):
            given = number_kind(after)
            if shape == () and (given is kind or (kind.is_floating and given is not bool_)):
                return as_value(after, kind)
        elif isinstance(after, Leaf):
            value = after.value
            if value.meta == variable.start.meta and value.second == variable.start.second:
                return value
        start = Leaf(Tensor(variable.start), variable.start)
        raise OperatorError(self._difference(variable.path, start, after))

    def _difference(self, path: str, before: Any, after: Any) -> str:
        subject = path if " " in path else f"variable {path!r}"
        return (
            f"{self.line}: {subject} is {described(before)} before an iteration and {described(after)} after it; the"
            " number of iterations depends on a tensor, so it must keep one type, shape and dtype: start with a tensor"
            " of the final shape and dtype"
        )
