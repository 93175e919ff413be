"""The feature maps of VGG-19 by its authors' weights, which AnimeGAN compares pictures in.

Paper: Simonyan and Zisserman, "Very deep convolutional networks for large-scale image recognition", ICLR 2015,
https://arxiv.org/abs/1409.1556
The weights are those of the authors' Caffe file, as ppgan publishes them: activations are much larger than
those of networks that are trained on normalised pictures, and AnimeGAN's weights of losses go by them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.weights import WeightRecord, fetch
from core.weights.formats.npy_object import read_npy_object

CONVOLUTIONS = (2, 2, 4, 4)
"""In each of the four blocks; a pooling layer follows each block."""

RECORD = WeightRecord(
    url="https://paddlegan.bj.bcebos.com/models/vgg19_no_fc.npy",
    sha256=None,
    preprocessing=None,
    class_count=None,
    license="CC-BY-4.0",
    source="PaddlePaddle/PaddleGAN 2.1, after http://www.robots.ox.ac.uk/~vgg/research/very_deep/",
    paper="Very deep convolutional networks, https://arxiv.org/abs/1409.1556",
)
"""The published file."""

_MEAN = (103.939, 116.779, 123.68)
"""Of blue, green and red, 0 to 255."""


class CaffeVGG19(nn.Layer):
    """Pictures (N, 3, H, W), -1 to 1, to what the last convolution of the fourth block gives, (N, 512, H / 8, W / 8).

    Args:
        path: the weights: the published .npy file, or one like it, which also says how many channels there are. None:
            the published one, downloaded on first use.

    Raises:
        FileNotFoundError: there is no such file.
        ConnectionError: the published file is neither in the cache nor within reach; the message says where to put it.
        ValueError: the file holds something else.
    """

    def __init__(self, path: Optional[str] = None) -> None:
        super().__init__()
        source = os.fspath(fetch(RECORD)) if path is None else path
        content, before = read_npy_object(source), 3
        for name in names():
            kernel, bias = _layer(content, name, before, source)
            layer = nn.Conv2D(before, len(bias), 3, padding=1)
            layer.set_state_dict({"weight": kernel, "bias": bias})
            setattr(self, name, layer)
            before = len(bias)
        for parameter in self.parameters():
            parameter.stop_gradient = True
        self.register_buffer("mean", core.to_tensor(np.array(_MEAN, np.float32).reshape(1, 3, 1, 1)), persistable=False)
        self.eval()

    def forward(self, x: Any) -> Any:
        """Return the feature maps, before their ReLU."""
        red, green, blue = core.split((x * 0.5 + 0.5) * 255.0, 3, axis=1)
        x = core.concat([blue, green, red], axis=1) - self.mean
        *inner, last = names()
        for name, following in zip(inner, [*inner[1:], last]):
            x = F.relu(getattr(self, name)(x))
            if name[4] != following[4]:
                x = F.max_pool2d(x, 2, 2)
        return getattr(self, last)(x)


def names() -> list[str]:
    """Return the names of the convolutions: conv1_1, conv1_2, conv2_1 and so on."""
    return [
        f"conv{block}_{number}" for block, count in enumerate(CONVOLUTIONS, start=1) for number in range(1, count + 1)
    ]


def _layer(content: Any, name: str, channels: int, source: str) -> tuple[np.ndarray, np.ndarray]:
    """Return kernel (out, in, 3, 3) and bias of a convolution that a file holds as [kernel (3, 3, in, out), bias]."""
    pair = content.get(name) if isinstance(content, Mapping) else None
    kernel, bias = pair[:2] if isinstance(pair, (list, tuple)) and len(pair) >= 2 else (None, None)
    fine = isinstance(kernel, np.ndarray) and isinstance(bias, np.ndarray) and bias.ndim == 1
    if not fine or kernel.shape != (3, 3, channels, len(bias)) or kernel.dtype.kind != "f":
        raise ValueError(
            f"{source!r} holds no weights of VGG-19: {name} is to be a kernel (3, 3, {channels}, channels) and a bias"
        )
    return np.ascontiguousarray(kernel.transpose(3, 2, 0, 1), np.float32), bias.astype(np.float32)
