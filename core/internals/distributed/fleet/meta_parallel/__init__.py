"""Inner modules of ``paddle.distributed.fleet.meta_parallel``."""
