"""Operations between the tensors and objects of all processes (paddle.distributed.communication)."""

from __future__ import annotations

import importlib
from typing import Any

TENSORS = (
    "P2POp", "all_gather", "all_reduce", "alltoall", "alltoall_single", "barrier", "batch_isend_irecv", "broadcast",
    "gather", "irecv", "isend", "recv", "reduce", "reduce_scatter", "scatter", "send", "wait",
)  # fmt: skip
OBJECTS = ("all_gather_object", "broadcast_object_list", "scatter_object_list")

__all__ = [*TENSORS, *OBJECTS, "stream"]


def __getattr__(name: str) -> Any:
    if name == "stream":
        return importlib.import_module("core.distributed.communication.stream")
    if name in TENSORS:
        return getattr(importlib.import_module("core.distributed.communication.tensors"), name)
    if name in OBJECTS:
        return getattr(importlib.import_module("core.distributed.objects"), name)
    raise AttributeError(f"core.distributed.communication has no attribute {name!r}")
