"""``paddle.distributed.fleet.meta_parallel.parallel_layers.random``."""

from core.distributed.fleet.meta_parallel import RNGStatesTracker, get_rng_state_tracker, model_parallel_random_seed

__all__ = ["RNGStatesTracker", "get_rng_state_tracker", "model_parallel_random_seed"]
