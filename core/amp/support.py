"""Which 16-bit types a device computes with."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.engine import engine
from core.kernels.engine.processors import instructions

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


def _name(device: Any) -> str:
    return engine.device_text() if device is None else str(device)
