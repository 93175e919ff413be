"""Example calls of reductions and products of matrices."""

from __future__ import annotations

from tests.core.samples import Sample, call

_OVER_AXES = "amax amin logsumexp max mean min prod sum".split()

SAMPLES: dict[str, list[Sample]] = {
    **{
        name: [lambda d: call(d.f(2, 3), axis=-1, keepdim=True), lambda d: call(d.f(2, 3)), lambda d: call(d.f())]
        for name in _OVER_AXES
    },
    "addmm": [lambda d: call(d.f(2, 4), d.f(2, 3), d.f(3, 4))],
    "all": [lambda d: call(d.b(2, 3), axis=1)],
    "any": [lambda d: call(d.b(2, 3), axis=1)],
    "bmm": [lambda d: call(d.f(2, 3, 4), d.f(2, 4, 5))],
    "count_nonzero": [lambda d: call(d.f(2, 3))],
    "dot": [lambda d: call(d.f(3), d.f(3))],
    "matmul": [
        lambda d: call(d.f(2, 3), d.f(3, 4)),
        lambda d: call(d.f(2, 1, 3, 4), d.f(5, 4, 2)),
        lambda d: call(d.f(3), d.f(3, 2)),
        lambda d: call(d.f(4, 3), d.f(2, 4), transpose_x=True, transpose_y=True),
    ],
    "mm": [lambda d: call(d.f(2, 3), d.f(3, 4))],
    "mv": [lambda d: call(d.f(2, 3), d.f(3))],
}
