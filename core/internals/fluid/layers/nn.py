"""``paddle.fluid.layers.nn``: functions that have other names or arguments now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.nn import functional as F
from core.operators import clip, exp, index_select, log
from core.operators import matmul as product
from core.tensor import Tensor

__all__ = ["matmul", "pool3d", "resize_nearest", "soft_relu"]

Sizes = Union[int, Sequence[int]]


def matmul(
    x: Tensor,
    y: Tensor,
    transpose_x: bool = False,
    transpose_y: bool = False,
    alpha: float = 1.0,
    name: Optional[str] = None,
) -> Tensor:
    """Return the matrix product of two tensors, times a number.

    Args:
        x: shape [..., rows, n].
        y: shape [..., n, columns].
        transpose_x: whether the last two axes of ``x`` change places first.
        transpose_y: whether those of ``y`` do.
        alpha: the number.
        name: without meaning.
    """
    found = product(x, y, transpose_x, transpose_y)
    return found if alpha == 1.0 else found * alpha


def pool3d(
    input: Tensor,
    pool_size: Sizes = -1,
    pool_type: str = "max",
    pool_stride: Sizes = 1,
    pool_padding: Any = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: Optional[str] = None,
    exclusive: bool = True,
    data_format: str = "NCDHW",
) -> Tensor:
    """Return the maxima or means of blocks of volumes.

    Args:
        input: shape [batch, channels, depth, height, width].
        pool_size: extents of a block.
        pool_type: ``max`` or ``avg``.
        pool_stride: steps between blocks.
        pool_padding: how much is added at the borders.
        global_pooling: whether a volume is one block.
        use_cudnn: without meaning.
        ceil_mode: whether a block that ends beyond the border counts.
        name: without meaning.
        exclusive: whether means leave out what was added at the borders.
        data_format: ``NCDHW``, or ``NDHWC`` for channels last.

    Raises:
        ValueError: ``pool_type`` is neither.
    """
    if pool_type not in ("max", "avg"):
        raise ValueError(f"pool3d: pool_type is 'max' or 'avg', not {pool_type!r}")
    if global_pooling:
        pool = F.adaptive_max_pool3d if pool_type == "max" else F.adaptive_avg_pool3d
        options = {} if pool_type == "max" else {"data_format": data_format}
        found: Tensor = pool(input, 1, **options)
        return found
    if pool_type == "max":
        return F.max_pool3d(input, pool_size, pool_stride, pool_padding, ceil_mode, data_format=data_format)
    return F.avg_pool3d(
        input, pool_size, pool_stride, pool_padding, ceil_mode, exclusive=exclusive, data_format=data_format
    )


def resize_nearest(
    input: Tensor,
    out_shape: Optional[Sequence[int]] = None,
    scale: Optional[float] = None,
    name: Optional[str] = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    data_format: str = "NCHW",
) -> Tensor:
    """Return images resized by taking the nearest pixel.

    Args:
        input: shape [batch, channels, height, width].
        out_shape: the new height and width, pixels.
        scale: the factor, where no shape is given.
        name: without meaning.
        actual_shape: takes the place of ``out_shape``.
        align_corners: whether the corner pixels stay corners; otherwise pixels are areas.
        data_format: ``NCHW``, or ``NHWC`` for channels last.

    Raises:
        ValueError: neither a shape nor a factor is given.
    """
    axes = (2, 3) if data_format == "NCHW" else (1, 2)
    extents = [input.shape[axis] for axis in axes]
    wanted = out_shape if actual_shape is None else actual_shape
    if wanted is not None:
        sizes = [int(size) for size in wanted]
    elif scale is not None:
        sizes = [int(extent * scale) for extent in extents]
    else:
        raise ValueError("resize_nearest: give out_shape or scale")
    for axis, extent, size in zip(axes, extents, sizes):
        if align_corners:
            ratio = np.float32((extent - 1) / (size - 1) if size > 1 else 0)
            places = (ratio * np.arange(size, dtype="float32") + np.float32(0.5)).astype(np.int64)
        else:
            places = (np.float32(extent / size) * np.arange(size, dtype="float32")).astype(np.int64)
        input = index_select(input, Tensor(np.minimum(places, extent - 1)), axis)
    return input


def soft_relu(x: Tensor, threshold: float = 40.0, name: Optional[str] = None) -> Tensor:
    """Return log(1 + exp(x)), with x held between -threshold and threshold.

    Args:
        x: any tensor.
        threshold: the bound.
        name: without meaning.
    """
    return log(exp(clip(x, -threshold, threshold)) + 1)
