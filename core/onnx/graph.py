"""Writing an ONNX graph node by node: names, constants, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import DType, float64, int64
from core.kernels.sizes.dimension import Dimension, operation_text

ELEMENT_TYPES = {
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "float16": TensorProto.FLOAT16,
    "uint8": TensorProto.UINT8,
    "int8": TensorProto.INT8,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "bool": TensorProto.BOOL,
}
_SIGNS = {"+": "Add", "-": "Sub", "*": "Mul", "%": "Mod", "/": "Div", "power": "Pow", "min": "Min", "max": "Max"}


def is_float(size: Any) -> bool:
    """Whether a number, or an expression of sizes, is a floating-point one."""
    return isinstance(size.sizes[0] if isinstance(size, Dimension) else size, float)


class Operand(NamedTuple):
    """A tensor of the program, under the name that it has in the graph.

    Attributes:
        name: Its name in the graph.
        shape: Sizes; a :class:`Dimension` where the size is unknown.
        dtype: Element type.
    """

    name: str
    shape: Sequence[Any]
    dtype: DType

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)


Input = Union[str, Operand, np.ndarray, np.generic, None]
"""What a node reads: a tensor's name, an operand, an array (which becomes a constant), nothing."""


class Graph:
    """An ONNX graph under construction.

    Args:
        opset_version: Version of ONNX's operators.

    Attributes:
        values: The name of each value of the program that is in the graph so far, by ``id``.
        conditions: Names of zeros that exist only where something holds that the program was traced for.
    """

    def __init__(self, opset_version: int) -> None:
        self.opset_version = opset_version
        self.values: dict[int, str] = {}
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}
        self._constants: dict[Any, str] = {}
        self.conditions: list[str] = []
        self._sizes: dict[tuple[str, int], str] = {}
        self._names: dict[str, int] = {}

    def fresh_name(self, wanted: str) -> str:
        """Return a name that no tensor of the graph has yet, the wanted one if it is free."""
        name, count = wanted, self._names.get(wanted, 0)
        while name in self._names:
            name = f"{wanted}_{count}"
            count += 1
        self._names[wanted] = max(count, 1)
        self._names.setdefault(name, 1)
        return name

    def initializer(self, wanted: str, array: np.ndarray) -> str:
        """Add a tensor that is stored in the file and return its name."""
        name = self.fresh_name(wanted)
        self.initializers[name] = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
        return name

    def constant(self, array: Any) -> str:
        """Return the name of a small stored tensor; equal ones are stored once."""
        array = np.asarray(array)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.initializer("constant", array)
        return self._constants[key]

    def node(self, operator: str, *inputs: Input, **attributes: Any) -> str:
        """Add a node of one output and return that output's name; attributes that are None are left out."""
        return self.nodes_outputs(operator, inputs, 1, attributes)[0]

    def node_of_many(self, operator: str, *inputs: Input, outputs: int, **attributes: Any) -> list[str]:
        """Add a node of several outputs and return their names."""
        return self.nodes_outputs(operator, inputs, outputs, attributes)

    def nodes_outputs(
        self, operator: str, inputs: Sequence[Input], outputs: int, attributes: dict[str, Any]
    ) -> list[str]:
        """Add a node and return the names of its outputs."""
        names = [self._input_name(given) for given in inputs]
        while names and not names[-1]:
            names.pop()
        results = [self.fresh_name(operator.lower()) for _ in range(outputs)]
        kept = {key: value for key, value in attributes.items() if value is not None}
        self.nodes.append(helper.make_node(operator, names, results, name=results[0], **kept))
        return results

    def _input_name(self, given: Input) -> str:
        if given is None:
            return ""
        if isinstance(given, Operand):
            return given.name
        return given if isinstance(given, str) else self.constant(given)

    def cast(self, x: Input, dtype: DType) -> str:
        """Convert to another element type."""
        return self.node("Cast", x, to=ELEMENT_TYPES[dtype.name])

    def number(self, value: Any, dtype: DType) -> np.ndarray:
        """Return a number as a 0-D constant of a type."""
        return np.asarray(value, dtype.numpy)

    def integers(self, *values: int) -> np.ndarray:
        """Return a constant vector of integers, the form that axes, sizes and positions have in ONNX."""
        return np.asarray(values, np.int64).reshape(-1)

    def scalar(self, value: Any, dtype: DType) -> Input:
        """Return a number that an operator takes beside a tensor, as a 0-D tensor of a type."""
        return self.cast(self.size(value), dtype) if isinstance(value, Dimension) else self.number(value, dtype)

    def known(self, size: Any, operator: str) -> int:
        """Return a size that ONNX expects as a number.

        Raises:
            OperatorError: it is unknown.
        """
        if isinstance(size, Dimension):
            if size.sizes[0] != size.sizes[1]:
                raise OperatorError(
                    f"onnx.export: {operator} needs the number {self.text(size)}, which is unknown: give the size in"
                    " the InputSpec"
                )
            return int(size.sizes[0])
        return int(size)

    def text(self, size: Any) -> str:
        """Return a size as text, in terms of the shapes of the graph's tensors."""
        if not isinstance(size, Dimension):
            return str(size)
        if size.sign == "size":
            return f"{self.values[id(size.parts[0])]}.shape[{size.parts[1]}]"
        text = operation_text(size.sign, *[self.text(part) for part in size.parts])
        return text if size.sign in ("min", "max", "scaled") else f"({text})"

    def size(self, size: Any) -> Input:
        """Return a size as a 0-D tensor of int64 (float64 for a quotient), worked out from the shapes of tensors."""
        if not isinstance(size, Dimension):
            return self.constant(np.asarray(size, np.float64 if isinstance(size, float) else np.int64))
        if size.sign == "size":
            value, axis = size.parts
            key = (self.values[id(value)], axis)
            if key not in self._sizes:
                shape = self.node("Shape", self.values[id(value)])
                self._sizes[key] = self.node("Gather", shape, np.int64(axis), axis=0)
            return self._sizes[key]
        if size.sign == "scaled":
            return self.cast(self.node("Mul", *[self.scalar(part, float64) for part in size.parts]), int64)
        if size.sign in ("/", "power") or any(is_float(part) for part in size.parts):
            first, second = (self.scalar(part, float64) for part in size.parts)
            if size.sign == "//":
                return self.node("Floor", self.node("Div", first, second))
            result = self.node(_SIGNS[size.sign], first, second, fmod=1 if size.sign == "%" else None)
            return result if is_float(size) else self.cast(result, int64)
        first, second = (self.size(part) for part in size.parts)
        if size.sign == "//":
            return self.node("Div", self.node("Sub", first, self.node("Mod", first, second)), second)
        return self.node(_SIGNS[size.sign], first, second)

    def sizes(self, sizes: Sequence[Any]) -> Input:
        """Return sizes (ints, Dimensions, names of 0-D tensors) as a vector of int64."""
        if not any(isinstance(size, (Dimension, str)) for size in sizes):
            return self.integers(*sizes)
        parts: list[Any] = []
        for size in sizes:
            if isinstance(size, (Dimension, str)):
                name = self.size(size) if isinstance(size, Dimension) else size
                parts.append(self.node("Reshape", name, self.integers(1)))
            else:
                parts.append(self.integers(size))
        return self.node("Concat", *parts, axis=0) if len(parts) > 1 else parts[0]

    def range(self, size: Any) -> Input:
        """Return the numbers from 0 to size - 1, as int64."""
        if isinstance(size, Dimension):
            return self.node("Range", np.int64(0), self.size(size), np.int64(1))
        if size > 1024:
            return self.node("Range", np.int64(0), np.int64(size), np.int64(1))
        return np.arange(size, dtype=np.int64)

    def filled(self, shape: Sequence[Any], number: float, dtype: DType) -> str:
        """Make a tensor of one repeated number."""
        value = helper.make_tensor("value", ELEMENT_TYPES[dtype.name], [1], [dtype.numpy.type(number)])
        return self.node("ConstantOfShape", self.sizes(shape), value=value)

    def reduce(self, operator: str, x: Input, axes: Sequence[int], keepdims: bool = True) -> str:
        """Reduce along axes (at least one); their place, attribute or input, depends on the operators' version."""
        if self.opset_version >= 18 or operator == "ReduceSum":
            return self.node(operator, x, self.integers(*axes), keepdims=int(keepdims))
        return self.node(operator, x, axes=list(axes), keepdims=int(keepdims))

    def unsqueeze(self, x: Input, *axes: int) -> str:
        """Insert axes of size 1 at these places of the result."""
        return self.node("Unsqueeze", x, self.integers(*axes))

    def body(
        self, inputs: Sequence[onnx.ValueInfoProto], write: Callable[[], Sequence[onnx.ValueInfoProto]]
    ) -> onnx.GraphProto:
        """Return a graph of its own, for nodes that run others; it may read what the graph around it holds.

        Args:
            inputs: Its inputs.
            write: Adds its nodes and returns its outputs.
        """
        around = self.nodes, self.conditions, self._sizes
        self.nodes, self.conditions, self._sizes = [], [], dict(self._sizes)
        outputs = write()
        result = helper.make_graph(self.nodes, "body", list(inputs), list(outputs))
        self.nodes, self.conditions, self._sizes = around
        return result

    def require(self, fails: str, text: str) -> None:
        """Let the model fail, in a node of a telling name, where a truth value is true.

        ONNX has no assertion; but taking element 1 of a single 0 is an error, and taking element 0 is 0.
        """
        self.conditions.append(self.node("Gather", self.integers(0), self.cast(fails, int64), axis=0))
        self.nodes[-1].name = self.fresh_name(text)

    def conditions_hold(self) -> Optional[str]:
        """Return the name of a 0 that exists only where all conditions hold; None without conditions."""
        if len(self.conditions) < 2:
            return self.conditions[0] if self.conditions else None
        total = self.conditions[0]
        for name in self.conditions[1:]:
            total = self.node("Add", total, name)
        return total

    def need_version(self, version: int, operator: str) -> None:
        """Refuse an operator that the chosen version of ONNX cannot express.

        Raises:
            OperatorError: the version is too old.
        """
        if self.opset_version < version:
            raise OperatorError(
                f"onnx.export: {operator} needs ONNX operators of version {version} or newer: export with"
                f" opset_version={version}"
            )

    def prune(self, outputs: Sequence[str]) -> None:
        """Drop nodes and stored tensors that no output needs."""
        needed = set(outputs)
        kept = []
        for node in reversed(self.nodes):
            if needed.intersection(node.output):
                needed.update(_read(node))
                kept.append(node)
        self.nodes = kept[::-1]
        self.initializers = {name: tensor for name, tensor in self.initializers.items() if name in needed}


def _read(node: onnx.NodeProto) -> list[str]:
    """Return the names that a node reads, those read inside its bodies included."""
    inner = [name for given in node.attribute for part in given.g.node for name in _read(part)]
    return [*node.input, *inner]
