"""``paddle.base.param_attr``."""

from core.nn import ParamAttr

__all__ = ["ParamAttr"]
