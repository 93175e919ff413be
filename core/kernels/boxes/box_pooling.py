"""Pooling inside boxes of images (RoIAlign, RoIPool, PSRoIPool): numba kernels, and plain numpy that defines them.

Where a box lies on the pixels is worked out beforehand, in numpy (:func:`align_grid`, :func:`pool_bins`,
:func:`position_sensitive_bins`), by the kernels and by their references alike. Threads share boxes on the way forward
and channels on the way back, so the result does not depend on their number.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional

import numpy as np

from core.kernels.boxes import aligned_channels
from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads

LANES = 8
"""Fewer channels fill no vector instruction."""

Sizes = tuple[int, ...]  # along height and width


class Grid(NamedTuple):
    """Sample points of boxes: each bin holds ``count_y`` x ``count_x`` of them. Each field has one entry per box."""

    owner: np.ndarray
    start_y: np.ndarray
    start_x: np.ndarray
    bin_y: np.ndarray
    bin_x: np.ndarray
    count_y: np.ndarray
    count_x: np.ndarray


class Bins(NamedTuple):
    """Whole pixels of boxes: bin (i, j) of box k holds rows ``top[k, i]:bottom[k, i]``, ``left[k, j]:right[k, j]``."""

    owner: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    left: np.ndarray
    right: np.ndarray


def align_grid(
    boxes: np.ndarray, owner: np.ndarray, pooled: Sizes, scale: float, ratio: int, aligned: bool
) -> Grid:
    """Return where RoIAlign samples.

    Args:
        boxes: Corners x1, y1, x2, y2 in pixels of the image, shape [k, 4].
        owner: int64 of shape [k]: the image of each box.
        pooled: Bins along height and width.
        scale: Size of the feature map relative to the image.
        ratio: Samples per bin and axis; as many as pixels when not positive.
        aligned: Whether pixel centers lie at whole numbers plus a half.
    """
    kind = boxes.dtype.type
    corners = boxes * kind(scale) - kind(0.5 if aligned else 0.0)
    size = corners[:, 2:] - corners[:, :2]
    if not aligned:
        size = np.maximum(size, kind(1))
    bins = size / np.array(pooled[::-1], boxes.dtype)
    pixels = np.maximum(np.ceil(bins), 0)  # none in a box whose corners are the wrong way round
    counts = np.full(bins.shape, ratio, np.int64) if ratio > 0 else pixels.astype(np.int64)
    columns = [corners[:, 1], corners[:, 0], bins[:, 1], bins[:, 0]]
    start_y, start_x, bin_y, bin_x = (np.ascontiguousarray(column, np.float64) for column in columns)
    count_y, count_x = (np.ascontiguousarray(counts[:, axis]) for axis in (1, 0))
    return Grid(owner, start_y, start_x, bin_y, bin_x, count_y, count_x)


def pool_bins(
    boxes: np.ndarray, owner: np.ndarray, pooled: Sizes, scale: float, size: Sizes
) -> Bins:
    """Return the pixels of RoIPool's bins; the corners are rounded to whole pixels, both included.

    Args:
        boxes, owner, pooled, scale: As for :func:`align_grid`.
        size: Height and width of the feature map.
    """
    corners = _round_half_away(boxes * boxes.dtype.type(scale))
    lengths = np.maximum(corners[:, 2:] - corners[:, :2] + 1, 1)
    return _bins(corners[:, :2], lengths.astype(boxes.dtype), owner, pooled, size, whole_start=True)


def position_sensitive_bins(
    boxes: np.ndarray, owner: np.ndarray, pooled: Sizes, scale: float, size: Sizes
) -> Bins:
    """Return the pixels of PSRoIPool's bins; the corners are rounded in the image, before scaling."""
    kind = boxes.dtype.type
    first = _round_half_away(boxes[:, :2]) * kind(scale)
    last = (_round_half_away(boxes[:, 2:]) + 1) * kind(scale)
    return _bins(first, np.maximum(last - first, kind(0.1)), owner, pooled, size, whole_start=False)


def _round_half_away(x: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)


