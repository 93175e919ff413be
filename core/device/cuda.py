"""GPUs and their memory (paddle.device.cuda)."""

from __future__ import annotations

from typing import Any

from core.device.streams import Event as Event
from core.device.streams import Stream as Stream
from core.device.streams import current_stream as current_stream
from core.device.streams import stream_guard as stream_guard
from core.kernels.engine import engine
from core.kernels.place import CUDAPlace, place_of


def device_count() -> int:
    """Return how many GPUs can be used: 0 where the installed engine has no CUDA."""
    return int(engine.mx.context.num_gpus()) if engine.mx.runtime.Features().is_enabled("CUDA") else 0


def empty_cache() -> None:
    """Return memory to the system that tensors have freed; the same as :func:`core.device.empty_cache`."""
    engine.release_freed_memory()


def synchronize(device: Any = None) -> None:
    """Wait until all operations are done.

    Args:
        device: a GPU, by number, by name or as a place; the current device when it is None.

    Raises:
        ValueError: there is no such GPU.
    """
    if device is not None:
        _index("synchronize", device)
    engine.wait_all()


def _index(what: str, device: Any) -> int:
    if device is None:
        kind, _, text = engine.device_text().rstrip(")").partition("(")
        index = int(text) if kind == "gpu" else 0
    else:
        place = CUDAPlace(device) if isinstance(device, int) else place_of(device)
        index = place.gpu_device_id()
    if not 0 <= index < device_count():
        wanted = index if device is None else device
        raise ValueError(f"{what}: there is no GPU {wanted!r}: {device_count()} can be used")
    return index


def memory_reserved(device: Any = None) -> int:
    """Return how many bytes of a GPU's memory are in use, by whomever.

    Args:
        device: the GPU, by number, by name or as a place; the current one when it is None.

    Raises:
        ValueError: there is no such GPU.
    """
    free, total = engine.mx.context.gpu_memory_info(_index("memory_reserved", device))
    return int(total - free)


def _not_kept(what: str, device: Any) -> NotImplementedError:
    _index(what, device)
    return NotImplementedError(f"{what}: the engine does not keep count: use memory_reserved")


def memory_allocated(device: Any = None) -> int:
    """Refuse to say how many bytes the tensors on a GPU take, which the engine does not count.

    Args:
        device: the GPU.

    Raises:
        ValueError: there is no such GPU.
        NotImplementedError: there is.
    """
    raise _not_kept("memory_allocated", device)


def max_memory_allocated(device: Any = None) -> int:
    """Refuse to say how many bytes the tensors on a GPU took at most, which the engine does not count.

    Args:
        device: the GPU.

    Raises:
        ValueError: there is no such GPU.
        NotImplementedError: there is.
    """
    raise _not_kept("max_memory_allocated", device)


def max_memory_reserved(device: Any = None) -> int:
    """Refuse to say how many bytes of a GPU's memory were in use at most, which the engine does not count.

    Args:
        device: the GPU.

    Raises:
        ValueError: there is no such GPU.
        NotImplementedError: there is.
    """
    raise _not_kept("max_memory_reserved", device)


def get_device_properties(device: Any = None) -> Any:
    """Refuse to describe a GPU, about which the engine says nothing.

    Args:
        device: the GPU.

    Raises:
        ValueError: there is no such GPU.
        NotImplementedError: there is.
    """
    _index("get_device_properties", device)
    raise NotImplementedError("get_device_properties: the engine says nothing about a GPU: ask nvidia-smi")


def get_device_name(device: Any = None) -> str:
    """Refuse to name a GPU; see :func:`get_device_properties`.

    Args:
        device: the GPU.
    """
    return str(get_device_properties(device).name)


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Refuse to give a GPU's capability; see :func:`get_device_properties`.

    Args:
        device: the GPU.
    """
    properties = get_device_properties(device)
    return properties.major, properties.minor
