"""Example calls of convolution, pooling and normalisation."""

from __future__ import annotations

import numpy as np

import core
from tests.core.samples import Sample, call


def positions(*shape: int) -> core.Tensor:
    """Distinct positions 0, 1, 2 ... of an unpooled map."""
    return core.to_tensor(np.arange(int(np.prod(shape)), dtype="int32").reshape(shape))


SAMPLES: dict[str, list[Sample]] = {
    "adaptive_avg_pool1d": [lambda d: call(d.f(2, 3, 7), 3)],
    "adaptive_avg_pool2d": [lambda d: call(d.f(2, 3, 5, 7), [2, 3]), lambda d: call(d.f(2, 3, 5, 7), 1)],
    "adaptive_avg_pool3d": [lambda d: call(d.f(1, 2, 4, 5, 3), 2)],
    "adaptive_max_pool1d": [lambda d: call(d.f(2, 3, 7), 3)],
    "adaptive_max_pool2d": [lambda d: call(d.f(2, 3, 5, 7), [2, 3])],
    "adaptive_max_pool3d": [lambda d: call(d.f(1, 2, 4, 5, 3), 2)],
    "avg_pool1d": [lambda d: call(d.f(2, 3, 7), 2)],
    "avg_pool2d": [lambda d: call(d.f(2, 3, 5, 6), 2), lambda d: call(d.f(2, 3, 5, 6), 3, 2, 1)],
    "avg_pool3d": [lambda d: call(d.f(1, 2, 4, 5, 3), 2)],
    "batch_norm": [
        lambda d: call(d.f(4, 3, 2).detach(), d.f(3).detach(), d.f(3).detach(), d.f(3), d.f(3)),
        lambda d: call(d.f(4, 3, 2), d.f(3).detach(), d.f(3).detach(), d.f(3), d.f(3), training=True),
    ],
    "conv1d": [lambda d: call(d.f(2, 3, 7), d.f(4, 3, 3), d.f(4))],
    "conv1d_transpose": [lambda d: call(d.f(2, 3, 5), d.f(3, 4, 3), d.f(4), stride=2)],
    "conv2d": [
        lambda d: call(d.f(2, 3, 6, 5), d.f(4, 3, 3, 2), d.f(4), stride=2, padding=1),
        lambda d: call(d.f(2, 4, 6, 5), d.f(4, 1, 3, 3), groups=4),
    ],
    "conv2d_transpose": [lambda d: call(d.f(2, 3, 4, 5), d.f(3, 4, 3, 2), d.f(4), stride=2, padding=1)],
    "conv3d": [lambda d: call(d.f(1, 2, 4, 5, 3), d.f(3, 2, 2, 2, 2), d.f(3))],
    "conv3d_transpose": [lambda d: call(d.f(1, 2, 3, 3, 2), d.f(2, 3, 2, 2, 2), d.f(3), stride=2)],
    "group_norm": [lambda d: call(d.f(2, 4, 3), 2, 1e-5, d.f(4), d.f(4))],
    "instance_norm": [lambda d: call(d.f(2, 3, 4, 5), weight=d.f(3), bias=d.f(3))],
    "masked_batch_norm": [lambda d: call(d.f(2, 3, 4), d.f(2, 3), d.f(4), d.f(4), d.f(4), d.f(4))],
    "layer_norm": [lambda d: call(d.f(2, 3, 4), [3, 4], d.f(3, 4), d.f(3, 4))],
    "local_response_norm": [lambda d: call(d.f(2, 5, 3, 3), 3)],
    "max_pool1d": [lambda d: call(d.f(2, 3, 7), 2)],
    "max_pool2d": [lambda d: call(d.f(2, 3, 5, 6), 3, 2, 1), lambda d: call(d.f(2, 3, 4, 6), 2, return_mask=True)],
    "max_pool3d": [lambda d: call(d.f(1, 2, 4, 5, 3), 2)],
    "max_unpool1d": [lambda d: call(d.f(1, 1, 3), positions(1, 1, 3), 2)],
    "max_unpool2d": [lambda d: call(d.f(1, 1, 2, 2), positions(1, 1, 2, 2), 2)],
    "max_unpool3d": [lambda d: call(d.f(1, 1, 1, 2, 2), positions(1, 1, 1, 2, 2), 2)],
}
