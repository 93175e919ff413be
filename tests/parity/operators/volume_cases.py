"""Convolutions over time and pixels that are compared with PyTorch's: sizes of inputs, kernels, strides and groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.parity.recipe import uniform

STORED = Path(__file__).with_name("volumes.npz")


class Volume(NamedTuple):
    """One convolution of x (N, C, T, H, W) with a kernel (O, C / groups, ...)."""

    x: Sequence[int]
    kernel: Sequence[int]
    stride: Sequence[int]
    padding: Sequence[int]
    groups: int = 1
    dilation: Sequence[int] = (1, 1, 1)


CASES = {
    "over pixels": Volume((2, 6, 5, 10, 9), (8, 6, 1, 3, 3), (1, 1, 1), (0, 1, 1)),
    "over pixels, strided": Volume((2, 6, 5, 10, 9), (8, 6, 1, 3, 3), (1, 2, 2), (0, 1, 1)),
    "over pixels, wide": Volume((1, 32, 3, 8, 8), (32, 32, 1, 3, 3), (1, 1, 1), (0, 1, 1)),
    "over pixels, grouped": Volume((2, 8, 4, 9, 8), (12, 2, 1, 3, 3), (1, 1, 1), (0, 1, 1), 4),
    "over pixels, dilated": Volume((1, 4, 3, 11, 10), (4, 4, 1, 3, 3), (1, 1, 1), (0, 2, 2), 1, (1, 2, 2)),
    "over time": Volume((2, 6, 7, 5, 4), (8, 6, 3, 1, 1), (1, 1, 1), (1, 0, 0)),
    "over time, wide": Volume((1, 64, 6, 4, 4), (32, 64, 3, 1, 1), (1, 1, 1), (1, 0, 0)),
    "over time, strided": Volume((2, 6, 16, 5, 4), (12, 6, 5, 1, 1), (8, 1, 1), (2, 0, 0)),
    "over time, depthwise": Volume((2, 6, 7, 5, 4), (6, 1, 3, 1, 1), (1, 1, 1), (1, 0, 0), 6),
    "stem": Volume((1, 3, 6, 20, 22), (8, 3, 5, 7, 7), (1, 2, 2), (2, 3, 3)),
    "stem of images": Volume((1, 3, 4, 20, 22), (8, 3, 1, 7, 7), (1, 2, 2), (0, 3, 3)),
    "points": Volume((2, 8, 4, 5, 6), (12, 8, 1, 1, 1), (1, 1, 1), (0, 0, 0)),
    "points, strided": Volume((2, 8, 4, 5, 6), (12, 8, 1, 1, 1), (1, 2, 2), (0, 0, 0)),
    "cubes": Volume((2, 5, 6, 7, 8), (6, 5, 3, 3, 3), (2, 2, 2), (1, 1, 1)),
    "over pixels, of published width": Volume((1, 64, 4, 28, 28), (64, 64, 1, 3, 3), (1, 1, 1), (0, 1, 1)),
    "over time, of published width": Volume((1, 64, 8, 14, 14), (64, 64, 3, 1, 1), (1, 1, 1), (1, 0, 0)),
    "samples": Volume((1, 6, 12, 5, 4), (8, 6, 4, 1, 1), (4, 1, 1), (0, 0, 0)),
}
"""Those of I3D, SlowFast, Non-local networks, StNet and BMN, small."""


def arrays(name: str) -> dict[str, np.ndarray]:
    """Return input, kernel, bias, and directions of gradients, float32.

    Args:
        name: of the case.
    """
    case = CASES[name]
    shapes = {
        "x": case.x,
        "kernel": case.kernel,
        "bias": case.kernel[:1],
        "along x": case.x,
        "along kernel": case.kernel,
    }
    return {key: uniform(f"{name} {key}", shape, -1.0, 1.0) for key, shape in shapes.items()}


def thinned(array: np.ndarray) -> np.ndarray:
    """Return what is stored of an array: numbers at equal distances."""
    flat = array.ravel()
    return flat[:: -(-flat.size // 100)]
