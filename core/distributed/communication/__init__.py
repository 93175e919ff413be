"""Operations between the tensors and objects of all processes (paddle.distributed.communication)."""

from __future__ import annotations

import importlib
from typing import Any

PLACES = {
    "core.distributed.communication.tensors": (
        "all_gather", "all_reduce", "alltoall", "alltoall_single", "barrier", "broadcast", "gather", "reduce",
        "reduce_scatter", "scatter", "wait",
    ),
    "core.distributed.communication.pairs": ("P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"),
    "core.distributed.objects": ("all_gather_object", "broadcast_object_list", "scatter_object_list"),
}  # fmt: skip

__all__ = ["stream", *[name for names in PLACES.values() for name in names]]


def __getattr__(name: str) -> Any:
    if name == "stream":
        return importlib.import_module("core.distributed.communication.stream")
    for module, names in PLACES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"core.distributed.communication has no attribute {name!r}")
