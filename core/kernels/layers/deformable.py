"""Columns of a deformable convolution: numba kernels, and plain numpy that defines them.

The threads share rows of the result on the way forward, planes of the image on the way back to it, and taps on the way
back to the offsets, so the result does not depend on their number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.kernels.engine.compiled import compiled, threads


class Window(NamedTuple):
    """How the kernel walks over the image, in pixels along height and width."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]


@compiled
def _columns(x, offset, mask, kernel, stride, padding, dilation, out):
    batch, channels, height, width = x.shape
    groups, taps, rows, columns = offset.shape[1], offset.shape[2], offset.shape[4], offset.shape[5]
    per_group = channels // groups
    kind = x.dtype.type
    for item in threads(batch * groups * taps * rows):
        n, group = item // rows // taps // groups, item // rows // taps % groups
        tap, i = item // rows % taps, item % rows
        places, weights = np.zeros((4, columns), np.int64), np.zeros((4, columns), x.dtype)
        inside = np.zeros(columns, np.bool_)
        base_y = i * stride[0] - padding[0] + tap // kernel[1] * dilation[0]
        base_z = tap % kernel[1] * dilation[1] - padding[1]
        for j in range(columns):
            y = base_y + offset[n, group, tap, 0, i, j]
            z = j * stride[1] + base_z + offset[n, group, tap, 1, i, j]
            if y > -1 and z > -1 and y < height and z < width:
                inside[j] = True
                top, left = int(np.floor(y)), int(np.floor(z))
                dy, dz = y - top, z - left
                for k in range(4):  # a neighbour outside the image weighs nothing, and another one stands for it
                    row, column = top + k // 2, left + k % 2
                    share = (dy if k // 2 else 1 - dy) * (dz if k % 2 else 1 - dz)
                    if row < 0 or column < 0 or row >= height or column >= width:
                        share = 0.0
                    row, column = min(max(row, 0), height - 1), min(max(column, 0), width - 1)
                    places[k, j] = row * width + column
                    weights[k, j] = kind(share * mask[n, group, tap, i, j])
        for c in range(group * per_group, (group + 1) * per_group):
            plane, line = x[n, c].ravel(), out[n, c, tap, i]
            for j in range(columns):
                value = weights[0, j] * plane[places[0, j]] + weights[1, j] * plane[places[1, j]]
                value += weights[2, j] * plane[places[2, j]] + weights[3, j] * plane[places[3, j]]
                line[j] = value if inside[j] else kind(0)


@compiled
def _image_back(g, offset, mask, kernel, stride, padding, dilation, out):
    batch, channels, height, width = out.shape
    groups, rows, columns = offset.shape[1], offset.shape[4], offset.shape[5]
    per_group = channels // groups
    for item in threads(batch * channels):
        n, c = item // channels, item % channels
        group = c // per_group
        plane = out[n, c]
        plane[:] = 0
        for tap in range(kernel[0] * kernel[1]):
            for i in range(rows):
                base_y = i * stride[0] - padding[0] + tap // kernel[1] * dilation[0]
                for j in range(columns):
                    y = base_y + offset[n, group, tap, 0, i, j]
                    z = j * stride[1] - padding[1] + tap % kernel[1] * dilation[1] + offset[n, group, tap, 1, i, j]
                    if y > -1 and z > -1 and y < height and z < width:
                        value = g[n, c, tap, i, j] * mask[n, group, tap, i, j]
                        top, left = int(np.floor(y)), int(np.floor(z))
                        dy, dz = y - top, z - left
                        if top >= 0 and left >= 0:
                            plane[top, left] += (1 - dy) * (1 - dz) * value
                        if top >= 0 and left + 1 < width:
                            plane[top, left + 1] += (1 - dy) * dz * value
                        if top + 1 < height and left >= 0:
                            plane[top + 1, left] += dy * (1 - dz) * value
                        if top + 1 < height and left + 1 < width:
                            plane[top + 1, left + 1] += dy * dz * value


@compiled
def _places_back(g, x, offset, mask, kernel, stride, padding, dilation, offset_out, mask_out):
    batch, channels, height, width = x.shape
    groups, taps, rows, columns = offset.shape[1], offset.shape[2], offset.shape[4], offset.shape[5]
    per_group = channels // groups
    for item in threads(batch * groups * taps):
        n, group, tap = item // (groups * taps), item // taps % groups, item % taps
        for i in range(rows):
            base_y = i * stride[0] - padding[0] + tap // kernel[1] * dilation[0]
            for j in range(columns):
                y = base_y + offset[n, group, tap, 0, i, j]
                z = j * stride[1] - padding[1] + tap % kernel[1] * dilation[1] + offset[n, group, tap, 1, i, j]
                along_y = 0.0
                along_z = 0.0
                along_mask = 0.0
                if y > -1 and z > -1 and y < height and z < width:
                    top, left = int(np.floor(y)), int(np.floor(z))
                    dy, dz = y - top, z - left
                    above, below = top >= 0, top + 1 < height
                    before, after = left >= 0, left + 1 < width
                    for c in range(group * per_group, (group + 1) * per_group):
                        value = g[n, c, tap, i, j]
                        one = x[n, c, top, left] if above and before else 0.0
                        two = x[n, c, top, left + 1] if above and after else 0.0
                        three = x[n, c, top + 1, left] if below and before else 0.0
                        four = x[n, c, top + 1, left + 1] if below and after else 0.0
                        upper = (1 - dz) * one + dz * two
                        lower = (1 - dz) * three + dz * four
                        along_mask += value * ((1 - dy) * upper + dy * lower)
                        along_y += value * (lower - upper)
                        along_z += value * ((1 - dy) * (two - one) + dy * (four - three))
                factor = mask[n, group, tap, i, j]
                offset_out[n, group, tap, 0, i, j] = along_y * factor
                offset_out[n, group, tap, 1, i, j] = along_z * factor
                mask_out[n, group, tap, i, j] = along_mask


def columns(x: np.ndarray, offset: np.ndarray, mask: np.ndarray, window: Window, out: np.ndarray) -> None:
    """Write the pixels that each tap of the kernel meets, interpolated and weighted; 0 outside the image.

    Args:
        x: Images [n, channels, height, width].
        offset: How far each tap is moved down and to the right, in pixels: [n, groups, taps, 2, rows, columns].
        mask: Weights [n, groups, taps, rows, columns].
        window: How the kernel walks.
        out: Memory for the result [n, channels, taps, rows, columns].
    """
    _columns(np.ascontiguousarray(x), offset, mask, *window, out)


def image_back(gradient: np.ndarray, offset: np.ndarray, mask: np.ndarray, window: Window, out: np.ndarray) -> None:
    """Write the images' gradient for a gradient of what :func:`columns` writes."""
    _image_back(gradient, offset, mask, *window, out)


def places_back(
    gradient: np.ndarray,
    x: np.ndarray,
    offset: np.ndarray,
    mask: np.ndarray,
    window: Window,
    out: tuple[np.ndarray, np.ndarray],
) -> None:
    """Write the gradients of offsets and mask for a gradient of what :func:`columns` writes."""
    _places_back(gradient, x, offset, mask, *window, *out)


def columns_reference(x: np.ndarray, offset: np.ndarray, mask: np.ndarray, window: Window) -> np.ndarray:
    """The definition of :func:`columns` in plain numpy."""
    batch, channels, height, width = x.shape
    groups, taps, _, rows, across = offset.shape[1:]
    result = np.zeros((batch, channels, taps, rows, across), x.dtype)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    for n, c, tap, i, j in np.ndindex(*result.shape):
        group = c // (channels // groups)
        start = [i * window.stride[0] - window.padding[0], j * window.stride[1] - window.padding[1]]
        steps = [tap // window.kernel[1] * window.dilation[0], tap % window.kernel[1] * window.dilation[1]]
        y, z = (start[a] + steps[a] + offset[n, group, tap, a, i, j] for a in (0, 1))
        if -1 < y < height and -1 < z < width:
            top, left = int(np.floor(y)), int(np.floor(z))
            weights = np.outer([1 - (y - top), y - top], [1 - (z - left), z - left])
            patch = padded[n, c, top + 1 : top + 3, left + 1 : left + 3]
            result[n, c, tap, i, j] = (weights * patch).sum() * mask[n, group, tap, i, j]
    return result
