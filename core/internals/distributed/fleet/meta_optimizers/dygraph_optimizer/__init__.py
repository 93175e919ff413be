"""``paddle.distributed.fleet.meta_optimizers.dygraph_optimizer``."""

from core.distributed.fleet.optimizers import DygraphShardingOptimizer, HybridParallelOptimizer

__all__ = ["DygraphShardingOptimizer", "HybridParallelOptimizer"]
