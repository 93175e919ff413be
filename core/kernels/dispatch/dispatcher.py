"""The dispatcher: the one place where every operator is checked, run or traced, and recorded.

A :class:`Value` is one immutable result. :func:`invoke` takes values and gives values. What it learns about a
combination of attributes, shapes and types (that it is valid, what comes out, the attributes in the engine's text form)
is kept as a plan, so that the second call with the same combination costs one dictionary look-up and the engine call.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Optional, Protocol

from core.kernels.dispatch import lowering
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.lowering import GRADIENTS, MIXED, PROGRAM, SERVING, SYMBOLIC, TRACED, UNUSUAL
from core.kernels.dtypes import DType
from core.kernels.engine import engine, graph
from core.kernels.engine.engine import Array, Attributes, MXNetError
from core.kernels.engine.host_array import HostArray, on_engine, readable

if TYPE_CHECKING:
    from core.kernels.dispatch.operator import Operator
    from core.kernels.dispatch.trace import Trace

Meta = tuple[tuple[int, ...], DType]

MAXIMUM_PLANS = 4096
MAXIMUM_ELEMENTS = 2**31
WORTH_A_LOOK = 2**15  # no operator makes 2**31 elements out of fewer than this without an inference of its own
_order = itertools.count()


class Precision(Protocol):
    """Mixed precision: the types that operators compute in."""

    @property
    def signature(self) -> tuple[Any, ...]:
        """Equal where two of them cast alike."""

    def __call__(self, operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any]) -> Sequence[Value]:
        """Return the inputs of an operator, cast."""


in_float32: Any = None
"""Set by core.operators, which has the casts: runs an operator in float32 on 16-bit inputs."""


observer: Optional[Callable[[str, Callable[..., Any]], Callable[..., Any]]] = None
"""Set while the profiler measures: takes an operator's name and NumPy's function for it; returns one that notes it."""


class _State(threading.local):
    """What mode a thread is in; changed by the functions below, which keep the context in step."""

    trace: Optional[Trace] = None
    precision: Optional[Precision] = None
    context = GRADIENTS

    @property
    def gradients(self) -> bool:
        """Whether operations are recorded."""
        return bool(self.context & GRADIENTS)


state = _State()


def set_gradients(enabled: bool) -> None:
    """Record operations of this thread from now on, or do not."""
    state.context = state.context | GRADIENTS if enabled else state.context & ~GRADIENTS


def set_precision(precision: Optional[Precision]) -> None:
    """Set this thread's mixed precision; with None operators compute in what they are given."""
    state.precision = precision
    state.context = state.context & ~MIXED if precision is None else state.context | MIXED


def set_trace(trace: Optional[Trace]) -> None:
    """Record this thread's operations in a trace; with None they are run."""
    state.trace = trace
    kind = 0
    if trace is not None:
        kind = SYMBOLIC if trace.symbolic else SERVING if trace.serving else PROGRAM
    state.context = state.context & ~TRACED | kind
at_least_1d = False
"""Whether one element that is read or taken out by a subscript keeps one axis (``FLAGS_set_to_1d``)."""
_writes = _index_writes = 0


def memory_written(of_indices: bool = False) -> None:
    """Note that memory was written in which values may stand that were cast, or integers that were sorted, before."""
    global _writes, _index_writes
    _writes += 1
    _index_writes += of_indices


def written() -> int:
    """Return a number that changes whenever memory is written in place."""
    return _writes


def indices_written() -> int:
    """Return a number that changes whenever memory of integers is written in place."""
    return _index_writes


class Value:
    """One immutable result: an engine array, or a symbol while tracing, with its place in the record of operations.

    Attributes:
        held: What it is made of: an engine array, or a small one in NumPy's memory; a graph symbol when ``traced``;
            None where it is abstract.
        meta: ``(shape, dtype)``.
        node: The operation that made it; None for a leaf.
        index: Which of the node's outputs it is.
        requires_grad: Whether gradients flow into it.
        owner: Weak reference to the handle of a leaf (its parameter, buffer or user tensor), or None.
        traced: The trace that it is a value of; None for an eager one.
        key: What stands for it in the key of a plan: ``meta``, or ``(meta, format)`` where a memory format was noted.
        second: In a trace with unknown sizes, ``meta`` in the second shape hypothesis where it differs there; otherwise
            None.
    """

    __slots__ = ("held", "meta", "node", "index", "requires_grad", "owner", "traced", "second", "key", "__weakref__")

    def __init__(
        self,
        held: Any,
        meta: Meta,
        node: Optional[Node] = None,
        index: int = 0,
        requires_grad: bool = False,
        traced: Optional[Trace] = None,
    ) -> None:
        self.held = held
        self.meta = meta
        self.key: Any = meta
        self.node = node
        self.index = index
        self.requires_grad = requires_grad
        self.owner: Any = None
        self.traced = traced
        self.second: Optional[Meta] = None

    @property
    def array(self) -> Any:
        """The engine's array, which is made now where NumPy's memory held the elements; a graph symbol; or None."""
        return on_engine(self.held)

    @property
    def is_trainable_leaf(self) -> bool:
        """Whether it is no operation's result and needs a gradient: gradients are accumulated for its one handle."""
        return self.node is None and self.requires_grad

    def note_format(self, memory_format: int) -> None:
        """Note what format the maker left the memory in; see core.kernels.dispatch.lowering."""
        self.key = (self.meta, memory_format)

    def detached(self) -> Value:
        """Return a leaf on the same memory through which no gradient flows."""
        trace = self.traced or (None if self.owner is None else state.trace)  # what a handle holds may be another later
        return Value(self.held, self.meta) if trace is None else trace.detached(self)


