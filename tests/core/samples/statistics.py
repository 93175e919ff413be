"""Example calls of statistics, counts and norms."""

from __future__ import annotations

from tests.core.samples import Sample, call

_OVER_AXES = "var std nansum nanmean median nanmedian".split()

SAMPLES: dict[str, list[Sample]] = {
    **{
        name: [lambda d: call(d.f(2, 3), axis=-1, keepdim=True), lambda d: call(d.f(2, 3)), lambda d: call(d.f(4))]
        for name in _OVER_AXES
    },
    "bincount": [lambda d: call(d.i(6)), lambda d: call(d.i(6), d.f(6), 5)],
    "corrcoef": [lambda d: call(d.f(2, 5))],
    "cov": [lambda d: call(d.f(2, 5)), lambda d: call(d.f(2, 5), fweights=d.i(5, low=1), aweights=d.f(5))],
    "dist": [lambda d: call(d.f(2, 3), d.f(3)), lambda d: call(d.f(2), d.f(2), 3)],
    "histogram": [lambda d: call(d.f(6), 4), lambda d: call(d.i(6), 3, 0, 3)],
    "nanquantile": [lambda d: call(d.f(2, 3), 0.3, axis=1)],
    "norm": [lambda d: call(d.f(2, 3)), lambda d: call(d.f(2, 3), 3, 1), lambda d: call(d.f(2, 3), float("inf"), 0)],
    "quantile": [lambda d: call(d.f(2, 3), [0.3, 0.8], axis=1), lambda d: call(d.f(4), 0.5)],
    "renorm": [lambda d: call(d.f(2, 3), 2.0, 0, 0.5)],
}
