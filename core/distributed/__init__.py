"""Distributed training (paddle.distributed), so far for one process.

A program that is written for several processes runs unchanged as one: its rank is 0, there is 1 process, and collective
operations give what they give there. Started as one of several (``PADDLE_TRAINERS_NUM``), it is refused by name.
Importing this package loads no engine; ``DataParallel``, ``fleet`` and the operations on tensors do when they are used.
"""

from __future__ import annotations

import importlib
from typing import Any

from core.distributed import communication
from core.distributed.communication import PLACES
from core.distributed.environment import (
    ParallelEnv,
    ParallelMode,
    destroy_process_group,
    get_rank,
    get_world_size,
    init_parallel_env,
    is_available,
    is_initialized,
)
from core.distributed.group import Group, ReduceOp, get_backend, get_group, new_group
from core.distributed.launching import launch, spawn

_ELSEWHERE = {**PLACES, "core.distributed.data_parallel": ("DataParallel",)}
_MODULES = {
    "fleet": "core.distributed.fleet",
    "sharding": "core.distributed.sharding",
    "stream": "core.distributed.communication.stream",
}

__all__ = [
    "Group", "ParallelEnv", "ParallelMode", "ReduceOp", "communication", "destroy_process_group", "get_backend",
    "get_group", "get_rank", "get_world_size", "init_parallel_env", "is_available", "is_initialized", "launch",
    "new_group", "spawn",
    *_MODULES, *[name for names in _ELSEWHERE.values() for name in names],
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    for module, names in _ELSEWHERE.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"core.distributed has no attribute {name!r}")
