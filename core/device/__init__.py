"""Choosing the device, its memory, and what the installed engine was built with (paddle.device)."""

from __future__ import annotations

import re
from typing import Any, Optional

from core.device import cuda as cuda
from core.device.streams import Event as Event
from core.device.streams import Stream as Stream
from core.device.streams import current_stream as current_stream
from core.device.streams import set_stream as set_stream
from core.device.streams import stream_guard as stream_guard
from core.kernels.engine import engine
from core.kernels.place import CPUPlace as CPUPlace
from core.kernels.place import CUDAPinnedPlace as CUDAPinnedPlace
from core.kernels.place import CUDAPlace as CUDAPlace
from core.kernels.place import Place as Place
from core.kernels.place import check_place


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


def is_compiled_with_xpu() -> bool:
    """Return False: the engine serves CPUs and NVIDIA's GPUs."""
    return False


is_compiled_with_ipu = is_compiled_with_npu = is_compiled_with_mlu = is_compiled_with_xpu
is_compiled_with_rocm = is_compiled_with_cinn = is_compiled_with_xpu


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Return False: the engine serves CPUs and NVIDIA's GPUs.

    Args:
        device_type: the kind of device.
    """
    return False


def is_compiled_with_distribute() -> bool:
    """Return False: training with several processes is not built."""
    return False


def get_cudnn_version() -> Optional[int]:
    """Return None: the engine does not say which cuDNN it uses, if any."""
    return None


def get_all_device_type() -> list[str]:
    """Return the kinds of devices that the installed engine serves."""
    return ["cpu", "gpu"] if is_compiled_with_cuda() else ["cpu"]


def get_available_device() -> list[str]:
    """Return the devices that can be chosen."""
    return ["cpu", *[f"gpu:{i}" for i in range(cuda.device_count())]]


def get_all_custom_device_type() -> list[str]:
    """Return an empty list: there are no kinds of devices that plug-ins serve."""
    return []


get_available_custom_device = get_all_custom_device_type


def synchronize(device: Any = None) -> None:
    """Wait until all operations are done.

    Args:
        device: the current device.

    Raises:
        RuntimeError: it is another device.
    """
    if device is not None:
        check_place(device)
    engine.wait_all()


def empty_cache() -> None:
    """Return memory to the system that tensors and compiled programs have freed.

    Freed memory is kept, because the next step wants it again; call this when that step will be smaller, for instance
    between training and serving. It waits for pending operations.
    """
    engine.release_freed_memory()