def _bins(
    start: np.ndarray,
    lengths: np.ndarray,
    owner: np.ndarray,
    pooled: Sizes,
    size: Sizes,
    whole_start: bool,
) -> Bins:
    edges = []
    for axis, count, limit in ((1, pooled[0], size[0]), (0, pooled[1], size[1])):
        step = (lengths[:, axis] / lengths.dtype.type(count))[:, None]
        places = np.arange(count + 1, dtype=lengths.dtype)[None]
        begin = start[:, axis][:, None]
        for rounding, place in ((np.floor, places[:, :-1]), (np.ceil, places[:, 1:])):
            edge = rounding(place * step) + begin if whole_start else rounding(place * step + begin)
            edges.append(np.ascontiguousarray(np.clip(edge, 0, limit).astype(np.int64)))
    return Bins(owner, *edges)


@serial
def _axis_samples(start, step, bins, count, size, low, high, weight_low, weight_high):
    """Write, for each sample along one axis, its two neighbours and their weights; 0 outside the image."""
    for b in range(bins):
        for i in range(count):
            k = b * count + i
            place = start + b * step + (i + 0.5) * step / count
            if place < -1.0 or place > size:
                low[k] = 0
                high[k] = 0
                weight_low[k] = 0.0
                weight_high[k] = 0.0
                continue
            place = max(place, 0.0)
            first = int(place)
            if first >= size - 1:
                low[k] = size - 1
                high[k] = size - 1
                weight_low[k] = 1.0
                weight_high[k] = 0.0
            else:
                low[k] = first
                high[k] = first + 1
                weight_low[k] = 1.0 - (place - first)
                weight_high[k] = place - first


@compiled
def _align(x, owner, start_y, start_x, bin_y, bin_x, count_y, count_x, places, result):
    channels, height, width = x.shape[1], x.shape[2], x.shape[3]
    rows, columns = result.shape[2], result.shape[3]
    for k in threads(owner.shape[0]):
        ny, nx, place = count_y[k], count_x[k], places[k]
        y_low, y_high = np.empty(rows * ny, np.int64), np.empty(rows * ny, np.int64)
        x_low, x_high = np.empty(columns * nx, np.int64), np.empty(columns * nx, np.int64)
        wy_low, wy_high = np.empty(rows * ny), np.empty(rows * ny)
        wx_low, wx_high = np.empty(columns * nx), np.empty(columns * nx)
        _axis_samples(start_y[k], bin_y[k], rows, ny, height, y_low, y_high, wy_low, wy_high)
        _axis_samples(start_x[k], bin_x[k], columns, nx, width, x_low, x_high, wx_low, wx_high)
        share = 1.0 / max(ny * nx, 1)
        for c in range(channels):
            plane = x[owner[k], c]
            for i in range(rows):
                for j in range(columns):
                    total = 0.0
                    for a in range(i * ny, (i + 1) * ny):
                        upper, lower = plane[y_low[a]], plane[y_high[a]]
                        for b in range(j * nx, (j + 1) * nx):
                            total += wy_low[a] * (wx_low[b] * upper[x_low[b]] + wx_high[b] * upper[x_high[b]])
                            total += wy_high[a] * (wx_low[b] * lower[x_low[b]] + wx_high[b] * lower[x_high[b]])
                    result[place, c, i, j] = total * share


@compiled
def _align_back(g, owner, start_y, start_x, bin_y, bin_x, count_y, count_x, result, parts):
    channels, height, width = result.shape[1], result.shape[2], result.shape[3]
    rows, columns = g.shape[2], g.shape[3]
    for part in threads(parts):
        first, last = channels * part // parts, channels * (part + 1) // parts
        result[:, first:last] = 0
        for k in range(g.shape[0]):
            ny, nx = count_y[k], count_x[k]
            if ny * nx == 0:
                continue
            y_low, y_high = np.empty(rows * ny, np.int64), np.empty(rows * ny, np.int64)
            x_low, x_high = np.empty(columns * nx, np.int64), np.empty(columns * nx, np.int64)
            wy_low, wy_high = np.empty(rows * ny), np.empty(rows * ny)
            wx_low, wx_high = np.empty(columns * nx), np.empty(columns * nx)
            _axis_samples(start_y[k], bin_y[k], rows, ny, height, y_low, y_high, wy_low, wy_high)
            _axis_samples(start_x[k], bin_x[k], columns, nx, width, x_low, x_high, wx_low, wx_high)
            share = 1.0 / max(ny * nx, 1)
            for c in range(first, last):
                plane = result[owner[k], c]
                for i in range(rows):
                    for j in range(columns):
                        value = g[k, c, i, j] * share
                        for a in range(i * ny, (i + 1) * ny):
                            upper, lower = plane[y_low[a]], plane[y_high[a]]
                            for b in range(j * nx, (j + 1) * nx):
                                upper[x_low[b]] += value * wy_low[a] * wx_low[b]
                                upper[x_high[b]] += value * wy_low[a] * wx_high[b]
                                lower[x_low[b]] += value * wy_high[a] * wx_low[b]
                                lower[x_high[b]] += value * wy_high[a] * wx_high[b]


