"""Layers that shuffle the pixels and channels of images or cut images into blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.nn import functional as F
from core.nn.layer.checks import one_of, positive, with_name
from core.nn.layer.layers import Layer

__all__ = ["ChannelShuffle", "Fold", "PixelShuffle", "PixelUnshuffle", "Unfold"]

Sizes = Union[int, Sequence[int]]


class PixelShuffle(Layer):
    """Turns (C · r², H, W) into (C, H · r, W · r) (Shi et al. 2016, arXiv:1609.05158).

    Args:
        upscale_factor: r.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, upscale_factor: int, data_format: str = "NCHW", name: Optional[str] = None) -> None:
        super().__init__()
        self._upscale_factor = positive("PixelShuffle", "upscale_factor", upscale_factor)
        self._data_format = one_of("PixelShuffle", "data_format", data_format, ("NCHW", "NHWC"))
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the shuffled images."""
        return F.pixel_shuffle(x, self._upscale_factor, self._data_format)

    def extra_repr(self) -> str:
        """Return the options that differ from their defaults, and the factor."""
        layout = "" if self._data_format == "NCHW" else f", data_format={self._data_format}"
        return with_name(f"upscale_factor={self._upscale_factor}{layout}", self._name)


class PixelUnshuffle(Layer):
    """Turns (C, H · r, W · r) into (C · r², H, W).

    Args:
        downscale_factor: r.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, downscale_factor: int, data_format: str = "NCHW", name: Optional[str] = None) -> None:
        super().__init__()
        self._downscale_factor = positive("PixelUnshuffle", "downscale_factor", downscale_factor)
        self._data_format = one_of("PixelUnshuffle", "data_format", data_format, ("NCHW", "NHWC"))
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the unshuffled images."""
        return F.pixel_unshuffle(x, self._downscale_factor, self._data_format)

    def extra_repr(self) -> str:
        """Return the options that differ from their defaults, and the factor."""
        layout = "" if self._data_format == "NCHW" else f", data_format={self._data_format}"
        return with_name(f"downscale_factor={self._downscale_factor}{layout}", self._name)


class ChannelShuffle(Layer):
    """Mixes channels of different groups (Zhang et al. 2018, ShuffleNet, arXiv:1707.01083).

    Args:
        groups: Number of groups.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, groups: int, data_format: str = "NCHW", name: Optional[str] = None) -> None:
        super().__init__()
        self._groups = positive("ChannelShuffle", "groups", groups)
        self._data_format = one_of("ChannelShuffle", "data_format", data_format, ("NCHW", "NHWC"))
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the images with channels rearranged."""
        return F.channel_shuffle(x, self._groups, self._data_format)

    def extra_repr(self) -> str:
        """Return the options that differ from their defaults, and the groups."""
        layout = "" if self._data_format == "NCHW" else f", data_format={self._data_format}"
        return with_name(f"groups={self._groups}{layout}", self._name)


class Unfold(Layer):
    """Cuts images into (overlapping) blocks, each a column (im2col).

    Args:
        kernel_sizes: Height and width of a block.
        dilations: Distance between the elements of a block.
        paddings: Zeros around the image: one integer, (height, width) or (top, left, bottom, right).
        strides: Distance between blocks.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, H, W), output (N, C · kernel area, number of blocks).
    """

    def __init__(
        self,
        kernel_sizes: Sizes,
        dilations: Sizes = 1,
        paddings: Sizes = 0,
        strides: Sizes = 1,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.kernel_sizes = kernel_sizes
        self.dilations = dilations
        self.paddings = paddings
        self.strides = strides
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return the blocks as columns."""
        return F.unfold(
            input,
            kernel_sizes=self.kernel_sizes,
            strides=self.strides,
            paddings=self.paddings,
            dilations=self.dilations,
        )

    def extra_repr(self) -> str:
        """Return the options."""
        text = (
            f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, padding={self.paddings},"
            f" stride={self.strides}"
        )
        return with_name(text, self.name)


class Fold(Layer):
    """Adds columns of blocks up into images (col2im), the transpose of :class:`Unfold`.

    Args:
        output_sizes: Height and width of the images.
        kernel_sizes: Height and width of a block.
        dilations: Distance between the elements of a block.
        paddings: Zeros that were put around the image.
        strides: Distance between blocks.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C · kernel area, number of blocks), output (N, C, H, W).
    """

    def __init__(
        self,
        output_sizes: Sizes,
        kernel_sizes: Sizes,
        dilations: Sizes = 1,
        paddings: Sizes = 0,
        strides: Sizes = 1,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.output_sizes = output_sizes
        self.kernel_sizes = kernel_sizes
        self.dilations = dilations
        self.paddings = paddings
        self.strides = strides
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return the images."""
        return F.fold(
            input,
            output_sizes=self.output_sizes,
            kernel_sizes=self.kernel_sizes,
            strides=self.strides,
            paddings=self.paddings,
            dilations=self.dilations,
        )

    def extra_repr(self) -> str:
        """Return the options."""
        text = (
            f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, padding={self.paddings},"
            f" stride={self.strides}"
        )
        return with_name(text, self.name)
