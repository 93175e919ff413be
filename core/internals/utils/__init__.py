"""Inner modules of ``paddle.utils``."""
