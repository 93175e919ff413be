"""Example calls of Bessel functions, parts of numbers and tables made from one vector."""

from __future__ import annotations

from tests.core.samples import Sample, call

SAMPLES: dict[str, list[Sample]] = {
    **{name: [lambda d: call(d.f(2, 3)), lambda d: call(d.f())] for name in ("i0", "i0e", "i1", "i1e")},
    "angle": [lambda d: call(d.f(2, 3, low=-1.0))],
    "conj": [lambda d: call(d.f(2, 3))],
    "is_complex": [lambda d: call(d.f(2))],
    "combinations": [lambda d: call(d.f(4), 2), lambda d: call(d.i(3), 2, True)],
    "frexp": [lambda d: call(d.f(2, 3))],
    "multigammaln": [lambda d: call(d.f(2, 3, low=1.5, high=3.0), 3)],
    "nextafter": [lambda d: call(d.f(2, 3), d.f(3))],
    "vander": [lambda d: call(d.f(3)), lambda d: call(d.f(3), 2, True)],
}
