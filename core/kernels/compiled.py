"""How numba compiles our kernels, said once: threads that may be entered from anywhere, results kept on disk."""

from __future__ import annotations

import os
from typing import Any, Callable

_wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
if _wanted.isdecimal() and int(_wanted):  # numba itself does not ask for it, and reads its own variable only now
    os.environ.setdefault("NUMBA_NUM_THREADS", _wanted)

import numba  # noqa: E402

numba.config.THREADING_LAYER = "omp"  # workqueue aborts when it is entered from several threads at once

threads = numba.prange


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function whose ``prange`` loops run on all threads."""
    return _compile(function, parallel=True)


def serial(function: Callable[..., Any]) -> Any:
    """Compile a function that runs on the calling thread."""
    return _compile(function, parallel=False)


def _compile(function: Callable[..., Any], parallel: bool) -> Any:
    try:
        return numba.njit(parallel=parallel, cache=True, error_model="numpy")(function)
    except RuntimeError:  # neither this folder nor the user's cache folder can be written
        return numba.njit(parallel=parallel, error_model="numpy")(function)


def number_of_threads() -> int:
    """Return how many threads a parallel kernel runs on."""
    return int(numba.get_num_threads())
