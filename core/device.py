"""Choosing the device (paddle.device)."""

from __future__ import annotations

import re

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
