"""Example calls of element-wise operators (core.operators.math, logic)."""

from __future__ import annotations

from tests.core.samples import Sample, call

_UNARY = (
    "abs acos asin atan atanh ceil cos cosh asinh erf erfinv exp expm1 floor log log10 log1p log2 neg reciprocal rsqrt"
    " sign sin sinh sqrt square tan tanh trunc"
).split()
_BINARY = (
    "add subtract multiply divide maximum minimum pow equal not_equal less_than less_equal greater_than greater_equal"
).split()

SAMPLES: dict[str, list[Sample]] = {
    **{name: [lambda d: call(d.f(2, 3)), lambda d: call(d.f())] for name in _UNARY},
    **{name: [lambda d: call(d.f(2, 3), d.f(3)), lambda d: call(d.f(2), 0.5)] for name in _BINARY},
    "acosh": [lambda d: call(d.f(2, 3, low=1.2, high=2.0))],
}
