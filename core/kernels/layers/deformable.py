"""Pixels that the taps of a deformable convolution meet: numba kernels, and plain numpy that defines them.

All take the channels of a pixel at once, from copies with channels last. The threads share rows of the result on the
way forward and back to the offsets, and channels on the way back to the images, so the result does not depend on their
number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, summing, threads
from core.kernels.numeric.channels import channels_last, channels_second


class Window(NamedTuple):
    """How the kernel walks over the image, in pixels along height and width."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]


@serial
def _neighbours(y, z, height, width, places, shares):
    """Write where the four pixels around a place are, and what each weighs: those outside the image nothing."""
    top, left = int(np.floor(y)), int(np.floor(z))
    for k in range(4):
        row, column = top + k // 2, left + k % 2
        places[k] = 0
        shares[k] = 0.0
        if 0 <= row < height and 0 <= column < width:
            places[k] = row * width + column
            shares[k] = (y - top if k // 2 else 1 - (y - top)) * (z - left if k % 2 else 1 - (z - left))


@serial
def _mix(line, one, two, three, four, a, b, c, d):
    for k in range(line.shape[0]):
        line[k] = a * one[k] + b * two[k] + c * three[k] + d * four[k]


@serial
def _spread(line, out, weight):
    for k in range(line.shape[0]):
        out[k] += weight * line[k]


@summing
def _product(one, two):
    total = one.dtype.type(0)
    for k in range(one.shape[0]):
        total += one[k] * two[k]
    return total


@compiled
def _columns(x, size, offset, mask, kernel, stride, padding, dilation, out):
    groups, taps, rows, columns = offset.shape[1], offset.shape[2], offset.shape[4], offset.shape[5]
    each = x.shape[2] // groups
    kind = x.dtype.type
    for item in threads(x.shape[0] * rows):
        n, i = item // rows, item % rows
        image = x[n]
        places, shares = np.zeros(4, np.int64), np.zeros(4)
        for j in range(columns):
            for tap in range(taps):
                for group in range(groups):
                    first = group * each
                    last = first + each
                    y = i * stride[0] - padding[0] + tap // kernel[1] * dilation[0] + offset[n, group, tap, 0, i, j]
                    z = j * stride[1] - padding[1] + tap % kernel[1] * dilation[1] + offset[n, group, tap, 1, i, j]
                    line = out[n, i, j, tap, first:last]
                    if not (y > -1 and z > -1 and y < size[0] and z < size[1]):
                        for k in range(each):
                            line[k] = 0
                        continue
                    _neighbours(y, z, size[0], size[1], places, shares)
                    weight = mask[n, group, tap, i, j]
                    _mix(
                        line,
                        image[places[0], first:last],
                        image[places[1], first:last],
                        image[places[2], first:last],
                        image[places[3], first:last],
                        kind(shares[0] * weight),
                        kind(shares[1] * weight),
                        kind(shares[2] * weight),
                        kind(shares[3] * weight),
                    )


@compiled
def _image_back(g, size, offset, mask, kernel, stride, padding, dilation, out, parts):
    groups, taps, rows, columns = offset.shape[1], offset.shape[2], offset.shape[4], offset.shape[5]
    channels = out.shape[2]
    each = channels // groups
    kind = g.dtype.type
    for part in threads(parts):
        begin, end = channels * part // parts, channels * (part + 1) // parts
        out[:, :, begin:end] = 0
        places, shares = np.zeros(4, np.int64), np.zeros(4)
        for n in range(out.shape[0]):
            for i in range(rows):
                for j in range(columns):
                    for tap in range(taps):
                        for group in range(begin // each, (end + each - 1) // each):
                            first, last = max(begin, group * each), min(end, (group + 1) * each)
                            y = i * stride[0] - padding[0] + tap // kernel[1] * dilation[0]
                            z = j * stride[1] - padding[1] + tap % kernel[1] * dilation[1]
                            y += offset[n, group, tap, 0, i, j]
                            z += offset[n, group, tap, 1, i, j]
                            if not (y > -1 and z > -1 and y < size[0] and z < size[1]):
                                continue
                            _neighbours(y, z, size[0], size[1], places, shares)
                            line = g[n, i, j, tap, first:last]
                            for k in range(4):
                                weight = shares[k] * mask[n, group, tap, i, j]
                                if weight != 0:
                                    _spread(line, out[n, places[k], first:last], kind(weight))


@compiled
def _places_back(g, x, size, offset, mask, kernel, stride, padding, dilation, offset_out, mask_out):
    groups, taps, rows, columns = offset.shape[1], offset.shape[2], offset.shape[4], offset.shape[5]
    each = x.shape[2] // groups
    for item in threads(x.shape[0] * rows):
        n, i = item // rows, item % rows
        image = x[n]
        products = np.zeros(4)
        for j in range(columns):
            for tap in range(taps):
                for group in range(groups):
                    first = group * each
                    last = first + each
                    y = i * stride[0] - padding[0] + tap // kernel[1] * dilation[0] + offset[n, group, tap, 0, i, j]
                    z = j * stride[1] - padding[1] + tap % kernel[1] * dilation[1] + offset[n, group, tap, 1, i, j]
                    factor = mask[n, group, tap, i, j]
                    products[:] = 0
                    dy, dz = 0.0, 0.0
                    if y > -1 and z > -1 and y < size[0] and z < size[1]:
                        top, left = int(np.floor(y)), int(np.floor(z))
                        dy, dz = y - top, z - left
                        line = g[n, i, j, tap, first:last]
                        for k in range(4):
                            row, column = top + k // 2, left + k % 2
                            if 0 <= row < size[0] and 0 <= column < size[1]:
                                products[k] = _product(line, image[row * size[1] + column, first:last])
                    upper = (1 - dz) * products[0] + dz * products[1]
                    lower = (1 - dz) * products[2] + dz * products[3]
                    before, after = products[1] - products[0], products[3] - products[2]
                    offset_out[n, group, tap, 0, i, j] = (lower - upper) * factor
                    offset_out[n, group, tap, 1, i, j] = ((1 - dy) * before + dy * after) * factor
                    mask_out[n, group, tap, i, j] = (1 - dy) * upper + dy * lower


def columns(x: np.ndarray, offset: np.ndarray, mask: np.ndarray, window: Window, out: np.ndarray) -> None:
    """Write the pixels that each tap of the kernel meets, interpolated and weighted; 0 outside the image.

    Args:
        x: Images [n, channels, height, width].
        offset: How far each tap is moved down and to the right, in pixels: [n, groups, taps, 2, rows, columns].
        mask: Weights [n, groups, taps, rows, columns].
        window: How the kernel walks.
        out: Memory for the result [n, rows * columns, taps * channels].
    """
    _columns(channels_last(x), x.shape[2:], offset, mask, *window, _apart(out, offset))


def image_back(gradient: np.ndarray, offset: np.ndarray, mask: np.ndarray, window: Window, out: np.ndarray) -> None:
    """Write the images' gradient for a gradient of what :func:`columns` writes."""
    images, channels, height, width = out.shape
    turned = np.empty((images, height * width, channels), out.dtype)
    parts = min(number_of_threads(), channels)
    _image_back(_apart(gradient, offset), (height, width), offset, mask, *window, turned, parts)
    channels_second(turned, out)


def places_back(
    gradient: np.ndarray,
    x: np.ndarray,
    offset: np.ndarray,
    mask: np.ndarray,
    window: Window,
    out: tuple[np.ndarray, np.ndarray],
) -> None:
    """Write the gradients of offsets and mask for a gradient of what :func:`columns` writes."""
    _places_back(_apart(gradient, offset), channels_last(x), x.shape[2:], offset, mask, *window, *out)


def _apart(columns: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Return what :func:`columns` writes with five axes: images, rows, columns, taps, channels."""
    return np.ascontiguousarray(columns).reshape(len(columns), *offset.shape[4:], offset.shape[2], -1)


def columns_reference(x: np.ndarray, offset: np.ndarray, mask: np.ndarray, window: Window) -> np.ndarray:
    """The definition of :func:`columns` in plain numpy."""
    batch, channels, height, width = x.shape
    groups, taps, _, rows, across = offset.shape[1:]
    result = np.zeros((batch, rows, across, taps, channels), x.dtype)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    for n, i, j, tap, c in np.ndindex(*result.shape):
        group = c // (channels // groups)
        start = [i * window.stride[0] - window.padding[0], j * window.stride[1] - window.padding[1]]
        steps = [tap // window.kernel[1] * window.dilation[0], tap % window.kernel[1] * window.dilation[1]]
        y, z = (start[a] + steps[a] + offset[n, group, tap, a, i, j] for a in (0, 1))
        if -1 < y < height and -1 < z < width:
            top, left = int(np.floor(y)), int(np.floor(z))
            weights = np.outer([1 - (y - top), y - top], [1 - (z - left), z - left])
            patch = padded[n, c, top + 1 : top + 3, left + 1 : left + 3]
            result[n, i, j, tap, c] = (weights * patch).sum() * mask[n, group, tap, i, j]
    return result.reshape(batch, rows * across, taps * channels)
