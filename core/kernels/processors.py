"""How many threads an operation runs on: one answer for the engine, our kernels and what a checkpoint notes."""

from __future__ import annotations

import os


def processors() -> int:
    """Return ``OMP_NUM_THREADS``, or where it is not set one for each processor that we may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(wanted) if wanted.isdecimal() and int(wanted) else len(os.sched_getaffinity(0))
