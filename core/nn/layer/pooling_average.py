"""Average pooling layers."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.layer.checks import one_of
from core.nn.layer.pooling_window import Sizes, Window


class AvgPool1D(Window):
    """The mean over a moving window of sequences.

    Args:
        kernel_size: Size of the window.
        stride: Step of the window; its size when it is None.
        padding: Integer(s), ``SAME`` or ``VALID``.
        exclusive: Whether padding is left out of the mean.
        ceil_mode: Whether a last, incomplete window counts.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, L), output (N, C, L').
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes] = None,
        padding: Any = 0,
        exclusive: bool = True,
        ceil_mode: bool = False,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(1, kernel_size, stride, padding)
        self.exclusive = exclusive
        self.ceil_mode = ceil_mode
        self.name = name

    def forward(self, x: Any) -> Any:
        """Return the means."""
        return F.avg_pool1d(
            x,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            exclusive=self.exclusive,
            ceil_mode=self.ceil_mode,
        )


class AvgPool2D(Window):
    """The mean over a moving window of images.

    Args:
        kernel_size: Size of the window.
        stride: Step of the window; its size when it is None.
        padding: Integer(s), ``SAME`` or ``VALID``.
        ceil_mode: Whether a last, incomplete window counts.
        exclusive: Whether padding is left out of the mean.
        divisor_override: Divides the sum by this instead of the window's size.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, H, W), output (N, C, H, W').
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes] = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: Optional[int] = None,
        data_format: str = "NCHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(2, kernel_size, stride, padding)
        self.ceil_mode = ceil_mode
        self.exclusive = exclusive
        self.divisor = divisor_override
        self.data_format = one_of("AvgPool2D", "data_format", data_format, ("NCHW", "NHWC"))
        self.name = name

    def forward(self, x: Any) -> Any:
        """Return the means."""
        return F.avg_pool2d(
            x,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            ceil_mode=self.ceil_mode,
            exclusive=self.exclusive,
            divisor_override=self.divisor,
            data_format=self.data_format,
        )


class AvgPool3D(Window):
    """The mean over a moving window of volumes.

    Args:
        kernel_size: Size of the window.
        stride: Step of the window; its size when it is None.
        padding: Integer(s), ``SAME`` or ``VALID``.
        ceil_mode: Whether a last, incomplete window counts.
        exclusive: Whether padding is left out of the mean.
        divisor_override: Divides the sum by this instead of the window's size.
        data_format: ``NCDHW`` or ``NDHWC``.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, D, H, W), output (N, C, D, H, W').
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes] = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: Optional[int] = None,
        data_format: str = "NCDHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(3, kernel_size, stride, padding)
        self.ceil_mode = ceil_mode
        self.exclusive = exclusive
        self.divisor = divisor_override
        self.data_format = one_of("AvgPool3D", "data_format", data_format, ("NCDHW", "NDHWC"))
        self.name = name

    def forward(self, x: Any) -> Any:
        """Return the means."""
        return F.avg_pool3d(
            x,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            ceil_mode=self.ceil_mode,
            exclusive=self.exclusive,
            divisor_override=self.divisor,
            data_format=self.data_format,
        )
