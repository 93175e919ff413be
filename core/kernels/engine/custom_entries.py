"""The functions that the engine calls to compute a custom operator inside a program.

mxnet's own wrap every array of a call, and ask the engine for its shape, type and memory. Shapes and types are fixed as
long as the engine keeps a computation, and so are the addresses in a program that keeps its buffers; so each call asks
for addresses alone here, and finds the views of them that an earlier one made.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.operator import HostOperator, Operator
from core.kernels.dtypes import DType, bfloat16
from core.kernels.engine import engine
from core.kernels.engine.engine import _LIB, Array, MXNetError

if TYPE_CHECKING:
    from core.kernels.engine.custom import Computation

REQUESTS = ("null", "write", "inplace", "add")
_INPUT, _OUTPUT, _INPUT_GRADIENT, _OUTPUT_GRADIENT = range(4)
_NULL, _WRITE, _IN_PLACE, _ADD = range(4)
_KNOWN = 8
"""Addresses that are remembered for each array; a program that keeps its buffers has one."""

_POINTERS, _INTEGERS = ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int)
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, _POINTERS, _INTEGERS, _INTEGERS, ctypes.c_int, ctypes.c_void_p)
_get_data = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, _POINTERS)(("MXNDArrayGetData", _LIB))
_free = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(("MXNDArrayFree", _LIB))


_STORAGE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, _INTEGERS, ctypes.c_void_p)
_STORAGE_BACKWARD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, _INTEGERS, _INTEGERS, ctypes.c_void_p)


@_STORAGE
def _dense(count: int, types: Any, context: Any) -> bool:
    """Say that all arrays of an operator are stored densely: type 0."""
    ctypes.memset(types, 0, count * ctypes.sizeof(ctypes.c_int))
    return True


@_STORAGE_BACKWARD
def _dense_backward(count: int, types: Any, tags: Any, context: Any) -> bool:
    """Say it of its gradient's arrays, of which the engine may not know it yet."""
    ctypes.memset(types, 0, count * ctypes.sizeof(ctypes.c_int))
    return True


def install_storage(callbacks: Any) -> None:
    """Take the place of mxnet's functions in the engine's list of what describes an operator; it asks at every step."""
    for place, callback in ((8, _dense), (9, _dense_backward)):
        callbacks[place] = ctypes.cast(callback, ctypes.CFUNCTYPE(ctypes.c_int))


def gradient_without_inputs(operator: Operator, dtypes: Sequence[DType]) -> Optional[Callable[..., None]]:
    """Return the function that computes an operator's gradient without the inputs, if it is computed so."""
    if not isinstance(operator, HostOperator) or operator.reads_inputs:
        return None
    return operator.gradients if bfloat16 not in dtypes and engine.on_cpu() else None


