"""Inner modules of ``paddle.vision``."""
