"""Features of boxes: RoIAlign, RoIPool and position-sensitive pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import int64
from core.nn import Layer
from core.operators import cast, where
from core.operators.indexing.gathering import take_rows
from core.operators.layers._windows import sizes_argument
from core.operators.shape._primitives import reshape_exact
from core.operators.vision.box_pooling import (
    region_align,
    region_align_levels,
    region_largest,
    region_sensitive,
)
from core.tensor import Tensor, apply
from core.vision.ops.arguments import boxes_argument, counts_argument, floating_of_rank, upcast

__all__ = ["PSRoIPool", "RoIAlign", "RoIPool", "psroi_pool", "roi_align", "roi_align_levels", "roi_pool"]

Sizes = Union[int, Sequence[int]]


def roi_align(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: Sizes,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """Average bilinear samples in each bin of each box (Mask R-CNN, He et al., arXiv 1703.06870).

    Args:
        x: Feature maps (N, C, H, W), floating-point.
        boxes: Corners x1, y1, x2, y2 in pixels of the image, shape (boxes, 4), those of the first image first.
        boxes_num: How many boxes each image has, integers of shape (N,).
        output_size: Bins along height and width.
        spatial_scale: Size of the feature map relative to the image.
        sampling_ratio: Samples per bin and axis; about one per pixel when not positive.
        aligned: Whether pixel centers lie at whole numbers plus a half.
        name: Unused, as in Paddle.

    Returns:
        (boxes, C, output height, output width). Gradients flow into x, not into boxes.

    Raises:
        OperatorError: shapes do not fit each other, or boxes_num does not add up to the number of boxes.
        OperatorTypeError: x or boxes are not floating-point.
    """
    x, boxes, counts, pooled = _arguments("roi_align", x, boxes, boxes_num, output_size)
    options = {"scale": float(spatial_scale), "ratio": int(sampling_ratio), "aligned": bool(aligned)}
    wide = upcast(x)
    return cast(apply(region_align, wide, cast(boxes, wide.dtype), counts, pooled=pooled, **options), x.dtype)


def roi_align_levels(
    maps: Sequence[Tensor],
    boxes: Tensor,
    levels: Tensor,
    boxes_num: Tensor,
    output_size: Sizes,
    spatial_scales: Sequence[float],
    sampling_ratio: int = -1,
    aligned: bool = True,
) -> Tensor:
    """Do :func:`roi_align` for boxes that lie on several levels of a pyramid of feature maps, in one operator.

    Args:
        maps: Of each level (N, C, H, W), floating-point.
        boxes: As of :func:`roi_align`.
        levels: The level of each box, counted from 0, integers of shape (boxes,); others give zeros.
        boxes_num: As of :func:`roi_align`.
        output_size: Likewise.
        spatial_scales: Of each level, likewise.
        sampling_ratio: Likewise.
        aligned: Likewise.

    Returns:
        (boxes, C, output height, output width). Gradients flow into the maps, not into boxes.

    Raises:
        OperatorError: shapes do not fit each other, or boxes_num does not add up to the number of boxes.
        OperatorTypeError: maps or boxes are not floating-point, or levels no integers.
    """
    caller = "roi_align_levels"
    maps = [floating_of_rank(x, 4, caller, "maps", "(N, C, H, W)") for x in maps]
    if not maps or len(maps) != len(spatial_scales):
        raise OperatorError(f"{caller}: {len(maps)} maps need as many spatial_scales, but got {len(spatial_scales)}")
    first, boxes, counts, pooled = _arguments(caller, maps[0], boxes, boxes_num, output_size)
    for x in maps[1:]:
        if x.shape[:2] != first.shape[:2] or 0 in x.shape or x.dtype is not first.dtype:
            raise OperatorError(
                f"{caller}: all maps must be {first.dtype.name}[{first.shape[0]}, {first.shape[1]}, H, W] and not "
                f"empty, but got {x.dtype.name}{x.shape}"
            )
    own = counts_argument(levels, boxes.shape[0], caller, "levels", "boxes")
    wide = [upcast(x) for x in maps]
    options = {"scales": tuple(float(scale) for scale in spatial_scales), "ratio": int(sampling_ratio)}
    found = apply(
        region_align_levels,
        *(*wide, cast(boxes, wide[0].dtype), own, counts),
        pooled=pooled,
        aligned=bool(aligned),
        **options,
    )
    return cast(found, first.dtype)


def roi_pool(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: Sizes,
    spatial_scale: float = 1.0,
    name: Optional[str] = None,
) -> Tensor:
    """Take the largest element of each bin of each box (Fast R-CNN, Girshick, arXiv 1504.08083).

    Args:
        x: Feature maps (N, C, H, W), floating-point.
        boxes: Corners x1, y1, x2, y2 in pixels of the image, shape (boxes, 4), those of the first image first.
        boxes_num: How many boxes each image has, integers of shape (N,).
        output_size: Bins along height and width.
        spatial_scale: Size of the feature map relative to the image.
        name: Unused, as in Paddle.

    Returns:
        (boxes, C, output height, output width); 0 for bins outside the image. Gradients flow into x, not into boxes.

    Raises:
        OperatorError: shapes do not fit each other, or boxes_num does not add up to the number of boxes.
        OperatorTypeError: x or boxes are not floating-point.
    """
    x, boxes, counts, pooled = _arguments("roi_pool", x, boxes, boxes_num, output_size)
    wide = upcast(x)
    places = apply(
        region_largest,
        *(wide.detach(), cast(boxes, wide.dtype).detach(), counts),
        pooled=pooled,
        scale=float(spatial_scale),
    )
    empty = places < 0
    found = take_rows(reshape_exact(x, [x.size]), where(empty, Tensor(0, dtype=int64), places))
    return where(empty, Tensor(0, dtype=x.dtype), found)


def psroi_pool(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: Sizes,
    spatial_scale: float = 1.0,
    name: Optional[str] = None,
) -> Tensor:
    """Average each bin of each box over channels of its own (R-FCN, Dai et al., arXiv 1605.06409).

    Args:
        x: Feature maps (N, C * output height * output width, H, W), floating-point.
        boxes: Corners x1, y1, x2, y2 in pixels of the image, shape (boxes, 4), those of the first image first.
        boxes_num: How many boxes each image has, integers of shape (N,).
        output_size: Bins along height and width.
        spatial_scale: Size of the feature map relative to the image.
        name: Unused, as in Paddle.

    Returns:
        (boxes, C, output height, output width). Gradients flow into x, not into boxes.

    Raises:
        OperatorError: shapes do not fit each other, or boxes_num does not add up to the number of boxes.
        OperatorTypeError: x or boxes are not floating-point.
    """
    x, boxes, counts, pooled = _arguments("psroi_pool", x, boxes, boxes_num, output_size)
    if x.shape[1] % (pooled[0] * pooled[1]):
        raise OperatorError(
            f"psroi_pool: {x.shape[1]} channels do not divide into {pooled[0]} x {pooled[1]} bins: change output_size"
        )
    wide = upcast(x)
    pooled_values = apply(
        region_sensitive, wide, cast(boxes, wide.dtype), counts, pooled=pooled, scale=float(spatial_scale)
    )
    return cast(pooled_values, x.dtype)


def _arguments(
    caller: str, x: Any, boxes: Any, boxes_num: Any, output_size: Any
) -> tuple[Tensor, Tensor, Tensor, tuple[int, ...]]:
    x = floating_of_rank(x, 4, caller, "x", "(N, C, H, W)")
    boxes = boxes_argument(boxes, caller)
    if 0 in x.shape:
        raise OperatorError(f"{caller}: x is empty, of shape {x.shape}")
    counts = counts_argument(boxes_num, x.shape[0], caller)
    return x, boxes.detach(), counts, sizes_argument(output_size, 2, caller, "output_size")


class _Pooling(Layer):
    """What the layers share: the size of the output and the scale of the feature map."""

    def __init__(self, output_size: Sizes, spatial_scale: float = 1.0) -> None:
        super().__init__()
        self._output_size = sizes_argument(output_size, 2, type(self).__name__, "output_size")
        self._spatial_scale = float(spatial_scale)

    def extra_repr(self) -> str:
        """Return the output size and the scale."""
        return f"output_size={list(self._output_size)}, spatial_scale={self._spatial_scale}"


class RoIAlign(_Pooling):
    """Average bilinear samples in each bin of each box; see :func:`roi_align`.

    Args:
        output_size: Bins along height and width.
        spatial_scale: Size of the feature map relative to the image.

    Shapes:
        x (N, C, H, W), boxes (boxes, 4), boxes_num (N,), output (boxes, C, output height, output width).
    """

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor, aligned: bool = True) -> Tensor:
        """Return the boxes' features."""
        return roi_align(x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned)


class RoIPool(_Pooling):
    """Take the largest element of each bin of each box; see :func:`roi_pool`.

    Args:
        output_size: Bins along height and width.
        spatial_scale: Size of the feature map relative to the image.

    Shapes:
        x (N, C, H, W), boxes (boxes, 4), boxes_num (N,), output (boxes, C, output height, output width).
    """

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor) -> Tensor:
        """Return the boxes' features."""
        return roi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)


class PSRoIPool(_Pooling):
    """Average each bin of each box over channels of its own; see :func:`psroi_pool`.

    Args:
        output_size: Bins along height and width.
        spatial_scale: Size of the feature map relative to the image.

    Shapes:
        x (N, C * output height * output width, H, W), boxes (boxes, 4), boxes_num (N,),
        output (boxes, C, output height, output width).
    """

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor) -> Tensor:
        """Return the boxes' features."""
        return psroi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)
