"""``paddle.base``: what was ``paddle.fluid`` before."""

from core.internals.base import core, data_feeder, framework, layer_helper, unique_name
from core.nn import ParamAttr

__all__ = ["ParamAttr", "core", "data_feeder", "framework", "layer_helper", "unique_name"]
