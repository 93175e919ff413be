"""What the engine does for everything above: arrays, operator calls, random state, waiting.

Everything above this file speaks of arrays (engine memory), operator handles and attributes as text.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import os
import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import BY_CODE, DType, bfloat16, dtype_of_numpy
from core.kernels.engine import forked
from core.kernels.engine.startup import _LIB, C_LIBRARY, MXNetError, mx

if TYPE_CHECKING:
    Array = Any
else:
    Array = mx.ndarray.NDArray
turn = forked.survives(threading.RLock())
"""Held while the engine computes: it keeps no order between what several threads give it, and converts the layout of
weights in place when a program first reads them."""
COMPUTES_AT_ONCE = os.environ.get("MXNET_ENGINE_TYPE") == "NaiveEngine"
"""Whether operators have run when their call returns."""
engine_lock: contextlib.AbstractContextManager[Any] = turn if COMPUTES_AT_ONCE else contextlib.nullcontext()
"""Held while memory is read past the engine, which lays weights out row by row for that, in place: without threads of
its own it would do so under another thread's operation. With them it waits for its turn by itself."""

SYNCHRONOUS = os.environ.get("CORE_SYNC") == "1"

_NO_TEXT = (ctypes.c_char_p * 0)()
_Handles, _Integers = ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int)
_handles = functools.lru_cache(maxsize=None)(lambda count: ctypes.c_void_p * count)
_DRAWING = re.compile("random|sample|uniform|normal|shuffle|Dropout|RNN|LeakyReLU")


class DrawingHandle(ctypes.c_void_p):
    """The handle of an operator that may read the random state."""


def may_draw(name: str) -> bool:
    """Return whether one of the engine's operators may read the random state, by its name."""
    return _DRAWING.search(name) is not None


class Attributes:
    """Operator attributes in the engine's own text form, made once and used for many calls."""

    __slots__ = ("count", "keys", "values", "items")

    def __init__(self, attributes: dict[str, Any]) -> None:
        self.items = {key: encode(value) for key, value in attributes.items()}
        self.count = len(self.items)
        self.keys = (ctypes.c_char_p * self.count)(*[key.encode() for key in self.items])
        self.values = (ctypes.c_char_p * self.count)(*[text.encode() for text in self.items.values()])


def encode(value: Any) -> str:
    """Return an attribute's value as the text that the engine parses."""
    if isinstance(value, DType):
        return value.name
    if isinstance(value, float):
        return repr(value)
    return str(value)


def operator_handle(name: str) -> ctypes.c_void_p:
    """Return the engine's handle of a registered operator.

    Raises:
        LookupError: this build of the engine has no such operator.
    """
    handle = DrawingHandle() if may_draw(name) else ctypes.c_void_p()
    if _LIB.NNGetOpHandle(name.encode(), ctypes.byref(handle)) != 0:
        raise LookupError(f"the engine has no operator {name!r}")
    return handle


def last_error() -> str:
    """Return the engine's last error as one line, without its stack and source positions."""
    text = _LIB.MXGetLastError
    text.restype = ctypes.c_char_p
    return first_line(text().decode(errors="replace"))


