"""Layers that undo maximum pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from core.nn import functional as F
from core.nn.layer.checks import one_of
from core.nn.layer.layers import Layer

Sizes = Union[int, Sequence[int]]


class _MaxUnPool(Layer):
    """Shared body of the unpooling layers."""

    _format = ""
    _unpool: Callable[..., Any]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes],
        padding: Sizes,
        data_format: str,
        output_size: Optional[Sequence[int]],
        name: Optional[str],
    ) -> None:
        super().__init__()
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.data_format = one_of(type(self).__name__, "data_format", data_format, (self._format,))
        self.output_size = output_size
        self.name = name

    def forward(self, x: Any, indices: Any) -> Any:
        """Return the unpooled input.

        Args:
            x: Maxima.
            indices: Their int32 positions.
        """
        return self._unpool(
            x,
            indices,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            data_format=self.data_format,
            output_size=self.output_size,
        )

    def extra_repr(self) -> str:
        """Return the output's size."""
        return f"output_size={self.output_size}"


class MaxUnPool1D(_MaxUnPool):
    """Puts maxima of sequences back where MaxPool1D(return_mask=True) found them, zeros elsewhere.

    Args:
        kernel_size: Size of the window of the pooling.
        stride: Its step; its size when it is None.
        padding: Its padding.
        data_format: ``NCL``.
        output_size: Spatial size of the output, where several are possible.
        name: Unused; for Paddle's signature.

    Shapes:
        x and indices (N, C, L), output (N, C, L').
    """

    _format = "NCL"
    _unpool = staticmethod(F.max_unpool1d)

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes] = None,
        padding: Sizes = 0,
        data_format: str = "NCL",
        output_size: Optional[Sequence[int]] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool2D(_MaxUnPool):
    """Puts maxima of images back where MaxPool2D(return_mask=True) found them, zeros elsewhere.

    Args:
        kernel_size: Size of the window of the pooling.
        stride: Its step; its size when it is None.
        padding: Its padding.
        data_format: ``NCHW``.
        output_size: Spatial size of the output, where several are possible.
        name: Unused; for Paddle's signature.

    Shapes:
        x and indices (N, C, H, W), output (N, C, H', W').
    """

    _format = "NCHW"
    _unpool = staticmethod(F.max_unpool2d)

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes] = None,
        padding: Sizes = 0,
        data_format: str = "NCHW",
        output_size: Optional[Sequence[int]] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool3D(_MaxUnPool):
    """Puts maxima of volumes back where MaxPool3D(return_mask=True) found them, zeros elsewhere.

    Args:
        kernel_size: Size of the window of the pooling.
        stride: Its step; its size when it is None.
        padding: Its padding.
        data_format: ``NCDHW``.
        output_size: Spatial size of the output, where several are possible.
        name: Unused; for Paddle's signature.

    Shapes:
        x and indices (N, C, D, H, W), output (N, C, D', H', W').
    """

    _format = "NCDHW"
    _unpool = staticmethod(F.max_unpool3d)

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Optional[Sizes] = None,
        padding: Sizes = 0,
        data_format: str = "NCDHW",
        output_size: Optional[Sequence[int]] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)
