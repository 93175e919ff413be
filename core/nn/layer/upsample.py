"""Resizing layers."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.layer.checks import with_name
from core.nn.layer.layers import Layer

__all__ = ["Upsample", "UpsamplingBilinear2D", "UpsamplingNearest2D"]


class Upsample(Layer):
    """Resizes sequences, images or volumes by interpolation.

    Args:
        size: Output size per spatial axis.
        scale_factor: Factor per spatial axis; give either this or ``size``.
        mode: ``nearest``, ``linear``, ``bilinear``, ``bicubic``, ``trilinear`` or ``area``.
        align_corners: Whether corner pixels of input and output lie on each other.
        align_mode: 0 for half-pixel centres, 1 for source = target · scale (linear modes).
        data_format: Layout of the input.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool = False,
        align_mode: int = 0,
        data_format: str = "NCHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode.lower()
        self.align_corners = align_corners
        self.align_mode = align_mode
        self.data_format = data_format
        self.name = name

    def forward(self, x: Any) -> Any:
        """Return the resized input."""
        return F.interpolate(
            x,
            size=self.size,
            scale_factor=self.scale_factor,
            mode=self.mode,
            align_corners=self.align_corners,
            align_mode=self.align_mode,
            data_format=self.data_format,
        )

    def _target(self) -> str:
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor}"
        return f"size={self.size}"

    def extra_repr(self) -> str:
        """Return the options."""
        text = (
            f"{self._target()}, mode={self.mode}, align_corners={self.align_corners},"
            f" align_mode={self.align_mode}, data_format={self.data_format}"
        )
        return with_name(text, self.name)


class UpsamplingNearest2D(Upsample):
    """Resizes images to the nearest pixel.

    Args:
        size: Output (height, width).
        scale_factor: Factor, or one per axis; give either this or ``size``.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self, size: Any = None, scale_factor: Any = None, data_format: str = "NCHW", name: Optional[str] = None
    ) -> None:
        super().__init__(size, scale_factor, "nearest", False, 0, data_format, name)

    def extra_repr(self) -> str:
        """Return target and layout."""
        return with_name(f"{self._target()}, data_format={self.data_format}", self.name)


class UpsamplingBilinear2D(Upsample):
    """Resizes images bilinearly with aligned corners.

    Args:
        size: Output (height, width).
        scale_factor: Factor, or one per axis; give either this or ``size``.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self, size: Any = None, scale_factor: Any = None, data_format: str = "NCHW", name: Optional[str] = None
    ) -> None:
        super().__init__(size, scale_factor, "bilinear", True, 0, data_format, name)

    def extra_repr(self) -> str:
        """Return target and layout."""
        return with_name(f"{self._target()}, data_format={self.data_format}", self.name)
