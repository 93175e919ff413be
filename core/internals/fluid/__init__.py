"""``paddle.fluid``, which Paddle itself has removed: the names that packages of its time still import."""

from core.internals.base import ParamAttr, core, framework, layer_helper, unique_name
from core.internals.fluid import dygraph, layers

__all__ = ["ParamAttr", "core", "dygraph", "framework", "layer_helper", "layers", "unique_name"]
