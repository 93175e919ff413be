"""Layers and models that several processes share (paddle.distributed.fleet.meta_parallel), so far for one."""

from __future__ import annotations

from core.distributed.fleet.meta_parallel.layers import (
    ColumnParallelLinear,
    ParallelCrossEntropy,
    RowParallelLinear,
    VocabParallelEmbedding,
)
from core.distributed.fleet.meta_parallel.models import (
    PipelineParallel,
    SegmentParallel,
    ShardingParallel,
    TensorParallel,
)
from core.distributed.fleet.meta_parallel.pipeline_layer import LayerDesc, PipelineLayer, SharedLayerDesc
from core.distributed.fleet.meta_parallel.random_states import (
    RNGStatesTracker,
    get_rng_state_tracker,
    model_parallel_random_seed,
)

__all__ = [
    "ColumnParallelLinear", "LayerDesc", "ParallelCrossEntropy", "PipelineLayer", "PipelineParallel",
    "RNGStatesTracker", "RowParallelLinear", "SegmentParallel", "SharedLayerDesc", "ShardingParallel",
    "TensorParallel", "VocabParallelEmbedding", "get_rng_state_tracker", "model_parallel_random_seed",
]  # fmt: skip
