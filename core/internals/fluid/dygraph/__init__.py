"""``paddle.fluid.dygraph``."""

from core.nn import Layer
from core.nn.layer import layers

__all__ = ["Layer", "layers"]
