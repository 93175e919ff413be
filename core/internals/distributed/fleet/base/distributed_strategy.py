"""``paddle.distributed.fleet.base.distributed_strategy``."""

from core.distributed.fleet import DistributedStrategy

__all__ = ["DistributedStrategy"]
