"""Inner names of ``paddle.vision.models.utils``, as ``_utils`` was called before Paddle 2.4."""

from core.vision.models.blocks import round_channels as _make_divisible

__all__ = ["_make_divisible"]
