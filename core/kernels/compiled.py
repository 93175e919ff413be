"""How numba compiles our kernels, said once: threads that may be entered from anywhere, results kept on disk."""

from __future__ import annotations

from typing import Any, Callable

import numba

numba.config.THREADING_LAYER = "omp"  # workqueue aborts when it is entered from several threads at once

compiled: Callable[[Any], Any] = numba.njit(parallel=True, cache=True, error_model="numpy")
"""Compile a function whose ``prange`` loops run on all threads."""

serial: Callable[[Any], Any] = numba.njit(cache=True, error_model="numpy")
"""Compile a function that runs on the calling thread."""

threads = numba.prange


def number_of_threads() -> int:
    """Return how many threads a parallel kernel runs on."""
    return int(numba.get_num_threads())
