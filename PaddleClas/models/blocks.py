"""Blocks that several families of networks share."""

from __future__ import annotations

from typing import Any, Callable, Optional

from core import ParamAttr, nn

CURRENT_NAMES = ("conv", "bn")
"""What PaddleClas 2.2 and later call the two parts of :class:`ConvBatchNorm`."""

EARLIER_NAMES = ("_conv", "_batch_norm")
"""What PaddleClas 2.0 called them, and what families that it never renamed still do."""


class ConvBatchNorm(nn.Layer):
    """A convolution without bias, batch normalisation, and perhaps an activation: (N, C, H, W) to (N, C', H', W').

    The convolution is padded so that at stride 1 the image keeps its size.

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: height and width of the kernel, pixels; odd.
        stride: step of the convolution, pixels.
        groups: number of groups of channels that do not see one another.
        activation: function applied at the end, such as ``F.relu``; None for none.
        learning_rate: factor on the optimizer's learning rate for these parameters.
        initializer: of the convolution's weight; the layer's own default when it is None.
        names: attribute names of the convolution and of the normalisation; official weight files depend on them.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        groups: int = 1,
        activation: Optional[Callable[[Any], Any]] = None,
        learning_rate: float = 1.0,
        initializer: Optional[nn.initializer.Initializer] = None,
        names: tuple[str, str] = CURRENT_NAMES,
    ) -> None:
        super().__init__()
        convolution = nn.Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=(kernel_size - 1) // 2,
            groups=groups,
            weight_attr=ParamAttr(initializer=initializer, learning_rate=learning_rate),
            bias_attr=False,
        )
        normalisation = nn.BatchNorm2D(
            out_channels,
            weight_attr=ParamAttr(learning_rate=learning_rate),
            bias_attr=ParamAttr(learning_rate=learning_rate),
        )
        for name, layer in zip(names, (convolution, normalisation)):
            self.add_sublayer(name, layer)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """Return the filtered, normalised and activated images."""
        convolution, normalisation = self.children()
        x = normalisation(convolution(x))
        return x if self.activation is None else self.activation(x)