class Node:
    """The record of one operation: what is needed to differentiate it, alive as long as one of its results."""

    __slots__ = ("operator", "attributes", "inputs", "outputs", "metas", "order", "saved", "hooks", "traced")

    def __init__(
        self,
        operator: Operator,
        attributes: dict[str, Any],
        inputs: Sequence[Value],
        outputs: Sequence[Any],
        metas: Sequence[Meta],
        saved: Any,
        traced: Optional[Trace],
    ) -> None:
        self.operator = operator
        self.attributes = attributes
        self.inputs: Optional[Sequence[Value]] = inputs
        self.outputs = outputs
        self.metas = metas
        self.order = next(_order)
        self.saved = saved
        self.hooks: Optional[dict[int, list[Any]]] = None
        self.traced = traced

    def release(self) -> None:
        """Forget the inputs: a second backward through this node is an error, and the memory is free."""
        self.inputs = None
        self.outputs = ()
        self.saved = None


class Plan:
    """What is known about one operator with given attributes, input shapes, types and formats, in one context.

    Attributes:
        operator: What computes it; see core.kernels.dispatch.lowering.
        given: Shapes and types of the inputs.
        attributes: Those for the engine.
        metas: Shapes and types of the outputs; None where only the engine or the data show them.
        handle: The engine's operator, or None.
        numpy: Where NumPy computes it, a function of the inputs' elements.
        noted: The memory format to note on the first output.
    """

    __slots__ = ("operator", "given", "attributes", "metas", "handle", "numpy", "noted")

    def __init__(
        self,
        operator: Operator,
        given: Sequence[Meta],
        attributes: Attributes,
        metas: Optional[Sequence[Meta]],
        handle: Any,
        noted: int,
    ) -> None:
        self.operator = operator
        self.given = given
        self.attributes = attributes
        self.metas = metas
        self.handle = handle
        self.numpy = operator.numpy
        self.noted = noted


