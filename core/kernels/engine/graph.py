"""Symbols and compiled programs: what tracing builds instead of computing.

A symbol is a node of the engine's graph; a :class:`Program` is such a graph compiled into one callable (a CachedOp).
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
import re
import threading
import weakref
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from core.kernels.dtypes import BY_CODE, DType, float32
from core.kernels.engine import engine
from core.kernels.engine.compilations import note_compilation
from core.kernels.engine.engine import _LIB, Array, Attributes, MXNetError, mx
from core.kernels.engine.startup import without_chatter

if TYPE_CHECKING:
    Symbol = Any
else:
    Symbol = mx.symbol.Symbol
Meta = tuple[tuple[int, ...], DType]

_serial = itertools.count()
_BLOCK_GRADIENT = engine.operator_handle("BlockGrad")
_RESHAPE = engine.operator_handle("Reshape")
_SLICE = engine.operator_handle("slice_axis")  # which oneDNN knows nothing of
_COPY = engine.operator_handle("_copy")
_NO_ATTRIBUTES = Attributes({})
_OPERATORS = re.compile('"op": "([^"]+)"')


def variable(label: str = "value") -> Symbol:
    """Return a new graph input with a name of its own."""
    return mx.symbol.Variable(f"{label}_{next(_serial)}")


def apply_operator(
    name: str, handle: ctypes.c_void_p, inputs: Sequence[Symbol], attributes: Attributes
) -> list[Symbol]:
    """Return the outputs of one operator applied to symbols; nothing is computed."""
    symbol_handle = ctypes.c_void_p()
    if _LIB.MXSymbolCreateAtomicSymbol(
        handle, attributes.count, attributes.keys, attributes.values, ctypes.byref(symbol_handle)
    ):
        raise MXNetError(engine.last_error())
    symbol = Symbol(symbol_handle)
    symbol._compose(*inputs, name=f"{name.strip('_')}_{next(_serial)}")
    return [symbol[i] for i in range(len(symbol))] if len(symbol) > 1 else [symbol]


def reshaped(symbol: Symbol, shape: Sequence[int]) -> Symbol:
    """Return the same values in another shape, in the plain order."""
    return apply_operator("reshaped", _RESHAPE, [symbol], Attributes({"shape": tuple(shape)}))[0]


def to_plain_layout(symbol: Symbol) -> Symbol:
    """Return a copy that oneDNN's operators have not left in blocks; the gradient flows back as such a copy too."""
    return apply_operator("to_plain_layout", _SLICE, [symbol], Attributes({"axis": 0, "begin": 0, "end": None}))[0]


def block_gradient(symbol: Symbol) -> Symbol:
    """Return the same values with no gradient flowing back."""
    return apply_operator("detach", _BLOCK_GRADIENT, [symbol], _NO_ATTRIBUTES)[0]


def infer(name: str, handle: ctypes.c_void_p, metas: Sequence[Meta], attributes: Attributes) -> list[Meta]:
    """Return shapes and types of an operator's outputs without running it.

    Raises:
        MXNetError: the engine refuses the inputs, or cannot infer the output shape without the data.
    """
    inputs = [variable() for _ in metas]
    outputs = apply_operator(name, handle, inputs, attributes)
    group = outputs[0] if len(outputs) == 1 else mx.symbol.Group(outputs)
    names = [symbol.name for symbol in inputs]
    shapes = dict(zip(names, [shape for shape, _ in metas]))
    input_shapes, output_shapes, _ = group._infer_shape_impl(False, **shapes)  # infer_shape prints what it refuses
    if output_shapes is not None:
        for shape, (given, _) in zip(input_shapes, metas):
            if tuple(shape) != tuple(given):  # some operators say what it should be, and then read that much
                raise MXNetError(f"{name} expects an input of shape {list(shape)}, not {list(given)}")
    output_types = _infer_types(group, names, [dtype for _, dtype in metas])
    if output_shapes is None or any(shape is None or -1 in shape for shape in output_shapes):
        raise MXNetError(f"the output shape of {name} depends on data")
    return [(tuple(shape), dtype) for shape, dtype in zip(output_shapes, output_types)]


def _infer_types(group: Symbol, names: Sequence[str], dtypes: Sequence[DType]) -> list[DType]:
    keys = (ctypes.c_char_p * len(names))(*[name.encode() for name in names])
    codes = (ctypes.c_int * len(names))(*[dtype.code for dtype in dtypes])
    sizes = [ctypes.c_uint() for _ in range(3)]
    results = [ctypes.POINTER(ctypes.c_int)() for _ in range(3)]
    complete = ctypes.c_int()
    if _LIB.MXSymbolInferType(
        group.handle,
        len(names),
        keys,
        codes,
        ctypes.byref(sizes[0]),
        ctypes.byref(results[0]),
        ctypes.byref(sizes[1]),
        ctypes.byref(results[1]),
        ctypes.byref(sizes[2]),
        ctypes.byref(results[2]),
        ctypes.byref(complete),
    ):
        raise MXNetError(engine.last_error())
    if not complete.value:
        raise MXNetError("the engine cannot infer the output type")
    return [BY_CODE[results[1][i]] for i in range(sizes[1].value)]