def first_line(message: str) -> str:
    """Reduce an engine error to the sentence that says what is wrong."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    for line in lines:
        _, found, reason = line.partition("Check failed:")
        if found:
            return reason.strip().rstrip(":")
    lines = [line for line in lines if not line.startswith(("Traceback", "File", "Stack trace", "["))]
    return lines[0].partition("MXNetError:")[2].strip() or lines[0] if lines else "unknown engine error"


def invoke(
    handle: Optional[ctypes.c_void_p],
    inputs: Sequence[Array],
    attributes: Attributes,
    out: Optional[Sequence[Array]] = None,
) -> list[Array]:
    """Run one registered operator; with an engine of threads the call returns at once.

    Args:
        handle: From :func:`operator_handle`.
        inputs: Engine arrays.
        attributes: Encoded attributes.
        out: Arrays to write into; new ones are made when it is None.

    Raises:
        MXNetError: the engine refused shapes, types or attributes.
    """
    number_of_inputs = len(inputs)
    input_handles = _handles(number_of_inputs)(*[array.handle for array in inputs])
    if out is None:
        number_of_outputs = ctypes.c_int(0)
        outputs = _Handles()
    else:
        number_of_outputs = ctypes.c_int(len(out))
        outputs = ctypes.cast(_handles(len(out))(*[array.handle for array in out]), _Handles)
    storage = _Integers()
    if type(handle) is DrawingHandle:
        apply_seed()
    with turn:
        failed = _LIB.MXImperativeInvokeEx(
            handle,
            number_of_inputs,
            input_handles,
            ctypes.byref(number_of_outputs),
            ctypes.byref(outputs),
            attributes.count,
            attributes.keys,
            attributes.values,
            ctypes.byref(storage),
        )
    if failed:
        raise MXNetError(last_error())
    if out is not None:
        results = list(out)
    else:
        results = [Array(ctypes.c_void_p(outputs[i])) for i in range(number_of_outputs.value)]
    if SYNCHRONOUS:
        for array in results:
            array.wait_to_read()
    return results


def check_count(shape: Sequence[int]) -> None:
    """Refuse a shape of more elements than the engine counts.

    Raises:
        OperatorError: it has 2**31 elements or more.
    """
    count = math.prod(shape)
    if count >= 2**31:
        raise OperatorError(
            f"an array of shape {list(shape)} has {count} elements; the engine's limit is 2**31 - 1: split it"
        )


def empty(shape: Sequence[int], dtype: DType) -> Array:
    """Return an array of undefined content.

    Raises:
        OperatorError: it would have 2**31 elements or more.
    """
    check_count(shape)
    handle = ctypes.c_void_p()
    dimensions = (ctypes.c_int * len(shape))(*shape)
    failed = _LIB.MXNDArrayCreateEx(dimensions, len(shape), *_device_state, 0, dtype.code, ctypes.byref(handle))
    if failed:
        raise MXNetError(last_error())
    return Array(handle)


_device_state: list[int] = [1, 0]
device_listeners: list[Callable[[], None]] = []
"""Called when another device was chosen."""


def set_device(kind: str, index: int) -> None:
    """Choose where new arrays live: ``cpu``, or ``gpu`` where this build of the engine has CUDA.

    Raises:
        RuntimeError: a GPU is asked for and the installed engine has no CUDA, or there is no such GPU.
    """
    if kind == "gpu":
        if not mx.runtime.Features().is_enabled("CUDA"):
            raise RuntimeError(
                f"gpu:{index} cannot be used: the installed mxnet has no CUDA; install a CUDA build (mxnet-cu117, for"
                " GPUs before Hopper) or set_device('cpu')"
            )
        if index >= mx.context.num_gpus():
            raise RuntimeError(f"gpu:{index} cannot be used: this machine shows {mx.context.num_gpus()} GPU(s)")
    _device_state[:] = [1 if kind == "cpu" else 2, index]
    for listener in device_listeners:
        listener()


def on_cpu() -> bool:
    """Return whether new arrays live in memory that numpy can write into."""
    return _device_state[0] == 1


def device_text() -> str:
    """Return the current device as the engine writes it, ``cpu(0)`` or ``gpu(1)``."""
    return f"{'cpu' if _device_state[0] == 1 else 'gpu'}({_device_state[1]})"


def reshaped(array: Array, shape: Sequence[int]) -> Array:
    """Return the same memory as an array of another shape; it must have been laid out row by row."""
    handle = ctypes.c_void_p()
    sizes = (ctypes.c_int64 * len(shape))(*shape)
    if _LIB.MXNDArrayReshape64(array.handle, len(shape), sizes, False, ctypes.byref(handle)):
        raise MXNetError(last_error())
    return Array(handle)


def detached(array: Array) -> Array:
    """Return the same memory as an array that is on no record."""
    handle = ctypes.c_void_p()
    if _LIB.MXNDArrayDetach(array.handle, ctypes.byref(handle)):
        raise MXNetError(last_error())
    return Array(handle)


def rows(array: Array, first: int, last: int) -> Array:
    """Return rows of a CPU array's first axis on the same memory.

    It is an array of its own to the engine, unlike a slice, which some of its operators refuse.
    """
    return mx.ndarray.from_numpy(view(array, shape_of(array), dtype_of(array))[first:last], zero_copy=True)


def from_numpy(data: np.ndarray, dtype: Optional[DType] = None) -> Array:
    """Copy a numpy array into new engine memory (bfloat16 is given as float32 or as its bits in uint16)."""
    check_count(data.shape)
    dtype = dtype or dtype_of_numpy(data)
    if dtype is bfloat16 and data.dtype != np.uint16:
        data = float32_to_bfloat16_bits(data)
    data = np.ascontiguousarray(data, dtype=dtype.numpy).reshape(data.shape)
    array = empty(data.shape, dtype)
    if data.size:
        if _LIB.MXNDArraySyncCopyFromCPU(
            array.handle, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.size)
        ):
            raise MXNetError(last_error())
    return array


def from_few(data: np.ndarray, code: int) -> Array:
    """Copy some elements, at least one, into new engine memory: :func:`from_numpy` in half of the time.

    Args:
        data: The elements, in any order in memory.
        code: The engine's number of their type.
    """
    handle = ctypes.c_void_p()
    shape = data.shape
    dimensions = (ctypes.c_int * len(shape))(*shape)
    if _LIB.MXNDArrayCreateEx(dimensions, len(shape), *_device_state, 0, code, ctypes.byref(handle)):
        raise MXNetError(last_error())
    array = Array(handle)
    if _LIB.MXNDArraySyncCopyFromCPU(handle, data.tobytes(), ctypes.c_size_t(data.size)):
        raise MXNetError(last_error())
    return array


def float32_to_bfloat16_bits(data: np.ndarray) -> np.ndarray:
    """Round float32 to bfloat16, to nearest even, and return the bits as uint16."""
    bits = np.asarray(data, np.float32, order="C").view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(data), np.uint16(0x7FC0), rounded.astype(np.uint16)).astype(np.uint16)


def shape_of(array: Array) -> tuple[int, ...]:
    """Return an array's shape."""
    rank = ctypes.c_int()
    dimensions = ctypes.POINTER(ctypes.c_int)()
    if _LIB.MXNDArrayGetShapeEx(array.handle, ctypes.byref(rank), ctypes.byref(dimensions)):
        raise MXNetError(last_error())
    return tuple(dimensions[: rank.value])


