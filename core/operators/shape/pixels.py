"""Moving pixels between space and channels, and patches into columns and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bfloat16
from core.operators._arguments import check_floating, need_tensor, shape_argument
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import transpose
from core.operators.shape.padding import pad
from core.tensor import Tensor, apply

PairLike = Union[int, Sequence[int]]


def _window_attributes(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    return {key: options[key] for key in ("kernel", "stride", "dilate", "pad", "output_size") if key in options}


def _columns_shape(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (batch, channels, *size), dtype = metas[0]
    count = _positions(size, options)
    kernel = options["kernel"]
    return [((batch, channels * kernel[0] * kernel[1], count[0] * count[1]), dtype)]


def _image_shape(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (batch, rows, _), dtype = metas[0]
    kernel = options["kernel"]
    return [((batch, rows // (kernel[0] * kernel[1]), *options["output_size"]), dtype)]


def _positions(size: Sequence[int], options: dict[str, Any]) -> list[int]:
    return [
        (length + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
        for length, kernel, stride, dilation, pad in zip(
            size, options["kernel"], options["stride"], options["dilate"], options["pad"]
        )
    ]


_to_columns = Operator(
    "image_to_columns", "im2col", check=check_floating("unfold"), infer=_columns_shape, attributes=_window_attributes
)
_to_image = Operator(
    "columns_to_image",
    "col2im",
    check=check_floating("fold"),
    infer=_image_shape,
    attributes=_window_attributes,
    lacks=(bfloat16,),
)


def unfold(
    x: Tensor,
    kernel_sizes: PairLike,
    strides: PairLike = 1,
    paddings: PairLike = 0,
    dilations: PairLike = 1,
    name: Optional[str] = None,
) -> Tensor:
    """Copy each window of an image into one column.

    Args:
        x: Floating-point, shape [N, C, H, W].
        kernel_sizes: Window height and width in pixels.
        strides: Step of the window.
        paddings: Zeros added around the image: one int, [height, width], or [top, left, bottom, right].
        dilations: Distance of the pixels within a window.
        name: Unused, as in Paddle.

    Returns:
        Shape [N, C * kernel height * kernel width, number of windows].

    Raises:
        OperatorError: x is not 4-D, or no window fits.
    """
    need_tensor(x, "unfold")
    if x.ndim != 4:
        raise OperatorError(f"unfold: expects shape [N, C, H, W], got {x.shape}")
    around = _pair(paddings, "unfold", "paddings", also=4)
    if len(around) == 4:
        top, left, bottom, right = around
        if top != bottom or left != right:
            x, around = pad(x, [left, right, top, bottom]), (0, 0)
        else:
            around = (top, left)
    options = _window("unfold", kernel_sizes, strides, dilations, around)
    if any(count < 1 for count in _positions(x.shape[2:], options)) or x.size == 0:
        raise OperatorError(f"unfold: no window of {options['kernel']} fits an image of shape {x.shape}")
    return apply(_to_columns, x, **options)


def fold(
    x: Tensor,
    output_sizes: PairLike,
    kernel_sizes: PairLike,
    strides: PairLike = 1,
    paddings: PairLike = 0,
    dilations: PairLike = 1,
    name: Optional[str] = None,
) -> Tensor:
    """Add columns of windows back into an image; where windows overlap, their values are summed.

    Args:
        x: Floating-point, shape [N, C * kernel height * kernel width, number of windows].
        output_sizes: Height and width of the image in pixels.
        kernel_sizes: Window height and width.
        strides: Step of the window.
        paddings: Zeros that had been added around the image: one int or [height, width].
        dilations: Distance of the pixels within a window.
        name: Unused, as in Paddle.

    Returns:
        Shape [N, C, height, width].

    Raises:
        OperatorError: the columns do not fit the windows of such an image.
    """
    need_tensor(x, "fold")
    if x.ndim != 3:
        raise OperatorError(f"fold: expects shape [N, C * kernel area, windows], got {x.shape}")
    around = _pair(paddings, "fold", "paddings", also=4)
    if len(around) == 4:
        if around[0] != around[2] or around[1] != around[3]:
            raise NotImplementedError(f"fold: paddings {list(around)} that differ between opposite sides")
        around = around[:2]
    options = _window("fold", kernel_sizes, strides, dilations, around)
    size = _pair(output_sizes, "fold", "output_sizes")
    count = _positions(size, options)
    area = options["kernel"][0] * options["kernel"][1]
    if any(number < 1 for number in count) or x.shape[1] % area or x.shape[2] != count[0] * count[1] or x.size == 0:
        raise OperatorError(
            f"fold: columns of shape {x.shape} do not fit an image of {list(size)}: {area} rows per channel and"
            f" {max(count[0], 0) * max(count[1], 0)} windows are expected"
        )
    return apply(_to_image, x, output_size=size, **options)


def _pair(value: Any, caller: str, label: str, also: int = 2) -> tuple[int, ...]:
    if isinstance(value, int):
        return (value, value)
    pair = shape_argument(value, caller)
    if len(pair) not in (2, also):
        raise OperatorError(f"{caller}: {label} is one int or two, got {list(pair)}")
    return pair


def _window(caller: str, kernel: Any, stride: Any, dilation: Any, around: tuple[int, ...]) -> dict[str, Any]:
    options = {
        "kernel": _pair(kernel, caller, "kernel_sizes"),
        "stride": _pair(stride, caller, "strides"),
        "dilate": _pair(dilation, caller, "dilations"),
        "pad": around,
    }
    if min(*options["kernel"], *options["stride"], *options["dilate"]) < 1 or min(around) < 0:
        raise OperatorError(f"{caller}: kernel, strides and dilations must be positive and paddings not negative")
    return options


def pixel_shuffle(x: Tensor, upscale_factor: int, data_format: str = "NCHW", name: Optional[str] = None) -> Tensor:
    """Move channels into space: r * r channels become a block of r x r pixels (Shi et al., arXiv 1609.05158).

    Args:
        x: Shape [N, C * r * r, H, W], or [N, H, W, C * r * r] for NHWC.
        upscale_factor: r.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused, as in Paddle.

    Returns:
        Shape [N, C, H * r, W * r], or [N, H * r, W * r, C].

    Raises:
        OperatorError: the channels are not divisible by r * r.
    """
    batch, channels, height, width = _image("pixel_shuffle", x, data_format)
    r = upscale_factor
    if r < 1 or channels % (r * r):
        raise OperatorError(f"pixel_shuffle: {channels} channels do not divide by upscale_factor {r} squared")
    deep = channels // (r * r)
    if data_format == "NCHW":
        blocks = reshape_exact(x, [batch, deep, r, r, height, width])
        return reshape_exact(transpose(blocks, [0, 1, 4, 2, 5, 3]), [batch, deep, height * r, width * r])
    blocks = reshape_exact(x, [batch, height, width, deep, r, r])
    return reshape_exact(transpose(blocks, [0, 1, 4, 2, 5, 3]), [batch, height * r, width * r, deep])


def pixel_unshuffle(x: Tensor, downscale_factor: int, data_format: str = "NCHW", name: Optional[str] = None) -> Tensor:
    """Move space into channels: a block of r x r pixels becomes r * r channels; the inverse of :func:`pixel_shuffle`.

    Args:
        x: Shape [N, C, H * r, W * r], or [N, H * r, W * r, C] for NHWC.
        downscale_factor: r.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused, as in Paddle.

    Returns:
        Shape [N, C * r * r, H, W], or [N, H, W, C * r * r].

    Raises:
        OperatorError: height or width is not divisible by r.
    """
    batch, channels, height, width = _image("pixel_unshuffle", x, data_format)
    r = downscale_factor
    if r < 1 or height % r or width % r:
        raise OperatorError(f"pixel_unshuffle: an image of {height} x {width} does not divide by downscale_factor {r}")
    rows, columns = height // r, width // r
    if data_format == "NCHW":
        blocks = transpose(reshape_exact(x, [batch, channels, rows, r, columns, r]), [0, 1, 3, 5, 2, 4])
        return reshape_exact(blocks, [batch, channels * r * r, rows, columns])
    blocks = transpose(reshape_exact(x, [batch, rows, r, columns, r, channels]), [0, 1, 3, 5, 2, 4])
    return reshape_exact(blocks, [batch, rows, columns, channels * r * r])


def channel_shuffle(x: Tensor, groups: int, data_format: str = "NCHW", name: Optional[str] = None) -> Tensor:
    """Interleave the channels of groups (Zhang et al., arXiv 1707.01083).

    Args:
        x: Shape [N, C, H, W], or [N, H, W, C] for NHWC.
        groups: Number of groups, a divisor of C.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused, as in Paddle.

    Returns:
        The same shape; channel i comes from group i modulo groups.

    Raises:
        OperatorError: the channels are not divisible by groups.
    """
    batch, channels, height, width = _image("channel_shuffle", x, data_format)
    if groups < 1 or channels % groups:
        raise OperatorError(f"channel_shuffle: {channels} channels do not divide into {groups} groups")
    part = channels // groups
    if data_format == "NCHW":
        mixed = transpose(reshape_exact(x, [batch, groups, part, height, width]), [0, 2, 1, 3, 4])
    else:
        mixed = transpose(reshape_exact(x, [batch, height, width, groups, part]), [0, 1, 2, 4, 3])
    return reshape_exact(mixed, x.shape)


def _image(caller: str, x: Any, data_format: str) -> list[int]:
    need_tensor(x, caller)
    if data_format not in ("NCHW", "NHWC"):
        raise OperatorError(f"{caller}: data_format is NCHW or NHWC, got {data_format!r}")
    if x.ndim != 4:
        raise OperatorError(f"{caller}: expects a 4-D tensor, got shape {x.shape}")
    shape: list[int] = x.shape
    return shape if data_format == "NCHW" else [shape[0], shape[3], shape[1], shape[2]]


__all__ = ["channel_shuffle", "fold", "pixel_shuffle", "pixel_unshuffle"]  # core.unfold cuts windows along one axis
