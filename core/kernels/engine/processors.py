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


BUSY = 1.5
"""So many programs for each processor want to run on a machine that is busy."""


def busy() -> bool:
    """Return whether the machine has had more to do than it has processors, by its load of the last minute."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > BUSY * (os.cpu_count() or 1)


@functools.lru_cache(maxsize=1)
def instructions() -> frozenset[str]:
    """Return the names of the processor's instruction sets; none where the system does not say."""
    file = Path("/proc/cpuinfo")
    if not file.is_file():
        return frozenset()
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return frozenset(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), ()))


@functools.cache
def compiled_for(*features: str) -> bool:
    """Return whether kernels are compiled for a processor that has some features, by LLVM's names of them.

    That is this one, unless ``NUMBA_CPU_NAME`` names another: then only what ``NUMBA_CPU_FEATURES`` lists counts. Code
    for an instruction that the compiler's processor lacks would end the process.
    """
    import llvmlite.binding  # kernels load it too, and nothing else does

    name, listed = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
    here = {feature for feature, has in llvmlite.binding.get_host_cpu_features().items() if has}
    if listed is not None:
        here &= {feature.strip()[1:] for feature in listed.split(",") if feature.strip().startswith("+")}
    elif name is not None and name != llvmlite.binding.get_host_cpu_name():
        here = set()
    return here.issuperset(features)
