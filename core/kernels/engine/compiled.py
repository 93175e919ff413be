"""How numba compiles our kernels, said once: threads that may be entered from anywhere, results kept on disk."""

from __future__ import annotations

import os
from typing import Any, Callable

from core.kernels.engine import forked  # noqa: F401  # children of a process whose kernels ran are refused
from core.kernels.engine.processors import processors

# numba reads its own variable, and only now. It sets OpenMP's, too: more threads than the engine counted on would write
# beside the memory that oneDNN has planned for each of its own.
os.environ["NUMBA_NUM_THREADS"] = str(processors())

import numba  # noqa: E402
from llvmlite import ir  # noqa: E402
from numba import types  # noqa: E402
from numba.extending import intrinsic  # noqa: E402
from numba.np.ufunc import parallel  # noqa: E402

from core.kernels.engine.kernel_cache import kept_on_disk  # noqa: E402
from core.kernels.engine.kernel_compiler import KernelDispatcher  # noqa: E402
from core.kernels.engine.thread_loops import threads as threads  # noqa: E402

numba.config.THREADING_LAYER = "omp"  # workqueue aborts when it is entered from several threads at once
if numba.config.NUMBA_NUM_THREADS != processors():  # numba was imported before, and has read another number
    try:
        numba.config.reload_config()
    except RuntimeError:
        raise ImportError(
            f"numba has started {numba.config.NUMBA_NUM_THREADS} threads, and core computes with {processors()}: import"
            " core before numba computes"
        ) from None
    parallel.NUM_THREADS = processors()  # of which each thread starts so many


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function whose loops over ``threads`` run on all threads."""
    kernel = _compile(function)
    kernel.starts_threads = True
    return kernel


def serial(function: Callable[..., Any]) -> Any:
    """Compile a function that runs on the calling thread."""
    return _compile(function)


def vectorized(function: Callable[..., Any]) -> Any:
    """Compile a function for the calling thread whose loops may add up in any order and round once less."""
    return _compile(function, fastmath={"reassoc", "contract"})


def summing(function: Callable[..., Any]) -> Any:
    """Compile a function for the calling thread whose loops may add up in any order, but round each operation."""
    return _compile(function, fastmath={"reassoc", "nsz"})


def inlined(function: Callable[..., Any]) -> Any:
    """Write a function out wherever other kernels call it; it is not compiled by itself."""
    return numba.njit(inline="always", error_model="numpy")(function)


def _compile(function: Callable[..., Any], **options: Any) -> Any:
    return kept_on_disk(KernelDispatcher(function, **options))


@intrinsic
def taken(context: Any, counter: Any) -> Any:
    """Add 1 to an int64 counter that threads share and return what it was: the next task that nobody works at.

    Loops over ``threads`` hand out several steps at a time; few and large tasks are better taken one by one.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.atomic_rmw("add", place, ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(counter), generate


def number_of_threads() -> int:
    """Return how many threads a parallel kernel runs on."""
    return int(numba.get_num_threads())
