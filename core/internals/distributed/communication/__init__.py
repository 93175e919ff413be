"""Inner modules of ``paddle.distributed.communication``."""
