"""Choosing the device, and its memory (paddle.device)."""

from __future__ import annotations

import re

from core.device import cuda as cuda
from core.kernels import engine


def set_device(device: str) -> str:
    """Choose the device of new tensors.

    Args:
        device: ``cpu``, ``gpu`` or ``gpu:N``.

    Returns:
        The device's name.

    Raises:
        ValueError: the name is none of those.
        RuntimeError: a GPU is asked for that cannot be used.
    """
    match = re.fullmatch(r"(cpu|gpu)(?::(\d+))?", device)
    if match is None:
        raise ValueError(f"set_device: {device!r} is no device: use 'cpu', 'gpu' or 'gpu:N'")
    engine.set_device(match[1], int(match[2] or 0))
    return device


def get_device() -> str:
    """Return the device of new tensors, ``cpu`` or ``gpu:N``."""
    text = engine.device_text()
    return "cpu" if text.startswith("cpu") else text.replace("(", ":").rstrip(")")


def is_compiled_with_cuda() -> bool:
    """Return whether the installed engine has CUDA."""
    return bool(engine.mx.runtime.Features().is_enabled("CUDA"))


def empty_cache() -> None:
    """Return memory to the system that tensors and compiled programs have freed.

    Freed memory is kept, because the next step wants it again; call this when that step will be smaller, for instance
    between training and serving. It waits for pending operations.
    """
    engine.release_freed_memory()
