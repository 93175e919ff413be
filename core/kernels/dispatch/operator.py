"""Primitive operators: the engine's own, and ours that the engine lacks.

An :class:`Operator` is declared once, beside the public function that uses it. Its differentiation rule is attached in
``core.autograd.rules``.
"""

from __future__ import annotations

import ctypes
import operator
import weakref
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta, Plan, Value, constant, invoke, state
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import DType, bfloat16, dtype_of_numpy, float64
from core.kernels.engine import engine, graph, host_array
from core.kernels.engine.engine import Array
from core.kernels.sizes.dimension import contains_dimension

Check = Callable[[Sequence[Meta], dict[str, Any]], None]
Infer = Callable[[Sequence[Meta], dict[str, Any]], Sequence[Meta]]

REGISTRY: dict[str, Operator] = {}
KERNELS: dict[str, Operator] = {}
"""What computes declared operators, by names such as ``swish.numba``; no program says these names."""
TRANSIENT: weakref.WeakValueDictionary[str, Operator] = weakref.WeakValueDictionary()
"""Operators that a trace made and that live as long as the programs in which they stand."""


class Operator:
    """A primitive that the engine computes.

    Attributes:
        is_control_flow: It is control flow with programs of its own inside: a compiled program is cut there.
        instead: What to do where its output shape depends on data and a program is being compiled.
        numpy: Where NumPy computes it, a function of the inputs' elements; see :class:`NumpyKernel`.
        is_view: Its results may be views of the inputs.
        first_opaque: The results from this one on are opaque, where not all are.
        differentiated: How many results have gradients in a program, where not all have.

    Args:
        name: Our name, unique.
        engine_name: The engine's registered operator.
        check: Raises OperatorError for inputs that the engine would refuse late, crash on or answer wrongly.
        infer: Gives output shapes and types; without it the engine's inference serves.
        attributes: Turns our attributes into the engine's (the same ones by default).
        differentiable: False where no gradient exists; then no rule is needed.
        training: The engine's training flag must be set while it runs.
        data_dependent: The output shape depends on the data, so it cannot be traced.
        visible_outputs: How many of the engine's outputs are results; the rest is dropped.
        allocate: Make the outputs from ``infer`` and let the engine write into them (the engine's ``_backward_*``
            operators have no shape inference of their own).
        same_shape: The engine's operator on two images of one shape; unlike those that broadcast it keeps the memory
            format of convolutions.
        needs_custom_operator: Inside a compiled program the engine's own gradient of this operator is unsound: run it,
            and its rule, through a custom operator there.
        single: The engine's gradient of it is exact to single precision only: in float64 it needs a custom operator.
        lacks: The 16-bit types for which the engine has no kernel, or one that loses digits; None: it takes anything.
        random: Each run draws again: where an operation is repeated, to differentiate it again, its result is kept.
        opaque: Its result is for one other operator alone: shape and type depend on what computes it.
        register: Whether the operator can be found by name; False for those made at run time (compiled programs).
    """

    is_control_flow = False
    numpy: Optional[Callable[..., Any]] = None
    is_view = False
    first_opaque: Optional[int] = None
    differentiated: Optional[int] = None
    instead = "compute it outside to_static"
    rule: Any = None  # a class whose operators differentiate themselves defines it

    def __init__(
        self,
        name: str,
        engine_name: Optional[str],
        *,
        check: Optional[Check] = None,
        infer: Optional[Infer] = None,
        attributes: Optional[Callable[[Sequence[Meta], dict[str, Any]], dict[str, Any]]] = None,
        differentiable: bool = True,
        training: bool = False,
        data_dependent: bool = False,
        visible_outputs: Optional[int] = None,
        allocate: bool = False,
        same_shape: Optional[str] = None,
        needs_custom_operator: bool = False,
        single: bool = False,
        lacks: Optional[tuple[DType, ...]] = (),
        random: bool = False,
        opaque: bool = False,
        register: bool = True,
    ) -> None:
        if register and name in REGISTRY:
            raise ValueError(f"operator {name!r} is declared twice")
        self.name = name
        self.engine_name = engine_name
        self.handle: Optional[ctypes.c_void_p] = engine.operator_handle(engine_name) if engine_name else None
        self.same_shape_handle = engine.operator_handle(same_shape) if same_shape else None
        self.check = check
        self.infer = infer
        self._attributes = attributes
        self.differentiable = differentiable
        self.training = training
        self.data_dependent = data_dependent
        self.visible_outputs = visible_outputs
        self.allocate = allocate
        self.needs_custom_operator = needs_custom_operator
        self.single = single
        self.lacks = lacks if register else None
        self.random = random
        self.opaque = opaque
        self.plans: dict[Any, Plan] = {}
        if register:
            REGISTRY[name] = self

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    def hides(self, result: int) -> bool:
        """Return whether a result is opaque, see ``opaque``."""
        return self.opaque or (self.first_opaque is not None and result >= self.first_opaque)

    def engine_attributes(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> dict[str, Any]:
        """Return the attributes to hand to the engine; an attribute that is None is left out."""
        if self._attributes is not None:
            attributes = self._attributes(metas, attributes)
        return {key: value for key, value in attributes.items() if value is not None}

    def handle_for(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> Optional[ctypes.c_void_p]:
        """Return the engine's operator for inputs of these shapes and types."""
        if self.same_shape_handle is not None and metas[0] == metas[1]:
            shape, dtype = metas[0]
            if len(shape) >= 2 and 0 not in shape and dtype.is_floating:
                return self.same_shape_handle
        return self.handle

    def in_graph(
        self,
        handle: ctypes.c_void_p,
        symbols: Sequence[Any],
        encoded: engine.Attributes,
        metas: Sequence[Meta],
        attributes: dict[str, Any],
    ) -> list[Any]:
        """Return the outputs of this operator applied to symbols of a graph.

        Args:
            handle: The engine's operator.
            symbols: The inputs.
            encoded: The engine's attributes.
            metas: Shapes and types of the inputs.
            attributes: Those of the call.
        """
        return graph.apply_operator(self.name, handle, symbols, encoded)

    def runs_custom(self, metas: Sequence[Meta], attributes: dict[str, Any], differentiated: bool) -> bool:
        """Return whether a compiled program runs this operator, and its rule, through a custom operator.

        Args:
            metas: Shapes and types of the inputs.
            attributes: Those of the call.
            differentiated: Whether an input needs a gradient (under no_grad too, where the engine prepares it all the
                same), or the program is not for training, where the engine would convert the layout of weights.
        """
        return self.needs_custom_operator or (self.single and metas[0][1] is float64)

    def needs_float32(self, metas: Sequence[Meta]) -> bool:
        """Return whether float32 is to serve for inputs of these shapes and types, because some are 16-bit.

        oneDNN, whose type bfloat16 is, knows no tensors without axes or without elements.
        """
        if self.lacks is None:
            return False
        for shape, dtype in metas:
            if dtype.size == 2 and (dtype in self.lacks or (dtype is bfloat16 and (not shape or 0 in shape))):
                return True
        return False

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Compute on engine arrays; returns the outputs and what the differentiation rule expects kept (or None)."""
        out = None
        if self.allocate:
            assert plan.metas is not None
            out = [engine.empty(shape, dtype) for shape, dtype in plan.metas]
        if self.training:
            with engine.engine_mode(recording=False, training=True):
                outputs = engine.invoke(plan.handle, arrays, plan.attributes, out)
        else:
            outputs = engine.invoke(plan.handle, arrays, plan.attributes, out)
        return outputs[: self.visible_outputs], None

    def replay(self, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
        """Run once more on other values: how a compiled program's operations are repeated one by one."""
        return invoke(self, inputs, attributes)


class HostOperator(Operator):
    """A custom primitive: a function of numpy arrays (plain numpy, or numba underneath).

    Eagerly it runs on zero-copy views of engine memory, or on copies where tensors live on a GPU; inside a compiled
    program it is a custom operator.

    Args:
        name: Our name, unique.
        function: Takes the input arrays, and the attributes as keywords; returns a tuple of arrays; changes no input.
        infer: Output shapes and types; None where they depend on the data.
        check, differentiable, register: As for :class:`Operator`.
        fills: The function writes its result into the array that it is given as ``out`` (a tuple of arrays where it has
            several): engine memory, so that a large result is not copied.
        gradients: In compiled programs takes the place of the differentiation rule: takes the gradients of the outputs,
            the inputs and the outputs, and the attributes as keywords; writes into ``out``, which has an array for each
            input, or None where no gradient is needed.
        is_linear: ``gradients`` reads neither the inputs nor the outputs, and is given none: a program need not keep
            them, or lay them out for it.
        reads_inputs: False: the same of the inputs alone.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        *,
        check: Optional[Check] = None,
        infer: Optional[Infer] = None,
        differentiable: bool = True,
        fills: bool = False,
        gradients: Optional[Callable[..., None]] = None,
        is_linear: bool = False,
        reads_inputs: bool = True,
        register: bool = True,
    ) -> None:
        super().__init__(
            name,
            None,
            check=check,
            infer=infer,
            differentiable=differentiable,
            data_dependent=infer is None,
            needs_custom_operator=True,
            lacks=(bfloat16,),
            register=register,
        )
        self.function = function
        self.fills = fills
        self.gradients = gradients
        self.is_linear = is_linear
        self.reads_inputs = reads_inputs and not is_linear

    @property
    def is_direct(self) -> bool:
        """Whether it computes in the memory where tensors live, rather than on copies of what a GPU holds."""
        return engine.on_cpu()

    def engine_attributes(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> dict[str, Any]:
        """The engine sees no attributes of a host operator."""
        return {}

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run the function on views of the inputs; bfloat16 is handed to it as float32, not as bits."""
        with engine.engine_lock:
            return self._compute(arrays, plan, attributes), None

    def _compute(self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any]) -> list[Array]:
        views = [_readable(array) for array in arrays]
        if self.fills:
            assert plan.metas is not None
            if plan.metas[0][1] is bfloat16 or not engine.on_cpu():
                out = [np.empty(shape, np.float32 if dtype is bfloat16 else dtype.numpy) for shape, dtype in plan.metas]
                self.fill(views, out, attributes)
                return [engine.from_numpy(array, dtype) for array, (_, dtype) in zip(out, plan.metas)]
            targets = [engine.empty(*meta) for meta in plan.metas]
            self.fill(views, [engine.view(target, *meta) for target, meta in zip(targets, plan.metas)], attributes)
            return targets
        results = self.function(*views, **attributes)
        if not isinstance(results, tuple):
            results = (results,)
        if plan.metas is None:
            return [engine.from_numpy(result) for result in results]
        return [engine.from_numpy(result, dtype) for result, (_, dtype) in zip(results, plan.metas)]

    def fill(self, views: Sequence[np.ndarray], out: Sequence[np.ndarray], attributes: dict[str, Any]) -> None:
        """Write the result into given memory, arrays that are views of it."""
        self.function(*views, out=out[0] if len(out) == 1 else tuple(out), **attributes)


class Kernel(HostOperator):
    """A custom kernel that computes a declared operator where its lowering chooses that.

    Args:
        name: The operator's name, a dot, and what the kernel is; unique.
        function, infer, gradients, is_linear, reads_inputs: As for :class:`HostOperator`; the function writes into
            ``out``.
        differentiable: False where no gradient exists.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        *,
        infer: Infer,
        gradients: Optional[Callable[..., None]] = None,
        is_linear: bool = False,
        reads_inputs: bool = True,
        differentiable: bool = True,
    ) -> None:
        if name in KERNELS:
            raise ValueError(f"kernel {name!r} is declared twice")
        given: dict[str, Any] = {"infer": infer, "differentiable": differentiable, "gradients": gradients}
        given.update(is_linear=is_linear, reads_inputs=reads_inputs)
        super().__init__(name, function, fills=True, register=False, **given)
        KERNELS[name] = self

    @property
    def rule(self) -> Any:
        """The differentiation rule of the operator that it computes."""
        return REGISTRY[self.name.partition(".")[0]].rule


class NumpyKernel(Operator):
    """What computes a declared operator on few elements, eagerly on CPUs: the engine's call alone costs more.

    Its results own NumPy's memory, or share that of other results; the engine has an array of them only once one of its
    operators reads them (:class:`core.kernels.engine.host_array.HostArray`).

    Args:
        function: Takes the elements of the inputs; returns an array in the result's type, or a tuple of them. It
            changes no input, and raises no warning.
        is_view: Its results may be views of the inputs.
    """

    def __init__(self, function: Callable[..., Any], *, is_view: bool = False) -> None:
        super().__init__("numpy", None, register=False)
        self.numpy = function
        self.is_view = is_view

    def engine_attributes(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> dict[str, Any]:
        """The function has its attributes."""
        return {}


class ConstantOperator(Operator):
    """A tensor computed by numpy from attributes alone; a program holds it as a constant.

    Args:
        name: Our name, unique.
        function: Takes the attributes as keywords, returns an array.
        form: Takes the same, returns the array's shape and numpy type and computes nothing: what a file asks for is
            measured by it before it is made.
    """

    def __init__(
        self, name: str, function: Callable[..., np.ndarray], form: Callable[..., tuple[Sequence[int], Any]]
    ) -> None:
        super().__init__(name, None, infer=self._infer, differentiable=False)
        self.function = function
        self.form = form

    def _infer(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> Sequence[Meta]:
        shape, dtype = self.form(**attributes)
        shape = tuple([operator.index(size) for size in shape])
        if any(size < 0 for size in shape):
            raise OperatorError(f"{self.name}: a result of shape {list(shape)}: sizes start at 0")
        return [(shape, dtype_of_numpy(np.zeros((), dtype)))]

    def engine_attributes(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> dict[str, Any]:
        """The engine sees no attributes of a constant."""
        return {}

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Compute the array."""
        made = self.function(**attributes)
        return [host_array.from_numpy(made, dtype_of_numpy(made))], None

    def replay(self, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
        """Compute the array where all sizes are known, even while a trace runs: to it, it is a constant.

        A trace that only notes operations down computes nothing.
        """
        if contains_dimension(attributes) or (state.trace is not None and state.trace.symbolic):
            return invoke(self, inputs, attributes)
        return [constant(engine.from_numpy(self.function(**attributes)))]


def forget_plans() -> None:
    """Let every operator be lowered again: which kernels there are depends on the device, which all threads share."""
    for declared in (*REGISTRY.values(), *KERNELS.values()):
        declared.plans.clear()


engine.device_listeners.append(forget_plans)


def _readable(array: Array) -> np.ndarray:
    dtype = engine.dtype_of(array)
    numbers = engine.view(array, engine.shape_of(array), dtype)
    if dtype is bfloat16:
        return engine.bfloat16_bits_to_float32(numbers)
    return numbers


def is_declared(operator: Operator) -> bool:
    """Return whether every process with this core has the operator."""
    known = REGISTRY.get(operator.name) is operator and "#" not in operator.name
    return known and (not isinstance(operator, HostOperator) or _is_of_core(operator.function))


def _is_of_core(function: Any) -> bool:
    function = getattr(function, "func", function)  # the function of a partial
    return (getattr(function, "__module__", None) or "numpy").partition(".")[0] in ("core", "numpy")
