"""What models use of fleet: computing again instead of keeping."""

from __future__ import annotations

from core.distributed.fleet.utils import hybrid_parallel_util, log_util, timer_helper
from core.distributed.fleet.utils.recompute import recompute

__all__ = ["hybrid_parallel_util", "log_util", "recompute", "timer_helper"]