def invoke(operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
    """Run (or, while tracing, record) one operator.

    Args:
        operator: What to run.
        inputs: Its input values.
        attributes: Its attributes, hashable.

    Returns:
        Its output values.

    Raises:
        OperatorError: shapes, types or attributes do not fit; raised before the engine starts computing.
    """
    context = state.context
    if context & UNUSUAL:
        if context & MIXED:
            inputs = state.precision(operator, inputs, attributes)  # type: ignore[misc]  # which is set where it is mixed
        if context & TRACED:
            return state.trace.invoke(operator, inputs, attributes)  # type: ignore[union-attr]  # likewise
    if not attributes and len(inputs) == 2:  # the same key, made in less time
        plan = operator.plans.get((context, inputs[0].key, inputs[1].key))
    else:
        plan = operator.plans.get((context, *attributes.items(), *[value.key for value in inputs]))
    if plan is None:
        if operator.needs_float32([value.meta for value in inputs]):
            return in_float32(operator, inputs, attributes)
        plan = make_plan(operator, inputs, attributes)
    needs_gradient = False
    arrays: Any = []
    if plan.numpy is not None:
        for value in inputs:
            held = value.held
            numbers = held.numbers if type(held) is HostArray else None
            if numbers is None:
                return _of_engine_memory(operator, plan, inputs, attributes, context)
            arrays.append(numbers)
            if value.requires_grad:
                needs_gradient = True
        results = plan.numpy(*arrays)
        if needs_gradient and context & GRADIENTS and operator.differentiable:
            return _recorded(operator, attributes, inputs, plan, results)
        metas = plan.metas
        assert metas is not None
        if type(results) is tuple:
            return [Value(HostArray(result), meta) for result, meta in zip(results, metas)]
        return [Value(HostArray(results), metas[0])]
    for value in inputs:
        held = value.held
        if value.traced or held is None:
            raise unusable(operator, value)
        arrays.append(held.on_engine() if type(held) is HostArray else held)
        needs_gradient = needs_gradient or value.requires_grad
    needs_gradient = needs_gradient and context & GRADIENTS and operator.differentiable  # type: ignore[assignment]  # bool() would cost a call per operator
    try:
        arrays, saved = plan.operator.execute(arrays, plan, attributes, needs_gradient)
    except MXNetError as error:
        raise refusal(operator, plan.given, attributes, error) from None
    metas = plan.metas
    if metas is None:
        metas = [(engine.shape_of(array), engine.dtype_of(array)) for array in arrays]
        if not operator.data_dependent:
            plan.metas = metas
    if needs_gradient:
        values = record(operator, attributes, inputs, arrays, metas, saved, traced=None)
        if plan.noted:
            values[0].note_format(plan.noted)
        return values
    return [Value(array, meta) for array, meta in zip(arrays, metas)]


def _of_engine_memory(
    operator: Operator, plan: Plan, inputs: Sequence[Value], attributes: dict[str, Any], context: int
) -> list[Value]:
    """Compute by NumPy where some input lies in the engine's memory; it is read there, and no result is a view."""
    given = []
    with engine.engine_lock:
        for value in inputs:
            if value.traced or value.held is None:
                raise unusable(operator, value)
            given.append(readable(value.held, *value.meta))
        results = plan.numpy(*given)  # type: ignore[misc]  # which the caller has looked at
        if type(results) is not tuple:
            results = (results,)
        if plan.operator.is_view:
            results = tuple([result.copy() for result in results])
    if context & GRADIENTS and operator.differentiable and any(value.requires_grad for value in inputs):
        return _recorded(operator, attributes, inputs, plan, results)
    return [Value(HostArray(result), meta) for result, meta in zip(results, plan.metas or ())]


def _recorded(
    operator: Operator, attributes: dict[str, Any], inputs: Sequence[Value], plan: Plan, results: Any
) -> list[Value]:
    arrays = [HostArray(result) for result in results] if type(results) is tuple else [HostArray(results)]
    return record(operator, attributes, inputs, arrays, plan.metas or (), None, traced=None)


def record(
    operator: Operator,
    attributes: dict[str, Any],
    inputs: Sequence[Value],
    arrays: Sequence[Any],
    metas: Sequence[Meta],
    saved: Any,
    traced: Optional[Trace],
) -> list[Value]:
    """Return output values joined to a new node; integer and bool outputs carry no gradient."""
    node = Node(operator, attributes, inputs, arrays, metas, saved, traced)
    return [
        Value(array, meta, node, index, meta[1].kind == "f", traced)
        for index, (array, meta) in enumerate(zip(arrays, metas))
    ]


def make_plan(operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any]) -> Plan:
    """Check one combination of inputs and attributes, choose what computes it, and remember the outcome."""
    plan = _checked_plan(operator, [value.meta for value in inputs], attributes, state.context, inputs)
    return _remembered(operator, (state.context, *attributes.items(), *[value.key for value in inputs]), plan)


def plan_of(operator: Operator, metas: Sequence[Meta], attributes: dict[str, Any]) -> Plan:
    """Return what is known about an operator by itself, however it is computed, for shapes and types alone."""
    key = (SYMBOLIC, *attributes.items(), *metas)
    plan = operator.plans.get(key)
    if plan is None:
        plan = _remembered(operator, key, _checked_plan(operator, metas, attributes, SYMBOLIC, None))
    return plan


def plan_in_graph(operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any]) -> Plan:
    """Return a plan for a graph, where the choice may depend on what is known about these values alone."""
    return _checked_plan(operator, [value.meta for value in inputs], attributes, state.context, inputs)


def _checked_plan(
    operator: Operator,
    metas: Sequence[Meta],
    attributes: dict[str, Any],
    context: int,
    inputs: Optional[Sequence[Value]],
) -> Plan:
    if operator.check is not None:
        operator.check(metas, attributes)
    formats = [lowering.UNKNOWN if value.key is value.meta else value.key[1] for value in inputs or ()]
    call = lowering.Call(metas, attributes, context, formats, inputs if context & TRACED else None)
    chosen = lowering.lowered(operator, call)
    encoded = Attributes(chosen.engine_attributes(metas, attributes))
    infer = chosen.infer or operator.infer
    output_metas = infer(metas, attributes) if infer is not None else None
    if output_metas is None and chosen.handle is None and operator.handle is not None:
        output_metas = traced_metas(operator, plan_of(operator, metas, attributes), metas, attributes)
    noted = 0 if chosen.numpy else lowering.NOTED.get(chosen.name, lowering.NOTED.get(operator.name, 0))
    plan = Plan(chosen, metas, encoded, output_metas, chosen.handle_for(metas, attributes), noted)
    if observer is not None and plan.numpy is not None:
        plan.numpy = observer(operator.engine_name or operator.name, plan.numpy)
    check_size(operator, plan, metas, attributes)
    return plan


