"""Maximum pooling layers."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.layer.checks import one_of
from core.nn.layer.pooling_window import Sizes, Window


class MaxPool1D(Window):
    """The maximum over a moving window of sequences.

    Args:
        kernel_size: Size of the window.
        stride: Step of the window; its size when it is None.
        padding: Integer(s), ``SAME`` or ``VALID``.
        return_mask: Whether the positions of the maxima (int32, in the flattened plane) are returned too.
        ceil_mode: Whether a last, incomplete window counts.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, L), output (N, C, L'), or a pair of such with ``return_mask``.
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes] = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(1, kernel_size, stride, padding)
        self.return_mask = return_mask
        self.ceil_mode = ceil_mode
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return the maxima."""
        return F.max_pool1d(
            input,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            return_mask=self.return_mask,
            ceil_mode=self.ceil_mode,
        )


class MaxPool2D(Window):
    """The maximum over a moving window of images.

    Args:
        kernel_size: Size of the window.
        stride: Step of the window; its size when it is None.
        padding: Integer(s), ``SAME`` or ``VALID``.
        return_mask: Whether the positions of the maxima (int32, in the flattened plane) are returned too.
        ceil_mode: Whether a last, incomplete window counts.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, H, W), output (N, C, H, W'), or a pair of such with ``return_mask``.
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes] = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(2, kernel_size, stride, padding)
        self.return_mask = return_mask
        self.ceil_mode = ceil_mode
        self.data_format = one_of("MaxPool2D", "data_format", data_format, ("NCHW", "NHWC"))
        self.name = name

    def forward(self, x: Any) -> Any:
        """Return the maxima."""
        return F.max_pool2d(
            x,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            return_mask=self.return_mask,
            ceil_mode=self.ceil_mode,
            data_format=self.data_format,
        )


class MaxPool3D(Window):
    """The maximum over a moving window of volumes.

    Args:
        kernel_size: Size of the window.
        stride: Step of the window; its size when it is None.
        padding: Integer(s), ``SAME`` or ``VALID``.
        return_mask: Whether the positions of the maxima (int32, in the flattened plane) are returned too.
        ceil_mode: Whether a last, incomplete window counts.
        data_format: ``NCDHW`` or ``NDHWC``.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, D, H, W), output (N, C, D, H, W'), or a pair of such with ``return_mask``.
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes] = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCDHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(3, kernel_size, stride, padding)
        self.return_mask = return_mask
        self.ceil_mode = ceil_mode
        self.data_format = one_of("MaxPool3D", "data_format", data_format, ("NCDHW", "NDHWC"))
        self.name = name

    def forward(self, x: Any) -> Any:
        """Return the maxima."""
        return F.max_pool3d(
            x,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            return_mask=self.return_mask,
            ceil_mode=self.ceil_mode,
            data_format=self.data_format,
        )