def dtype_of(array: Array) -> DType:
    """Return an array's element type."""
    code = ctypes.c_int()
    _LIB.MXNDArrayGetDType(array.handle, ctypes.byref(code))
    return BY_CODE[code.value]


def bfloat16_bits_to_float32(bits: np.ndarray) -> np.ndarray:
    """Return the values of bfloat16 numbers that are given as bits in uint16; exact."""
    return np.asarray(np.left_shift(bits.astype(np.uint32), 16, dtype=np.uint32)).view(np.float32)


def view(array: Array, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """Return the array's memory as a numpy array without copying, after waiting for its pending writes.

    The view keeps the array alive; bfloat16 shows its bits as uint16. What another thread's program may read as a
    weight is to be read while :data:`engine_lock` is held.
    """
    if _LIB.MXNDArrayWaitToRead(array.handle):
        raise MXNetError(last_error())
    if 0 in shape:
        return np.empty(shape, dtype.numpy)
    if _device_state[0] != 1 and array.context.device_type != "cpu":
        return array.asnumpy()
    pointer = ctypes.c_void_p()
    with engine_lock:
        if _LIB.MXNDArrayGetData(array.handle, ctypes.byref(pointer)):
            raise MXNetError(last_error())
    return memory_at(pointer.value or 0, shape, dtype, owner=array)


def to_numpy(array: Array, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """Return a copy of the array's elements, likewise; any thread may ask for it at any time."""
    with engine_lock:
        return np.array(view(array, shape, dtype))


def memory_at(address: int, shape: tuple[int, ...], dtype: DType, owner: Any = None) -> np.ndarray:
    """Return memory as a numpy array.

    Args:
        address: Where it begins.
        shape: Of the array.
        dtype: Its element type; bfloat16 shows its bits as uint16.
        owner: Kept alive by the view; without one, the caller sees to it that the memory outlives what reads the view.
    """
    if 0 in shape:
        return np.empty(shape, dtype.numpy)
    memory: Any = (ctypes.c_char * (math.prod(shape) * dtype.size)).from_address(address)
    memory.owner = owner
    return np.frombuffer(memory, dtype=dtype.numpy).reshape(shape)


def copy_into(target: Array, source: Array) -> None:
    """Write one array's elements into another array's memory."""
    invoke(_COPY, [source], _NO_ATTRIBUTES, [target])


def wait_all() -> None:
    """Wait until every pending operation is done.

    Raises:
        MXNetError: one of them failed.
    """
    if _LIB.MXNDArrayWaitAll():
        raise MXNetError(last_error())


def release_freed_memory() -> None:
    """Hand freed memory back to the system now."""
    wait_all()
    if hasattr(C_LIBRARY, "malloc_trim"):
        C_LIBRARY.malloc_trim(0)
    if _device_state[0] != 1:
        mx.gpu(_device_state[1]).empty_cache()


_seeds: list[int] = []  # the one that nothing has drawn from yet
_seeding = forked.survives(threading.Lock())


def seed(value: int) -> None:
    """Reset the engine's random state; the same seed and the same calls give the same numbers.

    The engine takes a millisecond for it, so it waits until something may draw: most steps of a training do not.
    """
    with _seeding:
        _seeds[:] = [value & 0x7FFFFFFF]


def apply_seed() -> None:
    """Let the last seed take effect, before something may draw."""
    with _seeding:
        if _seeds and _LIB.MXRandomSeed(ctypes.c_int(_seeds.pop())):
            raise MXNetError(last_error())


class _Flags(threading.local):
    recording = False
    training = False


_flags = _Flags()


class engine_mode:
    """Set the engine's own recording and training flags inside a ``with`` block (they are per thread)."""

    def __init__(self, recording: bool, training: bool) -> None:
        self.wanted = (recording, training)

    def __enter__(self) -> None:
        self.previous = (_flags.recording, _flags.training)
        _set_flags(*self.wanted)

    def __exit__(self, *_: object) -> None:
        _set_flags(*self.previous)


def _set_flags(recording: bool, training: bool) -> None:
    before = ctypes.c_int()
    if recording != _flags.recording:
        _LIB.MXAutogradSetIsRecording(int(recording), ctypes.byref(before))
        _flags.recording = recording
    if training != _flags.training:
        _LIB.MXAutogradSetIsTraining(int(training), ctypes.byref(before))
        _flags.training = training


_NO_ATTRIBUTES = Attributes({})
_COPY = operator_handle("_copyto")
