"""Inner names of ``paddle.distributed.collective``."""

from core.distributed.communication.tensors import all_gather, all_reduce, alltoall, barrier, broadcast, reduce, wait
from core.distributed.environment import ParallelEnv as _get_global_env
from core.distributed.fleet.meta_parallel.operators import added_up as _mp_allreduce
from core.distributed.fleet.meta_parallel.operators import concatenated as _c_concat
from core.distributed.fleet.meta_parallel.operators import identity as _c_identity
from core.distributed.fleet.meta_parallel.operators import own_part as _c_split
from core.distributed.fleet.meta_parallel.operators import rows_of_part as _c_lookup_table
from core.distributed.fleet.meta_parallel.operators import softmax_with_cross_entropy as _c_softmax_with_cross_entropy
from core.distributed.group import Group, get_group, is_initialized, new_group
from core.distributed.group import global_group as _get_default_group

__all__ = [
    "Group", "_c_concat", "_c_identity", "_c_lookup_table", "_c_softmax_with_cross_entropy", "_c_split",
    "_get_default_group", "_get_global_env", "_mp_allreduce", "all_gather", "all_reduce", "alltoall", "barrier",
    "broadcast", "get_group", "is_initialized", "new_group", "reduce", "wait",
]  # fmt: skip