def _remembered(operator: Operator, key: Any, plan: Plan) -> Plan:
    if len(operator.plans) >= MAXIMUM_PLANS:
        operator.plans.clear()
    operator.plans[key] = plan
    return plan


def check_size(operator: Operator, plan: Plan, metas: Sequence[Meta], attributes: dict[str, Any]) -> None:
    """Refuse outputs that the engine would count wrongly.

    Raises:
        OperatorError: an output would have 2**31 elements or more.
    """
    outputs = plan.metas
    if outputs is None:
        if operator.data_dependent or sum([math.prod(shape) for shape, _ in metas]) < WORTH_A_LOOK:
            return
        outputs = traced_metas(operator, plan, metas, attributes)
    for shape, _ in outputs:
        if math.prod(shape) >= MAXIMUM_ELEMENTS:
            raise OperatorError(
                f"{operator.name}: a result of shape {list(shape)} has {math.prod(shape)} elements; the engine's limit"
                " is 2**31 - 1: compute it in parts"
            )


def traced_metas(operator: Operator, plan: Plan, metas: Sequence[Meta], attributes: dict[str, Any]) -> Sequence[Meta]:
    """Return the output shapes and types of a plan, asking the engine's inference where they are not known yet."""
    if plan.metas is None:
        if operator.data_dependent or plan.handle is None:
            raise OperatorError(
                f"{operator.name}: the output shape depends on data, so it cannot be part of a compiled program;"
                f" {operator.instead}"
            )
        try:
            plan.metas = graph.infer(operator.name, plan.handle, metas, plan.attributes)[: operator.visible_outputs]
        except MXNetError as error:
            raise refusal(operator, metas, attributes, error) from None
    return plan.metas


def unusable(operator: Operator, value: Value) -> OperatorError:
    """Say why a value cannot be computed with: it was traced, or it has no memory yet."""
    if value.traced:
        return OperatorError(
            f"{operator.name}: a tensor made while a program was being compiled is used after that: return it from the"
            " compiled function instead of storing it"
        )
    return OperatorError(f"{operator.name}: a parameter is abstract (built under LazyGuard): initialize() it first")


def refusal(operator: Operator, metas: Sequence[Meta], attributes: dict[str, Any], error: Exception) -> OperatorError:
    """Turn an engine error into one line that names the operator, its inputs and its attributes."""
    given = ", ".join(f"{dtype.name}{list(shape)}" for shape, dtype in metas)
    options = ", ".join(f"{key}={value!r}" for key, value in attributes.items())
    reason = engine.first_line(str(error))
    if "could not create a primitive" in reason and any(dtype.size == 2 for _, dtype in metas):
        reason = "this processor does not compute it in 16 bits (bfloat16 needs AVX-512); cast to float32"
    return OperatorError(f"{operator.name}({given}{'; ' if options else ''}{options}): {reason}")


class gradient_mode:
    """Switch recording on or off for this thread inside a ``with`` block."""

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled

    def __enter__(self) -> None:
        self.previous = state.gradients
        set_gradients(self.enabled)

    def __exit__(self, *_: object) -> None:
        set_gradients(self.previous)


class precision_mode:
    """Set this thread's mixed precision inside a ``with`` block; with None operators compute in what they are given."""

    def __init__(self, precision: Optional[Precision]) -> None:
        self.precision = precision

    def __enter__(self) -> None:
        self.previous = state.precision
        set_precision(self.precision)

    def __exit__(self, *_: object) -> None:
        set_precision(self.previous)


def is_recording() -> bool:
    """Return whether this thread records operations, so that they can be differentiated."""
    return state.gradients


def is_tracing() -> bool:
    """Return whether this thread's operators are recorded in a program instead of being run."""
    return state.trace is not None


def is_mixed() -> bool:
    """Return whether mixed precision chooses the types that this thread's operators compute in."""
    return state.precision is not None


def constant(array: Array) -> Value:
    """Return a leaf value for an engine array."""
    return Value(array, (engine.shape_of(array), engine.dtype_of(array)))
