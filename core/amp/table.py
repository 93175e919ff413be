"""Which operators compute in 16 bits: the one table that the casts follow, and Paddle's names of them.

What is not in the table computes in float32. The engine computes more in bfloat16, but by kernels of its own, which cut
off instead of rounding and are up to 40 times slower than in float32; the table holds what oneDNN computes, and what
only moves numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.dispatcher import Meta


@dataclasses.dataclass(frozen=True)
class Kernel:
    """When an operator can compute in 16 bits.

    Attributes:
        inputs: How many of the first inputs are 16-bit then; the rest stays float32. None: all.
        axes: How many axes the first input has; None: any number.
        alike: Whether all inputs must have one shape, of three axes or more.
        channels: What the number of channels, the second axis, must be a multiple of.
        fewest: How many channels there must be.
    """

    inputs: Optional[int] = None
    axes: Optional[int] = None
    alike: bool = False
    channels: int = 1
    fewest: int = 0

    def fits(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> bool:
        """Return whether it can for inputs of these shapes."""
        shape = metas[0][0]
        if 0 in shape or (self.alike and (len(shape) < 3 or any(meta[0] != shape for meta in metas))):
            return False
        if self.axes is None:
            return True
        if len(shape) != self.axes or attributes.get("axis", 1) != 1:
            return False
        return shape[1] >= self.fewest and shape[1] % self.channels == 0


KERNELS = {
    "convolution": Kernel(axes=4, fewest=8),  # of an image's three channels float32 is twice as fast
    "matrix_product": Kernel(axes=2),  # batches of matrices are multiplied in float32
    "linear": Kernel(),
    "inner_products": Kernel(),
    "affine": Kernel(),
    "maximum_pooling": Kernel(axes=4),
    "average_pooling": Kernel(axes=4),
    "batch_normalization": Kernel(inputs=1, axes=4, channels=8),
    "frozen_normalization": Kernel(inputs=1, axes=4, channels=8),
    "relu": Kernel(),
    "gelu": Kernel(),
    "sigmoid": Kernel(),
    "tanh": Kernel(),
    "leaky_relu": Kernel(),
    "add": Kernel(alike=True),
    "concat": Kernel(),
    "split": Kernel(),
    "split_equally": Kernel(),
    "slice": Kernel(),
    "temporal_shift": Kernel(),
    "reshape": Kernel(),
    "assign": Kernel(),
    "detach": Kernel(),
}

_PRODUCTS = ("matrix_product", "linear", "inner_products", "affine")
WHITE = frozenset({"convolution", *_PRODUCTS, "maximum_pooling"})
"""What is cast to 16 bits; the rest of the table stays in 16 bits where its inputs are."""

_NAMES = {
    "conv2d": ("convolution",),
    "depthwise_conv2d": ("convolution",),
    "matmul": _PRODUCTS,
    "matmul_v2": _PRODUCTS,
    "mul": _PRODUCTS,
    "linear": _PRODUCTS,
    "fused_gemm_epilogue": _PRODUCTS,
    "einsum": _PRODUCTS,
    "max_pool2d_with_index": ("maximum_pooling",),
    "pool2d": ("maximum_pooling", "average_pooling"),
    "batch_norm": ("batch_normalization", "frozen_normalization"),
    "elementwise_add": ("add",),
    "reshape2": ("reshape",),
    "split": ("split", "split_equally"),
}


def operators_of(name: str) -> tuple[str, ...]:
    """Return the operators of the table that a name of Paddle's lists means; none for another operator's."""
    return _NAMES.get(name, (name,) if name in KERNELS else ())
