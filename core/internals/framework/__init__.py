"""Inner modules of ``paddle.framework``."""
