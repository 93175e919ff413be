"""Example calls of resampling, grids and pixel rearrangement."""

from __future__ import annotations

from tests.core.samples import Sample, call

SAMPLES: dict[str, list[Sample]] = {
    "affine_grid": [lambda d: call(d.f(2, 2, 3), [2, 3, 4, 5])],
    "channel_shuffle": [lambda d: call(d.f(2, 4, 3, 2), 2)],
    "fold": [lambda d: call(d.f(1, 8, 4), [3, 3], [2, 2])],
    "grid_sample": [lambda d: call(d.f(2, 3, 4, 5), d.f(2, 2, 3, 2))],
    "interpolate": [
        lambda d: call(d.f(2, 3, 4, 5), scale_factor=2),
        lambda d: call(d.f(2, 3, 4, 5), size=[3, 7], mode="bilinear"),
    ],
    "pixel_shuffle": [lambda d: call(d.f(1, 4, 2, 3), 2)],
    "pixel_unshuffle": [lambda d: call(d.f(1, 2, 4, 6), 2)],
    "upsample": [lambda d: call(d.f(2, 3, 4, 5), scale_factor=2)],
}
