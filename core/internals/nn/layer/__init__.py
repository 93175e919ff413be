"""Inner modules of ``paddle.nn.layer``."""
