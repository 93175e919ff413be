"""Conditionals and loops on tensors, recorded as control-flow operators while a program is traced.

The user's branches are run once each, in traces of their own; what they changed is compared, variable by variable, and
becomes the operator's results.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from core.jit.control_flow.operators import Conditional, ControlFlowOperator, Subprogram
from core.jit.control_flow.variables import (
    UNDEFINED,
    Container,
    Copied,
    Leaf,
    State,
    described,
    is_number,
    rebuilt,
    same_constant,
    same_form,
)
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.trace import Trace
from core.kernels.dtypes import DType, bool_, int64
from core.operators.creation.creation import cast
from core.operators.shape.manipulation import reshape
from core.tensor import Tensor, default_dtype

RETURNED = "the returned value"


def conditional(condition: Tensor, true: Callable[[], Any], false: Callable[[], Any], state: State, line: str) -> None:
    """Trace both branches and record a control-flow operator that runs the one that the condition chooses.

    Args:
        condition: A tensor of one element.
        true: Changes the variables where the condition holds.
        false: Changes them where it does not.
        state: The variables.
        line: ``file:line`` of the user's code.

    Raises:
        OperatorError: a variable is left with different types, shapes or dtypes, or has a value in one branch only.
    """
    one_element(condition, line)
    before = state.freeze()
    first, second = [Branch(function, state, before) for function in (true, false)]
    join = _Join(first, second, line)
    results = []
    for name, old, one, other in zip(state.names, before, first.after, second.after):
        if name not in state.carried:
            results.append(old)
            continue
        results.append(join.merged(name, one, other, filled=name == RETURNED))
    handles = {**first.handles, **second.handles}
    moved = [(handle, join.output(first.value_of(handle), second.value_of(handle))) for handle in handles.values()]
    outputs = join.operator(condition._value)
    for branch in (first, second):
        branch.trace.close()
    state.set([_finished(result, outputs) for result in results])
    for handle, index in moved:
        _move(handle, outputs[index])


class Branch:
    """One branch or loop body, traced; everything that it changed is as it was before.

    Args:
        function: The user's code.
        state: The variables that it may change.
        before: What they were, frozen.
        prepare: Called inside the trace, before the function.

    Attributes:
        trace: What it computes.
        after: The variables, frozen, as it leaves them.
        handles: Tensors from outside that it moved to another value, by ``id``.
        result: What the function returned.
    """

    def __init__(
        self,
        function: Callable[[], Any],
        state: State,
        before: Sequence[Any],
        prepare: Optional[Callable[[Trace], None]] = None,
    ) -> None:
        outer = dispatcher.state.trace
        assert outer is not None
        with dispatcher.gradient_mode(outer.gradients):
            self.trace = Trace()
        self.handles: dict[int, Tensor] = {}
        self._values: dict[int, Value] = {}
        _depth.branches += 1
        try:
            with self.trace:
                if prepare is not None:
                    prepare(self.trace)
                self.result = function()
                self.after = state.freeze()
            for key, (handle, original) in self.trace.rebound.items():
                if original.traced is not self.trace:  # others were made in here
                    self.handles[key] = handle
                    self._values[key] = handle._value
        finally:
            _depth.branches -= 1
            for handle, original in self.trace.rebound.values():
                handle._value = original
            state.restore(before)
        for key, entry in self.trace.layers.items():
            outer.layers.setdefault(key, entry)

    def value_of(self, handle: Tensor) -> Value:
        """Return the value that a handle has at the end."""
        return self._values.get(id(handle), handle._value)

    def program(self, leading: Sequence[Value], outputs: Sequence[Value], read: Sequence[Value]) -> Subprogram:
        """Return the trace as a program that takes its leading variables and everything that is read."""
        outputs = [self.trace.capture(value) for value in outputs]
        variables = [*leading, *[self.trace.capture(value) for value in read]]
        return Subprogram(variables, self.trace.operations, outputs, self.trace.guards)


class _Join:
    """Two branches on their way to one control-flow operator: which values become its outputs."""

    def __init__(self, first: Branch, second: Branch, line: str) -> None:
        self.branches = (first, second)
        self.line = line
        self.pairs: list[tuple[Value, Value]] = []
        self._places: dict[tuple[int, int], int] = {}

    def merged(self, path: str, one: Any, other: Any, filled: bool = False) -> Any:
        """Return what a variable is after the conditional: a constant, a handle, or _Output in the place of a tensor.

        Args:
            path: The variable's name.
            one: Its frozen value after the first branch.
            other: And after the second.
            filled: Where it has a value in one branch only, nobody will look at it in the other case.
        """
        if filled and (one is UNDEFINED) != (other is UNDEFINED):
            one, other = [_like(other, one), other] if one is UNDEFINED else [one, _like(one, other)]
        if isinstance(one, Leaf) and isinstance(other, Leaf) and one.handle is other.handle:
            return one.handle
        if same_form(one, other):
            parts = zip(one.parts(path), other.items)
            items = [self.merged(name, item, counterpart, filled) for (name, item), counterpart in parts]
            return _Merged(one if one.whole is other.whole else Container(_copy(one.whole), one.keys, items), items)
        if same_constant(one, other):
            return one
        if isinstance(one, Container) and isinstance(other, Container) and type(one.whole) is type(other.whole):
            raise OperatorError(
                f"{self.line}: {path} has {len(one.items)} items after one branch and {len(other.items)} after the"
                " other; which branch runs depends on a tensor, so both must leave the same number (and the same keys)"
            )
        kind = _common_kind(one, other)
        if kind is None:
            raise OperatorError(self._difference(path, one, other))
        first, second = [as_value(item, kind) for item in (one, other)]
        if (first.meta, first.second or first.meta) != (second.meta, second.second or second.meta):
            raise OperatorError(self._difference(path, one, other))
        return _Output(self.output(first, second))

    def output(self, one: Value, other: Value) -> int:
        """Make a pair of values one output of the operator."""
        key = (id(one), id(other))
        if key not in self._places:
            self._places[key] = len(self.pairs)
            self.pairs.append((one, other))
        return self._places[key]

    def operator(self, condition: Value) -> list[Tensor]:
        """Record the control-flow operator and return its outputs."""
        values = [[pair[i] for pair in self.pairs] for i in (0, 1)]
        for branch, outputs in zip(self.branches, values):
            for value in outputs:
                branch.trace.capture(value)
        operations = [operation for branch in self.branches for operation in branch.trace.operations]
        acts = any(operation.operator.is_control_flow for operation in operations)
        if not self.pairs and not acts:
            return []
        read = union_of_reads([branch.trace for branch in self.branches])
        programs = [branch.program([], outputs, read) for branch, outputs in zip(self.branches, values)]
        operator = Conditional(dict(zip(("true", "false"), programs)), {})
        return note(operator, [condition, *read], [[value.requires_grad for value in pair] for pair in self.pairs])

    def _difference(self, path: str, one: Any, other: Any) -> str:
        subject = path if " " in path else f"variable {path!r}"
        if one is UNDEFINED or other is UNDEFINED:
            where = "false" if other is UNDEFINED else "true"
            return (
                f"{self.line}: {subject} has a value in one branch only: it is not defined where the condition is"
                f" {where}; which branch runs depends on a tensor, so give it a value before, or in both branches"
            )
        return (
            f"{self.line}: {subject} is {described(one)} after one branch and {described(other)} after the other;"
            " which branch runs depends on a tensor, so both must give it one type, shape and dtype"
        )


class _Output:
    """The place of one of the operator's results."""

    def __init__(self, index: int) -> None:
        self.index = index


