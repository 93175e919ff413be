"""Memory of a GPU (paddle.device.cuda); on a CPU it is the process's memory."""

from __future__ import annotations

from core.kernels import engine


def empty_cache() -> None:
    """Return memory to the system that tensors have freed; the same as :func:`core.device.empty_cache`."""
    engine.release_freed_memory()
