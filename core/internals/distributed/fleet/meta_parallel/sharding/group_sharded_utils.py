"""``paddle.distributed.fleet.meta_parallel.sharding.group_sharded_utils``."""

from core.distributed.sharding import sharded_scaler as GroupShardedScaler

__all__ = ["GroupShardedScaler"]
