"""Which 16-bit types a device computes with."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Optional

from core.kernels import engine

_BFLOAT16_INSTRUCTIONS = {"avx512f", "avx512bw", "avx512vl", "avx512dq"}


def is_float16_supported(device: Optional[str] = None) -> bool:
    """Return whether a device computes in float16: a GPU does, a CPU does not.

    Args:
        device: ``cpu`` or ``gpu:0``; the current one where None.
    """
    return _name(device).startswith("gpu")


def is_bfloat16_supported(device: Optional[str] = None) -> bool:
    """Return whether a device computes in bfloat16: a CPU with AVX-512 does, and is fast with AVX512-BF16.

    Args:
        device: ``cpu`` or ``gpu:0``; the current one where None.
    """
    return _name(device).startswith("cpu") and instructions() >= _BFLOAT16_INSTRUCTIONS


@functools.lru_cache(maxsize=1)
def instructions() -> frozenset[str]:
    """Return the names of the processor's instruction sets; none where the system does not tell."""
    file = Path("/proc/cpuinfo")
    if not file.is_file():
        return frozenset()
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return frozenset(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), ()))


def _name(device: Any) -> str:
    return engine.device_text() if device is None else str(device)
