"""Inner modules of ``paddle.distributed``."""