class Program:
    """A traced graph compiled into one call.

    Args:
        outputs: Symbols to return.
        inputs: The graph's variables in calling order.
        static: Keep one set of buffers for all calls (fastest for one signature).
        training: Run operators in their training form even where no gradient is asked for.
        static_inputs: Positions of the inputs that are the same arrays in most calls (parameters): the engine prepares
            what reads only these and its own buffers once, and again whenever one of them is another array.
        fuse: Let the engine merge neighbouring operators (oneDNN's subgraphs); for inference on the CPU only.
        draws: Results of random operators, in the order in which to draw them. The engine runs a graph in the order in
            which its outputs are reached, so these are its first outputs, which are kept to differentiate again.
    """

    def __init__(
        self,
        outputs: Sequence[Symbol],
        inputs: Sequence[Symbol],
        static: bool,
        training: bool,
        static_inputs: Collection[int] = (),
        fuse: bool = False,
        draws: Sequence[Symbol] = (),
    ) -> None:
        self.number_of_draws = len(draws)
        outputs = [*draws, *_apart_from_pooling(outputs)]
        self.without_inputs = not outputs or not mx.symbol.Group(outputs).list_inputs()
        if self.without_inputs:  # the engine refuses such a graph: give it one more output that needs one
            inputs = [variable("unused")]
            outputs += apply_operator("copy", _COPY, inputs, _NO_ATTRIBUTES)
        self.symbol = mx.symbol.Group(outputs)
        if fuse and engine.device_text().startswith("cpu"):
            self.symbol = self.symbol.get_backend_symbol("MKLDNN")
        used = self.symbol.list_inputs()
        position = {symbol.name: i for i, symbol in enumerate(inputs)}
        self.order = [position[name] for name in used]
        self.training = training
        # a graph of one or two operators would be taken apart, and outputs without a gradient could not be heads then
        flags: list[tuple[str, Any]] = [("static_alloc", static), ("static_shape", static), ("inline_limit", 0)]
        self.static_inputs = frozenset(static_inputs if static and not self.without_inputs else ())
        if static and not self.without_inputs:
            flags.append(("param_indices", [i for i, place in enumerate(self.order) if place in self.static_inputs]))
            flags.append(("data_indices", [i for i, place in enumerate(self.order) if place not in self.static_inputs]))
        self.flags = flags
        note_compilation()
        self.call = mx.ndarray.CachedOp(self.symbol, flags)
        text = self.symbol.tojson()
        self._may_draw = any(engine.may_draw(name) for name in set(_OPERATORS.findall(text)))
        self._announced = '"pool_type": "avg"' not in text
        self._recorded = threading.local()
        self._recorded.lane = _Lane(self.call, self._announced)
        self.number_of_outputs = len(outputs) - int(self.without_inputs)

    def forward(self, arrays: Sequence[Array]) -> list[Array]:
        """Run without a record."""
        if self.without_inputs:
            arrays = [_unused_array()]
        if self._may_draw:
            engine.apply_seed()
        with engine.turn, engine.engine_mode(recording=False, training=self.training):
            outputs = _listed(self.call(*[arrays[i] for i in self.order]))
        return outputs[self.number_of_draws : self.number_of_outputs]

    def forward_recorded(self, arrays: Sequence[Array], needs: Sequence[bool]) -> tuple[list[Array], ProgramRecord]:
        """Run and keep what :meth:`ProgramRecord.backward` needs."""
        for array in arrays:
            if type(array) is _LentArray:
                array.own()
        watched = [engine.detached(array) for array in arrays]
        chosen = [i for i in self.order if needs[i]]
        lane = getattr(self._recorded, "lane", None)
        if lane is None:
            lane = self._recorded.lane = _Lane(mx.ndarray.CachedOp(self.symbol, self.flags), self._announced)
        if self._may_draw:
            engine.apply_seed()
        quiet = contextlib.nullcontext() if lane.announced else without_chatter()
        with engine.turn, engine.engine_mode(recording=True, training=True), quiet:
            mark([watched[i] for i in chosen])
            outputs = _listed(lane.call(*[watched[i] for i in self.order]))
        lane.announced = True
        draws = [engine.detached(array) for array in outputs[: self.number_of_draws]]
        outputs = outputs[self.number_of_draws :]
        leaves = [watched[i] for i in chosen]
        record = ProgramRecord(self.static_inputs, lane, outputs, leaves, chosen, len(arrays), draws)
        return [engine.detached(array) for array in outputs], record


