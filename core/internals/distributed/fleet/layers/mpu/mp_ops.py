"""Inner names of ``paddle.distributed.fleet.layers.mpu.mp_ops``."""

from core.distributed.fleet.meta_parallel.operators import added_up as _mp_allreduce
from core.distributed.fleet.meta_parallel.operators import concatenated as _c_concat
from core.distributed.fleet.meta_parallel.operators import identity as _c_identity
from core.distributed.fleet.meta_parallel.operators import own_part as _c_split
from core.distributed.fleet.meta_parallel.operators import rows_of_part as _c_lookup_table
from core.distributed.fleet.meta_parallel.operators import softmax_with_cross_entropy as _c_softmax_with_cross_entropy

__all__ = ["_c_concat", "_c_identity", "_c_lookup_table", "_c_softmax_with_cross_entropy", "_c_split", "_mp_allreduce"]
