"""The bridge into compiled programs for operators that the engine lacks, or whose gradient it gets wrong.

One custom operator serves all: it looks the declared operator up by name, computes forward with it and backward with
its differentiation rule.
"""

from __future__ import annotations

import ast
import traceback
from collections import deque
from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.operator import KERNELS, REGISTRY, TRANSIENT, HostOperator, Operator
from core.kernels.dtypes import DType, to_dtype
from core.kernels.engine import engine, graph
from core.kernels.engine.constants import zeros
from core.kernels.engine.custom_entries import Entries, gradient_without_inputs, install_storage
from core.kernels.engine.engine import Array, Attributes, mx

_CUSTOM = engine.operator_handle("Custom")
_SUM = engine.operator_handle("elemwise_add")
_NO_ATTRIBUTES = Attributes({})

failures: deque[Exception] = deque(maxlen=8)
"""What operators raised inside programs, newest last: the engine's own error does not say it."""

differentiate: Optional[Callable[..., list[Optional[Array]]]] = None
"""Set by core.autograd: runs one operator's rule on engine arrays."""


def apply(
    operator: Operator,
    inputs: Sequence[graph.Symbol],
    attributes: dict[str, Any],
    input_metas: Sequence[dispatcher.Meta],
    output_metas: Sequence[dispatcher.Meta],
) -> list[graph.Symbol]:
    """Return symbols of the operator's outputs inside a graph."""
    encoded = Attributes(
        {
            "op_type": "core_operator",
            "operator": operator.name,
            "attributes": to_text(attributes),
            "input_types": ",".join(dtype.name for _, dtype in input_metas),
            "output_types": ",".join(dtype.name for _, dtype in output_metas),
        }
    )
    return graph.apply_operator(operator.name, _CUSTOM, inputs, encoded)


def to_text(attributes: dict[str, Any]) -> str:
    """Write attributes as a Python literal; types and non-finite numbers become tagged text."""
    return repr({key: _plain(value) for key, value in attributes.items()})


def from_text(text: str) -> dict[str, Any]:
    """Read what :func:`to_text` wrote; nothing in it is executed."""
    return {key: _restored(value) for key, value in ast.literal_eval(text).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, DType):
        return f"dtype:{value.name}"
    if isinstance(value, float):
        return f"float:{value.hex()}"
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    return value