def _apart_from_pooling(outputs: Sequence[Symbol]) -> list[Symbol]:
    """Return copies of those outputs that maximum pooling reads.

    Its gradient expects its input as it was in memory when it was pooled, and who reads an output puts the blocks that
    oneDNN left in it in order.
    """
    text = mx.symbol.Group(list(outputs)).tojson() if outputs else ""
    if '"pool_type": "max"' not in text:
        return list(outputs)
    stored = json.loads(text)
    nodes = [node for node in stored["nodes"] if node["op"] == "Pooling" and node["attrs"].get("pool_type") == "max"]
    pooled = {tuple(node["inputs"][0][:2]) for node in nodes}
    return [
        apply_operator("copy", _COPY, [symbol], _NO_ATTRIBUTES)[0] if tuple(head[:2]) in pooled else symbol
        for symbol, head in zip(outputs, stored["heads"])
    ]


def _listed(outputs: Any) -> list[Array]:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


class _Lane:
    """A program as one thread records it: gradients are lent out of memory that no other thread writes."""

    __slots__ = ("call", "lent", "thread", "announced")

    def __init__(self, call: Any, announced: bool) -> None:
        self.call = call
        self.announced = announced  # what the engine has to say about it, which it says when it first runs
        self.lent: list[weakref.ref[_LentArray]] = []
        self.thread = threading.get_ident()


class _LentArray(Array):
    """The gradient of a static input: engine memory that the program's next backward pass writes again.

    A training step is through with it by then. Where somebody still holds it, it gets memory of its own first.
    """

    __slots__ = ("lent", "__weakref__")

    def __init__(self, array: Array) -> None:
        super().__init__(array.handle, array.writable)
        array.handle = None  # what frees the memory is this array now
        self.lent = True

    def own(self) -> None:
        """Move the elements to memory that nobody else writes."""
        if self.lent:
            copy = engine.empty(engine.shape_of(self), engine.dtype_of(self))
            engine.copy_into(copy, self)
            self.handle, copy.handle = copy.handle, self.handle  # type: ignore[misc]  # the engine's class has it
            self.lent = False


class ProgramRecord:
    """One recorded call of a program, ready to be differentiated by the engine."""

    __slots__ = ("static_inputs", "lane", "outputs", "watched", "positions", "number_of_inputs", "draws")

    def __init__(
        self,
        static_inputs: Collection[int],
        lane: _Lane,
        outputs: list[Array],
        watched: list[Array],
        positions: list[int],
        number_of_inputs: int,
        draws: list[Array],
    ) -> None:
        self.static_inputs = static_inputs
        self.lane = lane
        self.outputs = outputs
        self.watched = watched
        self.positions = positions
        self.number_of_inputs = number_of_inputs
        self.draws = draws

    def backward(self, gradients: Sequence[Array], retain: bool) -> list[Any]:
        """Return one gradient array per program input, None where none was asked for."""
        with engine.turn:
            return self._backward(gradients, retain)

    def _backward(self, gradients: Sequence[Array], retain: bool) -> list[Any]:
        for reference in self.lane.lent:
            earlier = reference()
            if earlier is not None:
                earlier.own()
        self.lane.lent = lent = []
        results: list[Any] = [None] * self.number_of_inputs
        for position, gradient in zip(
            self.positions, differentiate(self.outputs, gradients, self.watched, retain=retain)
        ):
            if position in self.static_inputs:
                gradient = _LentArray(gradient)
                if self.lane.thread == threading.get_ident():
                    lent.append(weakref.ref(gradient))
                else:
                    gradient.own()
            results[position] = gradient
        return results


def mark(arrays: Sequence[Array]) -> None:
    """Declare arrays to be variables that the engine differentiates with respect to."""
    if not arrays:
        return
    count = len(arrays)
    handles = (ctypes.c_void_p * count)(*[array.handle for array in arrays])
    requests = (ctypes.c_uint * count)(*[1] * count)
    unused = (ctypes.c_void_p * count)(*[_unused_array().handle] * count)
    if _LIB.MXAutogradMarkVariables(count, handles, requests, unused):
        raise MXNetError(engine.last_error())


_unused: list[Array] = []


def _unused_array() -> Array:
    if not _unused:
        _unused.append(engine.empty((1,), float32))
    return _unused[0]


def differentiate(
    heads: Sequence[Array], gradients: Sequence[Array], variables: Sequence[Array], retain: bool
) -> list[Array]:
    """Return the engine's own first-order gradients of recorded arrays with respect to marked variables."""
    if not variables:
        return []
    with engine.engine_mode(recording=False, training=True):
        result = mx.autograd.grad(
            list(heads), list(variables), head_grads=list(gradients), retain_graph=retain, create_graph=False
        )
    return list(result)
