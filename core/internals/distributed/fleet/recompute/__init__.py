"""``paddle.distributed.fleet.recompute``."""

from core.distributed.fleet.utils import recompute

__all__ = ["recompute"]
