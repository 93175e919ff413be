"""``paddle.distributed.fleet.meta_parallel.sharding.group_sharded_optimizer_stage2``."""

from core.distributed.fleet.optimizers import GroupShardedOptimizerStage2

__all__ = ["GroupShardedOptimizerStage2"]
