"""Inner modules of ``paddle.io``."""
