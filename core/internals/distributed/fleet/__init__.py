"""Inner modules of ``paddle.distributed.fleet``."""
