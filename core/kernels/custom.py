"""The bridge into compiled programs for operators that the engine lacks, or whose gradient it gets wrong.

One custom operator serves all: it looks the declared operator up by name, computes forward with it and backward with
its differentiation rule.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.kernels import door, engine, graph
from core.kernels.dtypes import DType, to_dtype
from core.kernels.engine import Array, Attributes, mx
from core.kernels.operator import PASSING, REGISTRY, Operator

_CUSTOM = engine.operator_handle("Custom")

failures: deque[Exception] = deque(maxlen=8)
"""What operators raised inside programs, newest last: the engine's own error does not say it."""

differentiate: Optional[Callable[..., list[Optional[Array]]]] = None
"""Set by core.autograd: runs one operator's rule on engine arrays."""


def apply(
    operator: Operator,
    inputs: Sequence[graph.Symbol],
    attributes: dict[str, Any],
    input_metas: Sequence[door.Meta],
    output_metas: Sequence[door.Meta],
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


class _Computation(mx.operator.CustomOp):
    def __init__(self, operator: Operator, attributes: dict[str, Any]) -> None:
        super().__init__()
        self.operator = operator
        self.attributes = attributes

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        try:
            if all(request == "write" for request in req) and self.operator.fill(in_data, out_data, self.attributes):
                return
            inputs = [door.constant(array) for array in in_data]
            with door.gradient_mode(False):
                outputs = door.invoke(self.operator, inputs, self.attributes)
        except Exception as error:
            failures.append(error)
            raise
        for target, request, value in zip(out_data, req, outputs):
            _write(target, request, value.array)

    def backward(self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> None:
        if all(request in ("write", "null") for request in req):
            targets = [target if request == "write" else None for target, request in zip(in_grad, req)]
            if self.operator.fill_gradients(out_grad, in_data, out_data, targets, self.attributes):
                return
        assert differentiate is not None
        needs = [request != "null" for request in req]
        gradients = differentiate(self.operator, self.attributes, in_data, out_data, out_grad, needs)
        for target, request, gradient in zip(in_grad, req, gradients):
            if gradient is None:
                if request in ("write", "inplace"):
                    target[:] = 0
            else:
                _write(target, request, gradient)


def _write(target: Array, request: str, source: Array) -> None:
    if request in ("write", "inplace"):
        engine.copy_into(target, source)
    elif request == "add":
        target += source


def _dense(handle: Any, writable: bool = True, stype: Optional[int] = None) -> Array:
    """Return an array of the engine's; mxnet would ask for the storage of each, and all are dense here."""
    return Array(handle, writable)


class _Properties(mx.operator.CustomOpProp):
    """Describes a declared operator to the engine; a constructor that raised would end the process."""

    def __init__(self, **attributes: str) -> None:
        super().__init__(need_top_grad=True)
        self.name = attributes["operator"]
        self.attributes = from_text(attributes["attributes"])
        self.input_types = [to_dtype(name) for name in attributes["input_types"].split(",")]
        self.output_types = [to_dtype(name) for name in attributes["output_types"].split(",")]

    @property
    def operator(self) -> Operator:
        """What is described; not held here, because the engine never lets go of some descriptions."""
        return REGISTRY.get(self.name) or PASSING[self.name]

    def list_arguments(self) -> list[str]:
        return [f"input{i}" for i in range(len(self.input_types))]

    def list_outputs(self) -> list[str]:
        return [f"output{i}" for i in range(len(self.output_types))]

    def infer_type(self, in_type: Any) -> Any:
        return [dtype.numpy.type for dtype in self.input_types], [dtype.numpy.type for dtype in self.output_types], []

    def infer_shape(self, in_shape: Any) -> Any:
        metas = [(tuple(shape), dtype) for shape, dtype in zip(in_shape, self.input_types)]
        plan = self.operator.plans.get((*self.attributes.items(), *metas))
        if plan is None:
            plan = door.make_plan(self.operator, metas, self.attributes)
        outputs = door.traced_metas(self.operator, plan, metas, self.attributes)
        return in_shape, [list(shape) for shape, _ in outputs], []

    def infer_storage_type_backward(
        self, ograd_stype: Any, in_stype: Any, out_stype: Any, igrad_stype: Any, aux_stype: Any
    ) -> Any:
        """Everything here is dense, also the gradients of which the engine does not know it yet."""
        given = (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)
        return tuple(["default"] * len(stypes) for stypes in given)

    def create_operator(self, context: Any, shapes: Any, dtypes: Any) -> _Computation:
        return _Computation(self.operator, self.attributes)


_usual = mx.operator._ndarray_cls
mx.operator._ndarray_cls = _dense  # what registering takes to make the arrays of every call of this operator
mx.operator.register("core_operator")(_Properties)
mx.operator._ndarray_cls = _usual
