"""``paddle.distributed.fleet.meta_parallel.tensor_parallel``."""

from core.distributed.fleet.meta_parallel import TensorParallel

__all__ = ["TensorParallel"]
