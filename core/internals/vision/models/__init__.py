"""Inner modules of ``paddle.vision.models``."""
