"""Inner names of ``paddle.utils.download``."""

from __future__ import annotations

from core.weights.unpacking import unpack

__all__ = ["_decompress"]


def _decompress(fname: str) -> str:
    """Unpack an archive beside itself, and return the path of what was in it.

    Args:
        fname: a ``.tar``, ``.tar.gz``, ``.tgz`` or ``.zip`` file.
    """
    return str(unpack(fname))
