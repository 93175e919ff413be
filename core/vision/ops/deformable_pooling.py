"""Pooling of position-sensitive bins that learned offsets move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import int64
from core.operators import cast, cumsum, floor, where, zeros_like
from core.operators.creation._constants import positions
from core.operators.indexing.gathering import take_rows
from core.operators.layers._windows import sizes_argument
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor
from core.vision.ops.arguments import boxes_argument, counts_argument, floating_of_rank

__all__ = ["deformable_psroi_pooling"]

Sizes = Union[int, Sequence[int]]


def deformable_psroi_pooling(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    trans: Optional[Tensor],
    output_size: Sizes,
    spatial_scale: float = 1.0,
    group_size: Sizes = 1,
    part_size: Optional[Sizes] = None,
    sample_per_part: int = 1,
    trans_std: float = 0.1,
    name: Optional[str] = None,
) -> Tensor:
    """Average samples of bins that are moved, each bin from channels of its own (Dai et al., arXiv 1703.06211).

    Args:
        x: Feature maps (N, C, H, W), floating-point.
        boxes: Corners x1, y1, x2, y2 in pixels of the image, shape (boxes, 4), those of the first image first.
        boxes_num: How many boxes each image has, integers of shape (N,).
        trans: How far bins are moved to the right and down, as shares of the box's size before trans_std: (boxes, 2 *
            classes, part height, part width), the channels fall into so many classes; None moves nothing.
        output_size: Bins along height and width.
        spatial_scale: Size of the feature map relative to the image.
        group_size: The box is divided into so many parts along height and width, each with channels of its own; C /
            parts are left. 1 for pooling that is not position-sensitive.
        part_size: Size of trans; output_size when None.
        sample_per_part: Samples per bin and axis; those outside the image do not count.
        trans_std: What trans is multiplied with.
        name: Unused, as in Paddle.

    Returns:
        (boxes, C / parts, output height, output width). Gradients flow into x and trans.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorTypeError: a tensor is not floating-point.
    """
    caller = "deformable_psroi_pooling"
    x = floating_of_rank(x, 4, caller, "x", "(N, C, H, W)")
    boxes = cast(boxes_argument(boxes, caller).detach(), x.dtype)
    images, channels = x.shape[:2]
    counts = counts_argument(boxes_num, images, caller)
    bins = sizes_argument(output_size, 2, caller, "output_size")
    groups = sizes_argument(group_size, 2, caller, "group_size")
    parts = bins if part_size is None else sizes_argument(part_size, 2, caller, "part_size")
    if channels % (groups[0] * groups[1]) or sample_per_part < 1:
        raise OperatorError(
            f"{caller}: {channels} channels do not divide into {groups[0]} x {groups[1]} groups, or sample_per_part"
            f" {sample_per_part} is not positive"
        )
    left = channels // (groups[0] * groups[1])
    start, size = _starts(boxes, spatial_scale)
    places = _places(start, size, bins, sample_per_part)
    if trans is not None:
        trans = floating_of_rank(trans, 4, caller, "trans", "(boxes, 2 * classes, part height, part width)")
        classes = trans.shape[1] // 2
        if trans.shape != [boxes.shape[0], 2 * classes, *parts] or not classes or left % classes:
            raise OperatorError(
                f"{caller}: trans has the shape (boxes, 2 * classes, {parts[0]}, {parts[1]}) with classes that divide"
                f" {left} channels, but got {trans.shape} for {boxes.shape[0]} boxes"
            )
        places = _moved(places, cast(trans, x.dtype) * trans_std, size, bins, parts)
    return _averaged(x, _owners(counts, boxes), places, bins, groups)


def _starts(boxes: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    """Return the first corner and the size of boxes on the feature map, each (boxes, 2) along x and y."""
    whole = floor(boxes + 0.5)
    start, end = whole[:, :2] * scale - 0.5, (whole[:, 2:] + 1.0) * scale - 0.5
    return start, (end - start).clip(min=0.1)


def _places(start: Tensor, size: Tensor, bins: Sequence[int], samples: int) -> list[Tensor]:
    """Return where samples lie along x and y: (boxes, 1, bins, bins, samples, samples), axes of size 1 left out."""
    places = []
    for axis, count in ((0, bins[1]), (1, bins[0])):
        steps = np.arange(count)[:, None] + np.arange(samples) / samples
        shape = [1, 1, 1, count, 1, samples] if axis == 0 else [1, 1, count, 1, samples, 1]
        share = Tensor((steps / count).reshape(shape), dtype=start.dtype)
        rows = [reshape_exact(item[:, axis], [start.shape[0], 1, 1, 1, 1, 1]) for item in (start, size)]
        places.append(rows[0] + share * rows[1])
    return places


def _moved(
    places: Sequence[Tensor], trans: Tensor, size: Tensor, bins: Sequence[int], parts: Sequence[int]
) -> list[Tensor]:
    """Return the places of each class, moved by shares of the box's size."""
    count, classes = trans.shape[0], trans.shape[1] // 2
    down, right = ((np.arange(bins[axis]) * parts[axis]) // bins[axis] for axis in (0, 1))
    flat = reshape_exact(trans, [count, classes, 2, parts[0] * parts[1]]).transpose([3, 0, 1, 2])
    taken = take_rows(flat, Tensor((down[:, None] * parts[1] + right).ravel(), dtype=int64))
    shifts = reshape_exact(taken.transpose([1, 2, 3, 0]), [count, classes, 2, bins[0], bins[1], 1, 1])
    lengths = [reshape_exact(size[:, axis], [count, 1, 1, 1, 1, 1]) for axis in (0, 1)]
    return [places[axis] + shifts[:, :, axis] * lengths[axis] for axis in (0, 1)]


def _owners(counts: Tensor, boxes: Tensor) -> Tensor:
    """Return the image of each box."""
    ends = cumsum(counts, 0)
    behind = reshape_exact(positions(boxes.shape[0]), [boxes.shape[0], 1]) >= ends
    return cast(behind, int64).sum(1)


def _averaged(x: Tensor, owner: Tensor, places: Sequence[Tensor], bins: Sequence[int], groups: Sequence[int]) -> Tensor:
    """Return the mean of the samples inside the image, 0 where there is none."""
    _, channels, height, width = x.shape
    count, left = owner.shape[0], channels // (groups[0] * groups[1])
    across, down = places
    inside = (across >= -0.5).logical_and(across <= width - 0.5).logical_and(
        (down >= -0.5).logical_and(down <= height - 0.5)
    )
    across, down = across.clip(0, width - 1), down.clip(0, height - 1)
    weight = cast(inside, x.dtype)
    number = weight.sum([-2, -1])
    classes = number.shape[1]
    part = [(np.arange(bins[axis]) * groups[axis]) // bins[axis] for axis in (0, 1)]
    group = Tensor((part[0][:, None] * groups[1] + part[1]).reshape(1, 1, 1, *bins, 1, 1), dtype=int64)
    each = positions(left) * (groups[0] * groups[1])
    channel = reshape_exact(each, [1, classes, left // classes, 1, 1, 1, 1]) + group
    plane = (reshape_exact(owner, [count, 1, 1, 1, 1, 1, 1]) * channels + channel) * (height * width)
    flat = reshape_exact(x, [x.size])
    total: Any = 0
    first_x, first_y = floor(across).detach(), floor(down).detach()
    for y, share_y in ((first_y, 1 - (down - first_y)), ((first_y + 1).clip(max=height - 1), down - first_y)):
        for z, share_x in ((first_x, 1 - (across - first_x)), ((first_x + 1).clip(max=width - 1), across - first_x)):
            place = cast(y, int64) * width + cast(z, int64)
            total = total + take_rows(flat, plane + place.unsqueeze(2)) * (share_y * share_x * weight).unsqueeze(2)
    some = number.unsqueeze(2) > 0
    mean = total.sum([-2, -1]) / where(some, number.unsqueeze(2), zeros_like(number.unsqueeze(2)) + 1.0)
    return reshape_exact(mean, [count, left, bins[0], bins[1]])
