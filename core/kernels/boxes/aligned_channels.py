"""RoIAlign of many boxes: numba kernels that take all channels of a pixel at once, from a copy with channels last.

The copy costs a pass over the feature map; each sample then reads four runs of memory, which vector instructions add
up.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads
from core.kernels.numeric.channels import channels_last, channels_second


@serial
def _samples(start, step, bins, count, size, places, weights):
    """Write, for each sample along one axis, its two neighbours and their weights; 0 outside the image."""
    for k in range(bins * count):
        place = start + k // count * step + (k % count + 0.5) * step / count
        places[k] = 0
        weights[k] = 0
        if -1.0 <= place <= size:
            place = max(place, 0.0)
            low = min(int(place), size - 1)
            share = place - low if low < size - 1 else 0.0
            places[k, 0], places[k, 1] = low, min(low + 1, size - 1)
            weights[k, 0], weights[k, 1] = 1.0 - share, share


@serial
def _gather(line, one, two, three, four, a, b, c, d):
    for k in range(line.shape[0]):
        line[k] += a * one[k] + b * two[k] + c * three[k] + d * four[k]


@serial
def _spread(line, out, weight):
    for k in range(line.shape[0]):
        out[k] += weight * line[k]


@compiled
def _align(x, width, owner, start_y, start_x, bin_y, bin_x, count_y, count_x, places, result):
    height = x.shape[1] // width
    channels, rows, columns = result.shape[1], result.shape[2], result.shape[3]
    kind = x.dtype.type
    for k in threads(owner.shape[0]):
        ny, nx, place = count_y[k], count_x[k], places[k]
        y, wy = np.empty((rows * ny, 2), np.int64), np.empty((rows * ny, 2))
        z, wz = np.empty((columns * nx, 2), np.int64), np.empty((columns * nx, 2))
        _samples(start_y[k], bin_y[k], rows, ny, height, y, wy)
        _samples(start_x[k], bin_x[k], columns, nx, width, z, wz)
        share = 1.0 / max(ny * nx, 1)
        bins = np.zeros((rows * columns, channels), x.dtype)
        image = x[owner[k]]
        for a in range(rows * ny):
            upper, lower = y[a, 0] * width, y[a, 1] * width
            up, down = wy[a, 0] * share, wy[a, 1] * share
            for b in range(columns * nx):
                left, right = z[b, 0], z[b, 1]
                _gather(
                    bins[a // ny * columns + b // nx],
                    image[upper + left],
                    image[upper + right],
                    image[lower + left],
                    image[lower + right],
                    kind(up * wz[b, 0]),
                    kind(up * wz[b, 1]),
                    kind(down * wz[b, 0]),
                    kind(down * wz[b, 1]),
                )
        for c in range(channels):
            for i in range(rows):
                for j in range(columns):
                    result[place, c, i, j] = bins[i * columns + j, c]


@compiled
def _align_back(g, width, owner, start_y, start_x, bin_y, bin_x, count_y, count_x, result, parts):
    height, channels = result.shape[1] // width, result.shape[2]
    rows, columns = g.shape[2], g.shape[3]
    kind = g.dtype.type
    for part in threads(parts):
        first, last = channels * part // parts, channels * (part + 1) // parts
        result[:, :, first:last] = 0
        bins = np.empty((rows * columns, last - first), g.dtype)
        for k in range(g.shape[0]):
            ny, nx = count_y[k], count_x[k]
            if ny * nx == 0:
                continue
            y, wy = np.empty((rows * ny, 2), np.int64), np.empty((rows * ny, 2))
            z, wz = np.empty((columns * nx, 2), np.int64), np.empty((columns * nx, 2))
            _samples(start_y[k], bin_y[k], rows, ny, height, y, wy)
            _samples(start_x[k], bin_x[k], columns, nx, width, z, wz)
            share = 1.0 / max(ny * nx, 1)
            for c in range(first, last):
                for i in range(rows):
                    for j in range(columns):
                        bins[i * columns + j, c - first] = g[k, c, i, j]
            image = result[owner[k]]
            for a in range(rows * ny):
                for b in range(columns * nx):
                    line = bins[a // ny * columns + b // nx]
                    for p in range(2):
                        for q in range(2):
                            weight = wy[a, p] * wz[b, q] * share
                            if weight != 0:
                                _spread(line, image[y[a, p] * width + z[b, q], first:last], kind(weight))


def align(x: np.ndarray, grid: tuple[np.ndarray, ...], out: np.ndarray, places: np.ndarray) -> None:
    """Do what :func:`core.kernels.boxes.box_pooling.align` does."""
    _align(channels_last(x), x.shape[3], *grid, places, out)


def align_back(gradient: np.ndarray, grid: tuple[np.ndarray, ...], out: np.ndarray, parts: int) -> None:
    """Do what :func:`core.kernels.boxes.box_pooling.align_back` does, with channels in so many parts."""
    images, channels, height, width = out.shape
    turned = np.empty((images, height * width, channels), out.dtype)
    _align_back(np.ascontiguousarray(gradient), width, *grid, turned, parts)
    channels_second(turned, out)
