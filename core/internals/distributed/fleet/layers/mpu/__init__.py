"""``paddle.distributed.fleet.layers.mpu``."""

from core.distributed.fleet.meta_parallel import (
    ColumnParallelLinear,
    ParallelCrossEntropy,
    RNGStatesTracker,
    RowParallelLinear,
    VocabParallelEmbedding,
    get_rng_state_tracker,
    model_parallel_random_seed,
)
from core.distributed.fleet.meta_parallel.random_states import dropout

__all__ = [
    "ColumnParallelLinear", "ParallelCrossEntropy", "RNGStatesTracker", "RowParallelLinear",
    "VocabParallelEmbedding", "dropout", "get_rng_state_tracker", "model_parallel_random_seed",
]  # fmt: skip
