"""Sending a data set to worker processes: packed once for all, with one clear line where it cannot be packed."""

from __future__ import annotations

import functools
import mmap
import os
import pickle
import types
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, NamedTuple, Optional

import numpy as np

from core.io.workers import messages

_WORTH_SHARING = 1 << 20  # bytes of arrays; less is copied to each worker
_DEEPEST = 20


class Parcel(NamedTuple):
    """Pickled objects and, apart from the pickle, the bytes of large arrays, in memory that all workers share."""

    pickle: bytes
    lengths: list[int]
    handle: Optional[int] = None

    @property
    def needs_main(self) -> bool:
        """Whether something in it is defined in the program's main module."""
        return b"__main__" in self.pickle

    def send(self, connection: Connection) -> None:
        """Send it to a worker, which calls :func:`receive` and :func:`unpack`."""
        messages.send(connection, self._replace(handle=None))
        if self.handle is not None:
            send_handle(connection, self.handle, os.getpid())

    def close(self) -> None:
        """Let go of the memory, once every worker has it."""
        if self.handle is not None:
            os.close(self.handle)


def pack(**objects: Any) -> Parcel:
    """Pack objects for worker processes.

    Args:
        objects: what to send, by the name that a message should call it.

    Returns:
        A parcel.

    Raises:
        TypeError: one cannot be pickled; the message names the part that is to blame and the fix.
    """
    buffers: list[pickle.PickleBuffer] = []
    try:
        text = pickle.dumps(objects, protocol=5, buffer_callback=buffers.append)
        arrays = [buffer.raw() for buffer in buffers]
        handle = _in_memory(arrays) if sum(array.nbytes for array in arrays) >= _WORTH_SHARING else None
        if handle is not None:
            return Parcel(text, [array.nbytes for array in arrays], handle)
        return Parcel(pickle.dumps(objects, protocol=5), [])
    except Exception as error:
        for name, value in objects.items():
            culprit = _culprit(value, name)
            if culprit is not None:
                raise TypeError(_explanation(*culprit)) from error
        raise


def receive(connection: Connection) -> Parcel:
    """Return a parcel that the parent sent."""
    parcel: Parcel = messages.receive(connection)
    return parcel._replace(handle=recv_handle(connection)) if parcel.lengths else parcel


def unpack(parcel: Parcel) -> dict[str, Any]:
    """Return the objects of a parcel; large arrays share memory with other workers until one writes to them."""
    if parcel.handle is None:
        return pickle.loads(parcel.pickle)  # written by our own parent process
    memory = mmap.mmap(parcel.handle, sum(parcel.lengths), flags=mmap.MAP_PRIVATE)
    parcel.close()
    whole = np.frombuffer(memory, dtype=np.uint8)
    ends = np.cumsum(parcel.lengths)
    return pickle.loads(parcel.pickle, buffers=[whole[end - n : end] for n, end in zip(parcel.lengths, ends)])


def _in_memory(arrays: list[memoryview]) -> Optional[int]:
    if not hasattr(os, "memfd_create"):
        return None
    handle = os.memfd_create("dataset")
    size = sum(array.nbytes for array in arrays)
    try:
        os.posix_fallocate(handle, 0, size)
    except OSError:  # no room: each worker gets its own copy through the pipe
        os.close(handle)
        return None
    with mmap.mmap(handle, size) as memory:
        for array in arrays:
            memory.write(array)
    return handle


def _culprit(value: Any, path: str, depth: int = 0) -> Optional[tuple[str, Any, Exception]]:
    """Find the innermost part of a value that cannot be pickled: where it is, itself, and why."""
    try:
        pickle.dumps(value, protocol=5, buffer_callback=lambda buffer: None)
    except Exception as error:
        if depth < _DEEPEST:
            for name, part in _parts(value):
                found = _culprit(part, path + name, depth + 1)
                if found is not None:
                    return found
        return path, value, error
    return None


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple)):
        yield from ((f"[{position}]", part) for position, part in enumerate(value))
    elif isinstance(value, functools.partial):
        yield from ((".func", value.func), (".args", value.args), (".keywords", value.keywords))
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    elif hasattr(value, "__dict__") and not isinstance(value, (type, types.FunctionType, types.ModuleType)):
        yield from ((f".{name}", part) for name, part in vars(value).items())


def _explanation(path: str, value: Any, error: Exception) -> str:
    kind = value if isinstance(value, type) else type(value)
    name = getattr(value, "__qualname__", kind.__qualname__)
    if isinstance(value, types.FunctionType) and value.__name__ == "<lambda>":
        what, fix = "is a lambda", "define a function at the top level of a module"
    elif "<locals>" in name:
        what, fix = f"is {name}, defined inside a function", "define it at the top level of a module"
    else:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        what = f"is a {kind.__name__} ({reason})"
        fix = "make it when a sample is read, or leave it out in __getstate__"
    return f"DataLoader: {path} {what}, and cannot be sent to worker processes; {fix}, or use num_workers=0"
