"""Inner modules of ``paddle.amp``."""
