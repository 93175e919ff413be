"""Forked processes: the threads that compute do not survive ``os.fork()``, so a child that would wait is refused.

OpenMP keeps its team of threads from one operation to the next, and a child inherits the record of the team, but not
the threads: the first parallel loop of the engine waits for ever, and numba ends the process. So where a process had
computed, its children refuse to compute. They may make and read tensors; what needs neither engine nor numba works.
"""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from typing import Any, Optional, TypeVar

_Lock = TypeVar("_Lock")

MESSAGE = (
    "core cannot compute in this process: it was forked from one that had computed, and the threads that compute do not"
    " survive a fork; start it with multiprocessing.get_context('spawn'), or fork before anything is computed"
    " (gunicorn: without preload_app)"
)
_COMPUTING = ("Invoke", "Forward", "Backward", "Bind", "CreateCachedOp", "FuncCall")
_ONLY_MEMORY = {
    "MXGetLastError",
    "MXNDArrayCreateEx",
    "MXNDArrayDetach",
    "MXNDArrayGetContext",
    "MXNDArrayGetDType",
    "MXNDArrayGetData",
    "MXNDArrayGetShapeEx",
    "MXNDArrayGetStorageType",
    "MXNDArrayReshape64",
    "MXNDArraySyncCopyFromCPU",
    "MXNDArrayWaitToRead",
}
_engine: Optional[ctypes.CDLL] = None
_computed = False
_refusing = False
_locks: weakref.WeakSet[Any] = weakref.WeakSet()


class _Watched(ctypes.CDLL):
    """The engine's functions: a look-up, of which each name has one, shows whether the process has computed."""

    def __getattr__(self, name: str) -> Any:
        global _computed
        _computed = _computed or any(part in name for part in _COMPUTING)
        return super().__getattr__(name)


class _Refusing(ctypes.CDLL):
    """The engine's functions in a child that must not compute; memory is not freed, as that may need a thread."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _ONLY_MEMORY:
            return super().__getattr__(name)
        return _nothing if "Free" in name or name == "MXNotifyShutdown" else _refuse


def watch(engine: ctypes.CDLL) -> None:
    """Note from now on whether the engine computes, and let children that are forked after that refuse to."""
    global _engine
    _engine = engine
    _become(engine, _Watched)


def survives(lock: _Lock) -> _Lock:
    """Return a lock of ``threading`` that is free in each child: no other thread is there to release it."""
    _locks.add(lock)
    return lock


def check() -> None:
    """Raise where this process cannot compute.

    Raises:
        RuntimeError: it was forked from one that had computed.
    """
    if _refusing:
        raise RuntimeError(MESSAGE)


def _become(engine: ctypes.CDLL, kind: type[ctypes.CDLL]) -> None:
    """Change what finds the library's functions, and forget those that were found, but not what a function returns."""
    functions = vars(engine)
    for name in [name for name in functions if name.startswith(("MX", "NN")) and callable(functions[name])]:
        if functions[name].restype is ctypes.c_int:
            del functions[name]
    engine.__class__ = kind


def _refuse(*_: Any) -> None:
    raise RuntimeError(MESSAGE)


def _nothing(*_: Any) -> int:
    return 0


def _after_fork() -> None:
    global _refusing
    for lock in _locks:
        lock._at_fork_reinit()
    numba_threads = sys.modules.get("numba.np.ufunc.parallel")
    _refusing = _refusing or _computed or getattr(numba_threads, "_is_initialized", False)
    if not _refusing:
        return
    if _engine is not None:
        _become(_engine, _Refusing)
        ctypes.CDLL("libgomp.so.1").omp_set_num_threads(1)  # to lay a weight out for reading needs no other thread
    if "numba.core.registry" in sys.modules:
        _refuse_parallel_kernels(sys.modules["numba.core.registry"].CPUDispatcher)


def _refuse_parallel_kernels(dispatcher: Any) -> None:
    """Let numba's functions with threads raise, where numba would end the process; those without go on working."""
    if "__call__" in vars(dispatcher):  # done in the parent, which was forked itself
        return
    call = dispatcher.__call__

    def checked(self: Any, *arguments: Any, **named: Any) -> Any:
        if self.targetoptions.get("parallel") or getattr(self, "starts_threads", False):
            raise RuntimeError(MESSAGE)
        return call(self, *arguments, **named)

    dispatcher.__call__ = checked


os.register_at_fork(after_in_child=_after_fork)
