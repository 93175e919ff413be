"""A file like that of VGG-19's authors, with few channels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from PaddleGAN.caffe_vgg import names
from tests.parity.recipe import uniform

CHANNELS = 4


def write_vgg(path: Path) -> dict[str, Any]:
    """Write kernels (3, 3, in, out) and biases as an object in a .npy file; return them."""
    weights: dict[str, Any] = {}
    before = 3
    for name in names():
        bound = (9 * before / 6) ** -0.5
        kernel = uniform(f"vgg {name}", (3, 3, before, CHANNELS), -bound, bound)
        weights[name] = [kernel, uniform(f"vgg {name} bias", (CHANNELS,), 0.0, 0.5)]
        before = CHANNELS
    np.save(path, weights, allow_pickle=True)  # type: ignore[arg-type]  # an object is an array without axes
    return weights