@compiled
def _largest(x, owner, top, bottom, left, right, result):
    channels, width = x.shape[1], x.shape[3]
    for k in threads(result.shape[0]):
        for c in range(channels):
            plane = x[owner[k], c]
            base = (owner[k] * channels + c) * x.shape[2] * width
            for i in range(result.shape[2]):
                for j in range(result.shape[3]):
                    best = -1
                    value = 0.0
                    for row in range(top[k, i], bottom[k, i]):
                        for column in range(left[k, j], right[k, j]):
                            if best < 0 or plane[row, column] > value:
                                best = row * width + column
                                value = plane[row, column]
                    result[k, c, i, j] = best if best < 0 else base + best


@compiled
def _position_sensitive(x, owner, top, bottom, left, right, result):
    rows, columns = result.shape[2], result.shape[3]
    for k in threads(result.shape[0]):
        for c in range(result.shape[1]):
            for i in range(rows):
                for j in range(columns):
                    plane = x[owner[k], (c * rows + i) * columns + j]
                    total = 0.0
                    for row in range(top[k, i], bottom[k, i]):
                        for column in range(left[k, j], right[k, j]):
                            total += plane[row, column]
                    area = max(bottom[k, i] - top[k, i], 0) * max(right[k, j] - left[k, j], 0)
                    result[k, c, i, j] = total / max(area, 1)


@compiled
def _position_sensitive_back(g, owner, top, bottom, left, right, result):
    rows, columns = g.shape[2], g.shape[3]
    for channel in threads(result.shape[1]):
        result[:, channel] = 0
        c, i, j = channel // (rows * columns), channel // columns % rows, channel % columns
        for k in range(g.shape[0]):
            area = max(bottom[k, i] - top[k, i], 0) * max(right[k, j] - left[k, j], 0)
            share = g[k, c, i, j] / max(area, 1)
            for row in range(top[k, i], bottom[k, i]):
                for column in range(left[k, j], right[k, j]):
                    result[owner[k], channel, row, column] += share


def align(x: np.ndarray, grid: Grid, out: np.ndarray, places: Optional[np.ndarray] = None) -> None:
    """Write the mean of the samples of each bin, interpolated from x.

    Args:
        x: Feature maps [n, c, h, w].
        grid: Where the boxes' samples lie.
        out: Gets them: [boxes, c, rows, columns].
        places: int64: the row of out of each box, for boxes that are some of it; None: the first, the second, ...
    """
    places = np.arange(len(grid.owner)) if places is None else places
    if _worth_turning(x.shape, out.shape, grid):
        aligned_channels.align(x, grid, out, places)
    else:
        _align(x, *grid, places, out)


def align_back(gradient: np.ndarray, grid: Grid, out: np.ndarray) -> None:
    """Write the gradient of x for a gradient of what :func:`align` writes."""
    parts = min(number_of_threads(), max(out.shape[1], 1))
    if _worth_turning(out.shape, gradient.shape, grid):
        aligned_channels.align_back(gradient, grid, out, parts)
    else:
        _align_back(gradient, *grid, out, parts)


def _worth_turning(image: Sizes, result: Sizes, grid: Grid) -> bool:
    """Whether boxes hold so many samples that a copy of the feature map with channels last pays."""
    samples = int((grid.count_y * grid.count_x).sum()) * result[2] * result[3]
    return image[1] >= LANES and 4 * samples >= image[0] * image[2] * image[3]


