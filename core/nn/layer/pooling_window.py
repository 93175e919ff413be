"""What the pooling layers with a moving window share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.nn.layer.checks import per_axis
from core.nn.layer.layers import Layer

Sizes = Union[int, Sequence[int]]


class Window(Layer):
    """Shared body of the pooling layers with a moving window.

    Args:
        axes: Number of spatial axes.
        kernel_size: Size of the window.
        stride: Step of the window; its size when it is None.
        padding: Integer(s), ``SAME`` or ``VALID``.
    """

    def __init__(self, axes: int, kernel_size: Sizes, stride: Optional[Sizes], padding: Any) -> None:
        super().__init__()
        owner = type(self).__name__
        per_axis(owner, "kernel_size", kernel_size, axes)
        if stride is not None:
            per_axis(owner, "stride", stride, axes)
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding

    def extra_repr(self) -> str:
        """Return the window."""
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"
