"""``paddle.distributed.fleet.model``."""

from core.distributed.fleet import distributed_model
from core.distributed.fleet.meta_parallel import (
    PipelineLayer,
    PipelineParallel,
    SegmentParallel,
    ShardingParallel,
    TensorParallel,
)

__all__ = [
    "PipelineLayer", "PipelineParallel", "SegmentParallel", "ShardingParallel", "TensorParallel",
    "distributed_model",
]  # fmt: skip