class Entries:
    """Both functions for one computation that the engine keeps.

    Args:
        computation: what computes where arrays must be wrapped after all.
        inputs: shape and type of each input.
        outputs: likewise of each output.
    """

    def __init__(self, computation: Computation, inputs: Sequence[Meta], outputs: Sequence[Meta]) -> None:
        operator = computation.operator
        numpy_knows = all(dtype is not bfloat16 for _, dtype in (*inputs, *outputs))
        self.host = operator if isinstance(operator, HostOperator) and numpy_knows and engine.on_cpu() else None
        self.without_inputs = gradient_without_inputs(operator, [dtype for _, dtype in (*inputs, *outputs)])
        self.computation = computation
        self.views = [_Views(metas) for metas in (inputs, outputs, inputs, outputs)]
        self.callbacks = [_ENTRY(self.forward), _ENTRY(self.backward)]

    def install(self, callbacks: Any) -> None:
        """Take the place of mxnet's functions in the engine's list: to be rid of a computation, forward, backward."""
        for place, callback in enumerate(self.callbacks, start=1):
            callbacks[place] = ctypes.cast(callback, ctypes.CFUNCTYPE(ctypes.c_int))

    def forward(self, count: int, handles: Any, tags: Any, requests: Any, training: int, context: Any) -> bool:
        """Compute the outputs."""
        call = _Call(count, handles, tags)
        wanted = requests[: len(call.groups[_OUTPUT])]
        try:
            if self.host is not None and self.host.fills and all(request == _WRITE for request in wanted):
                inputs, outputs = [self.views[kind].of(call.groups[kind]) for kind in (_INPUT, _OUTPUT)]
                self.host.fill(inputs, outputs, self.computation.attributes)
            else:
                call.wrap(writable=_OUTPUT)
                arrays, targets = call.groups[:2]
                self.computation.forward(arrays, targets, [REQUESTS[request] for request in wanted])
        except Exception as error:
            return self.computation.failed(error)
        finally:
            call.free()
        return True

    def backward(self, count: int, handles: Any, tags: Any, requests: Any, training: int, context: Any) -> bool:
        """Compute the gradients of the inputs."""
        call = _Call(count, handles, tags)
        wanted = requests[: len(call.groups[_INPUT_GRADIENT])]
        try:
            if self.without_inputs is not None:
                self._write_without_inputs(self.without_inputs, call, wanted)
            elif self.host is not None and self.host.gradients is not None and max(wanted) <= _WRITE:
                targets = [h if r == _WRITE else None for h, r in zip(call.groups[_INPUT_GRADIENT], wanted)]
                given = call.groups[_OUTPUT_GRADIENT][: self.host.differentiated]
                groups = (given, *call.groups[:2])
                views = [self.views[kind].of(group) for kind, group in zip((_OUTPUT_GRADIENT, _INPUT, _OUTPUT), groups)]
                out = self.views[_INPUT_GRADIENT].of(targets)
                self.host.gradients(*views, out=out, **self.computation.attributes)
            else:
                call.wrap(writable=_INPUT_GRADIENT)
                inputs, outputs, targets, gradients = call.groups
                self.computation.backward(gradients, inputs, outputs, targets, [REQUESTS[r] for r in wanted])
        except Exception as error:
            return self.computation.failed(error)
        finally:
            call.free()
        return True

    def _write_without_inputs(self, gradients: Callable[..., None], call: _Call, requests: Sequence[int]) -> None:
        """Compute the gradients of the inputs from what the engine gives: those of the outputs, and perhaps these."""
        given = self.views[_OUTPUT_GRADIENT].of(call.groups[_OUTPUT_GRADIENT])
        assert self.host is not None
        outputs = [] if self.host.is_linear else self.views[_OUTPUT].of(call.groups[_OUTPUT])  # none are empty arrays
        wanted = [h if r != _NULL else None for h, r in zip(call.groups[_INPUT_GRADIENT], requests)]
        targets = self.views[_INPUT_GRADIENT].of(wanted)
        out = [np.empty_like(target) if r > _WRITE else target for target, r in zip(targets, requests)]
        gradients(given, (), outputs, out=out, **self.computation.attributes)
        for target, found, request in zip(targets, out, requests):
            if request > _WRITE:
                np.add(target if request == _ADD else 0, found, out=target)


class _Call:
    """The arrays of a call by what they are; each is ours to free."""

    def __init__(self, count: int, handles: Any, tags: Any) -> None:
        self.groups: list[list[Any]] = [[], [], [], []]
        self.handles: list[int] = handles[:count]
        for handle, tag in zip(self.handles, tags[:count]):
            self.groups[tag].append(handle)

    def wrap(self, writable: int) -> None:
        """Make arrays of the handles, which free them."""
        self.handles = []
        self.groups = [
            [Array(ctypes.c_void_p(handle), kind == writable) for handle in group]
            for kind, group in enumerate(self.groups)
        ]

    def free(self) -> None:
        """Free what no array does."""
        for handle in self.handles:
            _free(handle)


class _Views:
    """Views of the memory of some arrays, by their addresses."""

    def __init__(self, metas: Sequence[Meta]) -> None:
        self.metas = metas
        self.known: list[dict[int, np.ndarray]] = [{} for _ in metas]

    def of(self, handles: Sequence[Optional[int]]) -> list[Any]:
        """Return a view of each array; None for None."""
        address = ctypes.c_void_p()
        found: list[Any] = []
        for handle, known, (shape, dtype) in zip(handles, self.known, self.metas):
            if handle is None:
                found.append(None)
                continue
            if _get_data(handle, ctypes.byref(address)):
                raise MXNetError(engine.last_error())
            view = known.get(address.value or 0)
            if view is None:
                if len(known) == _KNOWN:
                    known.clear()
                view = known[address.value or 0] = engine.memory_at(address.value or 0, shape, dtype)
            found.append(view)
        return found

