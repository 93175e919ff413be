"""``paddle.distributed.parallel``."""

from core.distributed import DataParallel, ParallelEnv, get_rank, get_world_size, init_parallel_env
from core.internals.distributed import parallel_helper

__all__ = ["DataParallel", "ParallelEnv", "get_rank", "get_world_size", "init_parallel_env", "parallel_helper"]
