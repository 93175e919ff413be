"""``paddle.distributed.fleet.meta_optimizers.dygraph_optimizer.hybrid_parallel_optimizer``."""

from core.distributed.fleet.optimizers import HybridParallelOptimizer
from core.distributed.fleet.utils.hybrid_parallel_util import obtain_optimizer_parameters_list

__all__ = ["HybridParallelOptimizer", "obtain_optimizer_parameters_list"]