class _Merged:
    """The place of a container of results."""

    def __init__(self, container: Container, items: list[Any]) -> None:
        self.container = container
        self.items = items


def _finished(result: Any, outputs: Sequence[Tensor]) -> Any:
    if isinstance(result, _Output):
        return outputs[result.index]
    if isinstance(result, _Merged):
        return rebuilt(result.container, [_finished(item, outputs) for item in result.items])
    if isinstance(result, (Leaf, Copied)):
        return result.handle if isinstance(result, Leaf) else result.restored()
    return result.whole if isinstance(result, Container) else result


def _copy(whole: Any) -> Any:
    if isinstance(whole, tuple):
        return whole
    made = copy.copy(whole)
    made.clear()
    return made


def _like(known: Any, unknown: Any) -> Any:
    """Return a placeholder of the form of a known frozen value, for a variable that nobody looks at."""
    if isinstance(known, Leaf):
        meta = known.value.meta
        filler = Tensor(np.zeros(meta[0], meta[1].numpy), dtype=meta[1])
        return Leaf(filler, filler._value)
    if isinstance(known, Container):
        items = [_like(item, unknown) for item in known.items]
        return Container(_copy(known.whole), known.keys, items)
    return known


def _common_kind(one: Any, other: Any) -> Optional[DType]:
    """Return the element type that two values share as tensors, or None."""
    kinds = []
    for item in (one, other):
        if isinstance(item, Leaf):
            kinds.append(item.value.meta[1])
        elif is_number(item):
            kinds.append(number_kind(item))
        else:
            return None
    if isinstance(one, Leaf) == isinstance(other, Leaf):
        return kinds[0] if kinds[0] is kinds[1] else None
    number, tensor = (kinds[1], kinds[0]) if isinstance(one, Leaf) else kinds
    return tensor if _holds(tensor, number) else None


