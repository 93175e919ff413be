"""``paddle.distributed.fleet.meta_optimizers.dygraph_optimizer.dygraph_sharding_optimizer``."""

from core.distributed.fleet.optimizers import DygraphShardingOptimizer, DygraphShardingOptimizerV2

__all__ = ["DygraphShardingOptimizer", "DygraphShardingOptimizerV2"]
