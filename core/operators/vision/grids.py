"""Sampling images at the points of a grid (spatial transformers, Jaderberg et al., arXiv 1506.02025)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import ConstantOperator
from core.operators._arguments import floating, need_tensor, shape_argument
from core.operators.arithmetic.math import abs as absolute
from core.operators.arithmetic.math import floor, maximum, minimum
from core.operators.creation._constants import constant, positions_along
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import take_rows
from core.operators.linear_algebra.linalg import matmul
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import transpose
from core.tensor import Tensor


def _base_points(sizes: Sequence[int], align_corners: bool) -> np.ndarray:
    """Return the points of an untransformed grid in homogeneous coordinates, one in each row."""
    rank = len(sizes)
    points = np.ones((*sizes, rank + 1))
    for axis, length in enumerate(sizes):  # the last axis of an image is its first coordinate
        ends = 1.0 if align_corners else 1.0 - 1.0 / length
        along = np.linspace(-ends, ends, length) if length > 1 else np.zeros(1)
        points[..., rank - 1 - axis] = along.reshape([-1 if i == axis else 1 for i in range(rank)])
    return points.reshape(-1, rank + 1)


_points = ConstantOperator(
    "affine_points", _base_points, lambda sizes, align_corners: ([math.prod(sizes), len(sizes) + 1], np.float64)
)


def affine_grid(
    theta: Tensor, out_shape: Union[Tensor, Sequence[int]], align_corners: bool = True, name: Optional[str] = None
) -> Tensor:
    """Make the sampling points of affine transforms, one per image.

    Args:
        theta: Floating-point, shape [N, 2, 3], or [N, 3, 4] for volumes: maps output to input coordinates.
        out_shape: The output's shape [N, C, H, W] or [N, C, D, H, W].
        align_corners: -1 and 1 are the centres of the border pixels instead of the image's borders.
        name: Unused, as in Paddle.

    Returns:
        Shape [N, H, W, 2] holding (x, y), or [N, D, H, W, 3] holding (x, y, z), within [-1, 1] inside the input.

    Raises:
        OperatorError: theta and out_shape do not fit.
    """
    need_tensor(theta, "affine_grid", "theta")
    size = shape_argument(out_shape, "affine_grid")
    rank = len(size) - 2
    if rank not in (2, 3) or theta.shape != [size[0], rank, rank + 1]:
        raise OperatorError(
            f"affine_grid: theta of shape {theta.shape} does not fit out_shape {list(size)}: [N, 2, 3] goes with"
            " [N, C, H, W] and [N, 3, 4] with [N, C, D, H, W]"
        )
    flat = constant(_points, theta.dtype, sizes=tuple(size[2:]), align_corners=bool(align_corners))
    return reshape_exact(matmul(flat, theta, transpose_y=True), [size[0], *size[2:], rank])


def grid_sample(
    x: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """Sample each image at the points of its grid.

    Args:
        x: Floating-point, shape [N, C, H, W] or [N, C, D, H, W].
        grid: Points (x, y) in shape [N, h, w, 2], or (x, y, z) in [N, d, h, w, 3]; -1 and 1 are the image's ends.
        mode: ``bilinear`` or ``nearest``.
        padding_mode: What lies outside: ``zeros``, ``border`` (the nearest pixel) or ``reflection``.
        align_corners: -1 and 1 are the centres of the border pixels instead of the image's borders.
        name: Unused, as in Paddle.

    Returns:
        Shape [N, C, h, w] or [N, C, d, h, w].

    Raises:
        OperatorError: the shapes do not fit, or a mode is unknown.
    """
    need_tensor(x, "grid_sample")
    need_tensor(grid, "grid_sample", "grid")
    rank = x.ndim - 2
    if rank not in (2, 3) or grid.ndim != rank + 2 or grid.shape[-1] != rank or grid.shape[0] != x.shape[0]:
        raise OperatorError(
            f"grid_sample: a grid of shape {grid.shape} does not fit x of shape {x.shape}: [N, h, w, 2] goes with"
            " [N, C, H, W] and [N, d, h, w, 3] with [N, C, D, H, W]"
        )
    if mode not in ("bilinear", "nearest"):
        raise OperatorError(f"grid_sample: mode is bilinear or nearest, got {mode!r}")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise OperatorError(f"grid_sample: padding_mode is zeros, border or reflection, got {padding_mode!r}")
    if 0 in x.shape or 0 in grid.shape:
        raise OperatorError(f"grid_sample: no pixels or no points in x {x.shape} and grid {grid.shape}")
    x, grid = cast(x, floating(x.dtype)), cast(grid, floating(x.dtype))
    sizes = x.shape[2:]
    points = [
        _place(grid[..., rank - 1 - axis], size, padding_mode, align_corners) for axis, size in enumerate(sizes)
    ]  # in the order of the axes, while the grid holds x before y
    batch, channels = x.shape[:2]
    rows = reshape_exact(transpose(x, [0, *range(2, rank + 2), 1]), [batch * math.prod(sizes), channels])
    corners: list[list[tuple[Tensor, Optional[Tensor]]]]
    if mode == "nearest":
        corners = [[(_round_half_even(point), None)] for point in points]
    else:
        corners = [_two_neighbours(point) for point in points]
    total: Any = None
    for chosen in itertools.product(*corners):
        sampled = _corner(rows, [position for position, _ in chosen], sizes, padding_mode == "zeros")
        for _, weight in chosen:
            if weight is not None:
                sampled = sampled * reshape_exact(weight, [*weight.shape, 1])
        total = sampled if total is None else total + sampled
    return transpose(total, [0, rank + 1, *range(1, rank + 1)])


def _place(point: Tensor, size: int, padding_mode: str, align_corners: bool) -> Tensor:
    """Turn coordinates in [-1, 1] into pixel positions, brought inside unless outside counts as zero."""
    place = (point + 1.0) * ((size - 1) / 2.0) if align_corners else (point + 1.0) * (size / 2.0) - 0.5
    if padding_mode == "reflection":
        low, span = (0.0, size - 1) if align_corners else (-0.5, float(size))
        if span == 0:
            return place * 0.0
        # a triangle wave of period 2 * span: its distance from the nearest even multiple of span
        offset = place - low
        place = absolute(offset - floor(offset / (2 * span) + 0.5).detach() * (2 * span)) + low
    if padding_mode != "zeros":
        place = minimum(maximum(place, 0.0), size - 1)
    return place


def _round_half_even(place: Tensor) -> Tensor:
    down = floor(place + 0.5)
    tie = cast(place + 0.5 == down, place.dtype)
    odd = down - floor(down * 0.5) * 2.0
    return (down - tie * odd).detach()


def _two_neighbours(place: Tensor) -> list[tuple[Tensor, Optional[Tensor]]]:
    low = floor(place).detach()
    part = place - low
    return [(low, 1.0 - part), (low + 1.0, part)]


def _corner(rows: Tensor, positions: list[Tensor], sizes: list[int], zeros_outside: bool) -> Tensor:
    """Return the pixels [N, ..., C] at whole positions, one tensor of positions per axis."""
    inside: Any = None
    index: Any = None
    for position, size in zip(positions, sizes):
        clipped = minimum(maximum(position, 0.0), size - 1)
        if zeros_outside:
            here = cast(position == clipped, rows.dtype)
            inside = here if inside is None else inside * here
        whole = cast(clipped, "int64")
        index = whole if index is None else index * size + whole
    first = positions_along(0, index.shape) * math.prod(sizes)
    pixels = take_rows(rows, index + first)
    return pixels if inside is None else pixels * reshape_exact(inside, [*inside.shape, 1])


__all__ = ["affine_grid", "grid_sample"]
