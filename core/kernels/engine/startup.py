"""How the engine starts: the environment that it reads, the one import of MXNet, its threads, and its freed memory."""

from __future__ import annotations

import contextlib
import ctypes
import glob
import importlib.util
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from typing import Optional

import numpy as np

from core.kernels.engine import forked, matrix_extensions, mxnet_parts, requirements
from core.kernels.engine.processors import busy, processors

if "bool" not in np.__dict__:
    np.bool = bool  # type: ignore[attr-defined]  # numpy 1.24 removed the alias that mxnet reads while it is imported


_CHATTER = re.compile(rb"^.*/mkldnn_pooling\.cc:\d+: .*\n?", re.MULTILINE)


@contextlib.contextmanager
def without_chatter(chatter: re.Pattern[bytes] = _CHATTER) -> Iterator[None]:
    """Keep what matches from the error stream, by default what average pooling says when it is first trained."""
    try:
        kept = os.dup(2)
    except OSError:  # there is no error stream
        yield
        return
    with tempfile.TemporaryFile() as written:
        try:
            os.dup2(written.fileno(), 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            written.seek(0)
            os.write(2, chatter.sub(b"", written.read()))


def has_gpus(driver: str = "/proc/driver/nvidia", packages: Optional[str] = None) -> bool:
    """Tell whether the engine can compute on a GPU: there is a driver, and mxnet is one of its builds with CUDA.

    Args:
        driver: what there is where a driver is loaded.
        packages: the folder that mxnet is installed in. None: where Python finds it.
    """
    if packages is None:
        found = importlib.util.find_spec("mxnet")
        packages = "" if found is None or found.origin is None else os.path.dirname(os.path.dirname(found.origin))
    return os.path.exists(driver) and bool(glob.glob(f"{glob.escape(packages)}/mxnet_cu*"))  # such as mxnet_cu117


# static programs lose gradients that are added up in place, as they are from the eighth use of a tensor on
os.environ["MXNET_EXEC_INPLACE_GRAD_SUM_CAP"] = str(2**30)
# otherwise it keeps one of oneDNN's kernels for every combination of sizes that it has ever seen
os.environ.setdefault("MXNET_MKLDNN_CACHE_NUM", "256")
# and said so for each single operator that is bound to arrays, as the gradient of a convolution's weight is
os.environ.setdefault("MXNET_SUBGRAPH_VERBOSE", "0")
# Computing on the calling thread, as our custom kernels do, leaves one team of OpenMP threads; with a second one in the
# engine's own thread they are more than there are processors, and each sleeps between any two operations. Only work for
# another device gains from a thread of its own.
if not has_gpus():
    os.environ.setdefault("MXNET_ENGINE_TYPE", "NaiveEngine")
if os.environ.get("MXNET_ENGINE_TYPE") == "NaiveEngine":
    # operators that run one after another share a piece of scratch memory; four would each keep the largest size
    os.environ.setdefault("MXNET_CPU_TEMP_COPY", "1")
# A thread that has done its share of an operation spins for milliseconds, in case the next one comes; on a busy machine
# it keeps the processor from the thread that all wait for. The library reads this when it is loaded, with the engine.
if busy() and not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys():
    os.environ["OMP_WAIT_POLICY"] = "passive"


def set_number_of_threads(number: int) -> None:
    """Let this thread's OpenMP regions run on so many threads."""
    try:
        openmp = ctypes.CDLL("libgomp.so.1")  # what the engine and numba are linked to
    except OSError:
        return
    openmp.omp_set_num_threads(number)


requirements.check()
forked.check()
with (
    warnings.catch_warnings(),
    without_chatter(re.compile(rb"(?s).*")),
    matrix_extensions.offered_to_onednn(),
):
    warnings.simplefilter("ignore")
    mx = mxnet_parts.load()
    _LIB, MXNetError = mx.base._LIB, mx.base.MXNetError
    # now the engine starts, and says which one it is, and oneDNN reads its environment; on one thread, as a process
    # that is forked from here could not use those that there were
    set_number_of_threads(1)
    mxnet_parts.first_operator(mx)
# The engine's start sets 1 for the thread that imports it, and our kernels' first region sets it right again; but what
# oneDNN made in between has room for one thread, and overwrites other memory when two use it.
set_number_of_threads(processors())
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4
C_LIBRARY = ctypes.CDLL(None)


def keep_freed_memory() -> bool:
    """Tell the C library not to hand freed memory back to the system, where each step would fault it in again.

    Returns:
        Whether it can: it is glibc, and ``CORE_KEEP_MEMORY=0`` does not forbid it.
    """
    if os.environ.get("CORE_KEEP_MEMORY") == "0" or not hasattr(C_LIBRARY, "mallopt"):
        return False
    return bool(C_LIBRARY.mallopt(_M_MMAP_MAX, 0) and C_LIBRARY.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1))


keep_freed_memory()
_LIB.MXSetIsNumpyShape(2, ctypes.byref(ctypes.c_int()))  # 2: for every thread; shapes () and (0, 3) are real shapes
forked.watch(_LIB)
