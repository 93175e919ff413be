"""Images with channels last, and back: numba kernels, for others that take all channels of a pixel at once."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, threads

BLOCK = 64
"""So many pixels are turned at once: their channels stay in the second-nearest memory."""


@compiled
def _put_last(x, result):
    channels, pixels = x.shape[1], x.shape[2]
    blocks = (pixels + BLOCK - 1) // BLOCK
    for task in threads(x.shape[0] * blocks):
        n, first = task // blocks, task % blocks * BLOCK
        last = min(first + BLOCK, pixels)
        for c in range(channels):
            for p in range(first, last):
                result[n, p, c] = x[n, c, p]


@compiled
def _put_second(x, result):
    channels, pixels = x.shape[2], x.shape[1]
    blocks = (pixels + BLOCK - 1) // BLOCK
    for task in threads(x.shape[0] * blocks):
        n, first = task // blocks, task % blocks * BLOCK
        last = min(first + BLOCK, pixels)
        for c in range(channels):
            for p in range(first, last):
                result[n, c, p] = x[n, p, c]


def channels_last(x: np.ndarray) -> np.ndarray:
    """Return a copy [n, height * width, channels] of images [n, channels, height, width]."""
    images, channels, height, width = x.shape
    result = np.empty((images, height * width, channels), x.dtype)
    _put_last(np.ascontiguousarray(x).reshape(images, channels, height * width), result)
    return result


def channels_second(x: np.ndarray, out: np.ndarray) -> None:
    """Write [n, height * width, channels] to images [n, channels, height, width], which lie in one piece."""
    images, channels, height, width = out.shape
    _put_second(x, out.reshape(images, channels, height * width))
