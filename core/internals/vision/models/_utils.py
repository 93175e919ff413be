"""Inner names of ``paddle.vision.models._utils``."""

from core.vision.models.blocks import round_channels as _make_divisible

__all__ = ["_make_divisible"]