def _restored(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("dtype:"):
        return to_dtype(value[6:])
    if isinstance(value, str) and value.startswith("float:"):
        return float.fromhex(value[6:])
    if isinstance(value, tuple):
        return tuple(_restored(item) for item in value)
    return value


class _WithOurFunctions:
    """What mxnet gives ``_ref_holder`` to keep, where the engine finds the functions to call: ours go in there."""

    def install(self, callbacks: Any) -> None:
        """Put our functions into the list that the engine calls."""
        raise NotImplementedError

    @property
    def _ref_holder(self) -> Any:
        return self._held

    @_ref_holder.setter
    def _ref_holder(self, held: Any) -> None:
        self._held = held
        self.install(held[0][0].callbacks)


class Computation(_WithOurFunctions, mx.operator.CustomOp):
    """What the engine keeps to compute an operator with, for inputs of certain shapes.

    Args:
        operator: The operator.
        attributes: Its attributes.
        inputs: Shape and type of each input.
        outputs: Likewise of each output.
    """

    def __init__(
        self,
        operator: Operator,
        attributes: dict[str, Any],
        inputs: Sequence[dispatcher.Meta],
        outputs: Sequence[dispatcher.Meta],
    ) -> None:
        super().__init__()
        self.operator = operator
        self.attributes = attributes
        self.entries = Entries(self, inputs, outputs)

    def install(self, callbacks: Any) -> None:
        """Put our functions into the list that the engine calls."""
        self.entries.install(callbacks)

    def forward(self, inputs: Sequence[Array], outputs: Sequence[Array], requests: Sequence[str]) -> None:
        """Compute into the outputs."""
        with dispatcher.gradient_mode(False):
            found = dispatcher.invoke(self.operator, [dispatcher.constant(array) for array in inputs], self.attributes)
        for target, request, value in zip(outputs, requests, found):
            _write(target, request, value.array)

    def backward(
        self,
        gradients: Sequence[Array],
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        targets: Sequence[Array],
        requests: Sequence[str],
    ) -> None:
        """Compute the gradients of the inputs into the targets."""
        assert differentiate is not None
        needs = [request != "null" for request in requests]
        found = differentiate(self.operator, self.attributes, inputs, outputs, gradients, needs)
        for target, request, gradient in zip(targets, requests, found):
            if gradient is None:
                if request in ("write", "inplace"):
                    engine.copy_into(target, zeros(engine.shape_of(target), engine.dtype_of(target)))
            else:
                _write(target, request, gradient)

    def failed(self, error: Exception) -> bool:
        """Note what was raised; False reports it to the engine."""
        failures.append(error)
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        print(f"Error in {self.operator.name}: {''.join(lines)}", end="")
        return False


def _write(target: Array, request: str, source: Array) -> None:
    if request in ("write", "inplace"):
        engine.copy_into(target, source)
    elif request == "add":
        engine.invoke(_SUM, [target, source], _NO_ATTRIBUTES, [target])


class _Properties(_WithOurFunctions, mx.operator.CustomOpProp):
    """Describes a declared operator to the engine; a constructor that raised would end the process."""

    def __init__(self, **attributes: str) -> None:
        super().__init__(need_top_grad=True)
        self.name = attributes["operator"]
        self.attributes = from_text(attributes["attributes"])
        self.input_types = [to_dtype(name) for name in attributes["input_types"].split(",")]
        self.output_types = [to_dtype(name) for name in attributes["output_types"].split(",")]

    def install(self, callbacks: Any) -> None:
        """Put our functions into the list that the engine calls."""
        install_storage(callbacks)

    @property
    def operator(self) -> Operator:
        """What is described; not held here, because the engine never lets go of some descriptions."""
        return REGISTRY.get(self.name) or KERNELS.get(self.name) or TRANSIENT[self.name]

    def list_arguments(self) -> list[str]:
        return [f"input{i}" for i in range(len(self.input_types))]

    def list_outputs(self) -> list[str]:
        return [f"output{i}" for i in range(len(self.output_types))]

    def declare_backward_dependency(self, out_grad: Any, in_data: Any, out_data: Any) -> Any:
        """Return what the gradient is computed from."""
        if gradient_without_inputs(self.operator, (*self.input_types, *self.output_types)) is not None:
            linear = isinstance(self.operator, HostOperator) and self.operator.is_linear
            return [*out_grad] if linear else [*out_grad, *out_data]
        return [*out_grad[: self.operator.differentiated], *in_data, *out_data]

    def infer_type(self, in_type: Any) -> Any:
        return [dtype.numpy.type for dtype in self.input_types], [dtype.numpy.type for dtype in self.output_types], []

    def infer_shape(self, in_shape: Any) -> Any:
        metas = [(tuple(shape), dtype) for shape, dtype in zip(in_shape, self.input_types)]
        return in_shape, [list(shape) for shape, _ in self._outputs(metas)], []

    def _outputs(self, metas: Sequence[dispatcher.Meta]) -> Sequence[dispatcher.Meta]:
        plan = dispatcher.plan_of(self.operator, metas, self.attributes)
        return dispatcher.traced_metas(self.operator, plan, metas, self.attributes)

    def create_operator(self, context: Any, shapes: Any, dtypes: Any) -> Computation:
        inputs = [(tuple(shape), dtype) for shape, dtype in zip(shapes, self.input_types)]
        return Computation(self.operator, self.attributes, inputs, self._outputs(inputs))


mx.operator.register("core_operator")(_Properties)
