"""What processors there are: one answer for the engine, our kernels and what a checkpoint notes."""

from __future__ import annotations

import functools
import os
from pathlib import Path


def processors() -> int:
    """Return how many threads an operation runs on.

    That is ``OMP_NUM_THREADS``, or where it is not set one for each processor that we may use.
    """
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(wanted) if wanted.isdecimal() and int(wanted) else len(os.sched_getaffinity(0))


@functools.lru_cache(maxsize=1)
def instructions() -> frozenset[str]:
    """Return the names of the processor's instruction sets; none where the system does not tell."""
    file = Path("/proc/cpuinfo")
    if not file.is_file():
        return frozenset()
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return frozenset(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), ()))
