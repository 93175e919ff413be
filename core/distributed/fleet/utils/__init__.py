"""What models use of fleet: computing again instead of keeping."""

from __future__ import annotations

from core.distributed.fleet.utils import hybrid_parallel_util
from core.distributed.fleet.utils.recompute import recompute

__all__ = ["hybrid_parallel_util", "recompute"]