def _holds(tensor: DType, number: DType) -> bool:
    """Return whether a Python number of one kind can take part as a tensor of the other."""
    if tensor.is_floating:
        return number is not bool_
    return (tensor is bool_) == (number is bool_) and not number.is_floating


def number_kind(number: Union[bool, int, float]) -> DType:
    """Return the element type that a Python number gets as a tensor."""
    return bool_ if isinstance(number, bool) else int64 if isinstance(number, int) else default_dtype()


def as_value(item: Any, kind: DType) -> Value:
    """Return a leaf's value, or a number as a 0-D constant of an element type."""
    return item.value if isinstance(item, Leaf) else Tensor(np.array(item), dtype=kind)._value


def union_of_reads(traces: Sequence[Trace]) -> list[Value]:
    """Return the values from outside that traces read, each once."""
    return list({id(value): value for trace in traces for value, _ in trace.captured}.values())


def note(operator: ControlFlowOperator, inputs: Sequence[Value], wanted: Sequence[Sequence[bool]]) -> list[Tensor]:
    """Record a control-flow operator in the current trace.

    Args:
        operator: The operator.
        inputs: Its inputs.
        wanted: For each output, flags of which any says that gradients flow through it.

    Returns:
        Its outputs.
    """
    trace = dispatcher.state.trace
    assert trace is not None
    # under no_grad too a variable that nobody touches keeps its gradient
    with dispatcher.gradient_mode(trace.gradients):
        values = dispatcher.invoke(operator, inputs, {})
    for value, flags in zip(values, wanted):
        value.requires_grad = value.requires_grad and any(flags)
    return [Tensor(value) for value in values]


def _move(handle: Tensor, new: Tensor) -> None:
    """Give a handle, in the trace around the control-flow operator, the value that this left it with."""
    trace = dispatcher.state.trace
    assert trace is not None
    if handle._value.traced is None and handle.stop_gradient:
        handle._update_in_trace(new)
    else:
        handle._rebind(new._value)


def one_element(condition: Tensor, line: str) -> None:
    """Refuse a condition of several elements, as Python does when it runs eagerly.

    Raises:
        ValueError: there are several, or none.
    """
    sizes = condition._value.meta[0]
    if int(np.prod(sizes, dtype=np.int64)) != 1:
        raise ValueError(
            f"{line}: a condition expects a tensor of one element, but the shape is {list(sizes)}: use all() or any()"
        )


class _Depth(threading.local):
    branches = 0


_depth = _Depth()


def in_branch() -> bool:
    """Return whether a branch or loop body that depends on a tensor is being traced."""
    return _depth.branches > 0


def truth(value: Any, line: str) -> Tensor:
    """Return the truth of a value as a 0-D bool tensor."""
    if not isinstance(value, Tensor):
        return Tensor(as_value(bool(value), bool_))
    one_element(value, line)
    flat = value if value.ndim == 0 else reshape(value, [])
    return flat if flat.dtype is bool_ else cast(flat, bool_)
