"""``paddle.distributed.fleet.base.role_maker``."""

from core.distributed.fleet import PaddleCloudRoleMaker

__all__ = ["PaddleCloudRoleMaker"]
