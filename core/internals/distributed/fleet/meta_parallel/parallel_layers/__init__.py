"""``paddle.distributed.fleet.meta_parallel.parallel_layers``."""

from core.distributed.fleet.meta_parallel import (
    ColumnParallelLinear,
    LayerDesc,
    ParallelCrossEntropy,
    PipelineLayer,
    RNGStatesTracker,
    RowParallelLinear,
    SharedLayerDesc,
    VocabParallelEmbedding,
    get_rng_state_tracker,
    model_parallel_random_seed,
)

__all__ = [
    "ColumnParallelLinear", "LayerDesc", "ParallelCrossEntropy", "PipelineLayer", "RNGStatesTracker",
    "RowParallelLinear", "SharedLayerDesc", "VocabParallelEmbedding", "get_rng_state_tracker",
    "model_parallel_random_seed",
]  # fmt: skip