def largest(x: np.ndarray, bins: Bins, out: np.ndarray) -> None:
    """Write the place in x, flat, of each bin's largest element to int64 out [boxes, c, rows, columns]; -1 if none."""
    _largest(x, *bins, out)


def position_sensitive(x: np.ndarray, bins: Bins, out: np.ndarray) -> None:
    """Write the mean of each bin, bin (i, j) of channel c from channel (c * rows + i) * columns + j of x."""
    _position_sensitive(x, *bins, out)


def position_sensitive_back(gradient: np.ndarray, bins: Bins, out: np.ndarray) -> None:
    """Write the gradient of x for a gradient of what :func:`position_sensitive` writes."""
    _position_sensitive_back(gradient, *bins, out)


def _samples(start: float, step: float, bins: int, count: int, size: int) -> np.ndarray:
    """Return the matrix [bins * count, size] that interpolates samples along one axis."""
    matrix = np.zeros((bins * count, size))
    for k in range(bins * count):
        place = start + k // count * step + (k % count + 0.5) * step / count
        if -1.0 <= place <= size:
            place = min(max(place, 0.0), size - 1.0)
            low = min(math.floor(place), size - 1)
            matrix[k, low] += 1 - (place - low)
            matrix[k, min(low + 1, size - 1)] += place - low
    return matrix


def _align_matrices(grid: Grid, k: int, pooled: Sizes, size: Sizes) -> tuple[np.ndarray, np.ndarray]:
    ny, nx = int(grid.count_y[k]), int(grid.count_x[k])
    if not ny or not nx:
        return np.zeros((pooled[0], size[0])), np.zeros((pooled[1], size[1]))
    rows = _samples(grid.start_y[k], grid.bin_y[k], pooled[0], ny, size[0]).reshape(pooled[0], ny, -1).mean(1)
    columns = _samples(grid.start_x[k], grid.bin_x[k], pooled[1], nx, size[1]).reshape(pooled[1], nx, -1).mean(1)
    return rows, columns


def align_reference(x: np.ndarray, grid: Grid, pooled: Sizes) -> np.ndarray:
    """The definition of :func:`align` in plain numpy."""
    result = np.zeros((len(grid.owner), x.shape[1], *pooled), x.dtype)
    for k, owner in enumerate(grid.owner):
        rows, columns = _align_matrices(grid, k, pooled, x.shape[2:])
        result[k] = rows @ x[owner] @ columns.T
    return result


def align_back_reference(gradient: np.ndarray, grid: Grid, shape: Sizes) -> np.ndarray:
    """The definition of :func:`align_back` in plain numpy."""
    result = np.zeros(shape, gradient.dtype)
    for k, owner in enumerate(grid.owner):
        rows, columns = _align_matrices(grid, k, gradient.shape[2:], shape[2:])
        result[owner] += rows.T @ gradient[k] @ columns
    return result


def largest_reference(x: np.ndarray, bins: Bins, pooled: Sizes) -> np.ndarray:
    """The definition of :func:`largest` in plain numpy."""
    places = np.arange(x.size).reshape(x.shape)
    result = np.full((len(bins.owner), x.shape[1], *pooled), -1, np.int64)
    for k, c, i, j in np.ndindex(*result.shape):
        inside = np.s_[bins.owner[k], c, bins.top[k, i] : bins.bottom[k, i], bins.left[k, j] : bins.right[k, j]]
        if x[inside].size:
            result[k, c, i, j] = places[inside].flat[x[inside].argmax()]
    return result


def position_sensitive_reference(x: np.ndarray, bins: Bins, pooled: Sizes) -> np.ndarray:
    """The definition of :func:`position_sensitive` in plain numpy."""
    rows, columns = pooled
    result = np.zeros((len(bins.owner), x.shape[1] // (rows * columns), rows, columns), x.dtype)
    for k, c, i, j in np.ndindex(*result.shape):
        plane = x[bins.owner[k], (c * rows + i) * columns + j]
        inside = plane[bins.top[k, i] : bins.bottom[k, i], bins.left[k, j] : bins.right[k, j]]
        result[k, c, i, j] = inside.mean() if inside.size else 0
    return result
