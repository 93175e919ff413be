"""``paddle.fluid.layers``."""

from core.internals.fluid.layers import nn
from core.internals.fluid.layers.nn import matmul, pool3d, resize_nearest, soft_relu
from core.operators import concat, zeros

__all__ = ["concat", "matmul", "nn", "pool3d", "resize_nearest", "soft_relu", "zeros"]
