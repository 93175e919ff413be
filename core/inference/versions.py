"""What paddle.inference says of its version."""

from __future__ import annotations

import core
from core.version import full_version


def get_version() -> str:
    """Return the version of Paddle whose interface this is, and core's own, one per line."""
    return f"version: {full_version}\ncore: {core.__version__}\n"


def get_trt_compile_version() -> tuple[int, int, int]:
    """Return (0, 0, 0), as Paddle does where it was built without TensorRT."""
    return (0, 0, 0)


get_trt_runtime_version = get_trt_compile_version
