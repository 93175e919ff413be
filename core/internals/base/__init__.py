"""``paddle.base``: what was ``paddle.fluid`` before."""

from core.nn import ParamAttr

__all__ = ["ParamAttr"]
