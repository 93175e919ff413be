"""Intel's matrix extensions (AMX), which multiply bfloat16 several times as fast, switched on for the engine.

Linux grants their registers only to a process that asks, and the engine's oneDNN (2.4) neither asks nor uses them
unless it is allowed to. Once granted they stay so for all threads, and for processes that are forked from here.
(https://docs.kernel.org/arch/x86/xstate.html)
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
from collections.abc import Iterator

from core.kernels.engine.processors import instructions

_ARCH_PRCTL, _REQUEST_PERMISSION, _TILE_DATA = 158, 0x1023, 18
_LIMIT = "DNNL_MAX_CPU_ISA"
_NEEDED = {"amx_tile", "amx_bf16", "avx512_bf16"}

used = False
"""Whether oneDNN multiplies with the extensions."""


def granted() -> bool:
    """Ask the system for the matrix registers; return whether this process has them."""
    if platform.machine() != "x86_64" or not instructions() >= _NEEDED:
        return False
    return ctypes.CDLL(None).syscall(_ARCH_PRCTL, _REQUEST_PERMISSION, _TILE_DATA) == 0


@contextlib.contextmanager
def offered_to_onednn() -> Iterator[None]:
    """Let oneDNN use the extensions where they are granted, if it starts inside a ``with`` block.

    It reads an environment variable at its first operation. A limit of the user's own is left alone. Behind the block
    the variable is gone again, as programs started from here have not asked.
    """
    if _LIMIT in os.environ or not granted():
        yield
        return
    os.environ[_LIMIT] = "AVX512_CORE_AMX"
    try:
        yield
        global used
        used = True
    finally:
        del os.environ[_LIMIT]
