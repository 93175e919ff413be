"""Inner modules of ``paddle.nn``."""
