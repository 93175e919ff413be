"""``paddle.distributed.fleet.base.topology``."""

from typing import Any

from core.distributed.environment import ParallelMode
from core.distributed.fleet.topology import CommunicateTopology, HybridCommunicateGroup, current_group

__all__ = ["CommunicateTopology", "HybridCommunicateGroup", "ParallelMode"]


def __getattr__(name: str) -> Any:
    if name == "_HYBRID_PARALLEL_GROUP":
        return current_group()
    raise AttributeError(name)
