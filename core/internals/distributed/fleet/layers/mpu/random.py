"""``paddle.distributed.fleet.layers.mpu.random``."""

from core.distributed.fleet.meta_parallel.random_states import (
    MODEL_PARALLEL_RNG,
    RNGStatesTracker,
    dropout,
    get_rng_state_tracker,
    model_parallel_random_seed,
)

__all__ = ["MODEL_PARALLEL_RNG", "RNGStatesTracker", "dropout", "get_rng_state_tracker", "model_parallel_random_seed"]
