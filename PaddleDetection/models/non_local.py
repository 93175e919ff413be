"""The non-local block (Wang et al., "Non-local Neural Networks", arXiv 1711.07971): each place looks at all others.

Source of parameter names: PaddleDetection 1.x; 2.x has no such block.
"""

from __future__ import annotations

from typing import Any

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Normal


class NonLocal(nn.Layer):
    """Adds to each place what all places hold, weighed by how alike they are: (N, C, H, W) to the same shape.

    Args:
        channels: C.
        inner: channels in which places are compared.
        bias: whether its convolutions have biases.
        scale: divide likeness by the square root of ``inner``.
    """

    def __init__(self, channels: int, inner: int, bias: bool = False, scale: bool = True) -> None:
        super().__init__()
        self.factor = inner**-0.5 if scale else 1.0

        def convolution(inputs: int, outputs: int) -> nn.Layer:
            weight = ParamAttr(initializer=Normal(0.0, 0.01))
            return nn.Conv2D(inputs, outputs, 1, weight_attr=weight, bias_attr=None if bias else False)

        self.theta, self.phi, self.g = (convolution(channels, inner) for _ in range(3))
        self.out = convolution(inner, channels)

    def forward(self, x: Any) -> Any:
        """Return the feature maps with what all places hold."""
        asked, known, held = (layer(x).flatten(2) for layer in (self.theta, self.phi, self.g))
        alike = F.softmax(core.matmul(asked, known, transpose_x=True) * self.factor)
        seen = core.matmul(held, alike, transpose_y=True)
        return x + self.out(seen.reshape([x.shape[0], -1, *x.shape[2:]]))
