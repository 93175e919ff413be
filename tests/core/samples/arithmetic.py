"""Example calls of element-wise operators (core.operators.arithmetic.math, rounding, logic)."""

from __future__ import annotations

from tests.core.samples import Sample, call

_UNARY = (
    "abs acos asin atan atanh ceil cos cosh asinh erf erfinv exp expm1 floor log log10 log1p log2 neg reciprocal rsqrt"
    " sign sin sinh sqrt square tan tanh trunc frac isfinite isinf isnan nan_to_num round"
).split()
_BINARY = (
    "add subtract multiply divide maximum minimum pow equal not_equal less_than less_equal greater_than greater_equal"
).split()
_TRUTH = "logical_and logical_or logical_xor".split()
_BITS = "bitwise_and bitwise_or bitwise_xor".split()

SAMPLES: dict[str, list[Sample]] = {
    **{name: [lambda d: call(d.f(2, 3)), lambda d: call(d.f())] for name in _UNARY},
    **{name: [lambda d: call(d.f(2, 3), d.f(3)), lambda d: call(d.f(2), 0.5)] for name in _BINARY},
    **{name: [lambda d: call(d.b(2, 3), d.b(3))] for name in _TRUTH},
    **{name: [lambda d: call(d.i(2, 3), d.i(3)), lambda d: call(d.b(2, 3), d.b(3))] for name in _BITS},
    "acosh": [lambda d: call(d.f(2, 3, low=1.2, high=2.0))],
    "allclose": [lambda d: call(d.f(2, 3), d.f(2, 3))],
    "bitwise_not": [lambda d: call(d.i(2, 3)), lambda d: call(d.b(3))],
    "clip": [lambda d: call(d.f(2, 3), 0.3, 0.7)],
    "equal_all": [lambda d: call(d.f(2, 3), d.f(2, 3))],
    "is_empty": [lambda d: call(d.f(2, 3))],
    "is_tensor": [lambda d: call(d.f(2, 3))],
    "isclose": [lambda d: call(d.f(2, 3), d.f(2, 3))],
    "logical_not": [lambda d: call(d.b(2, 3))],
}
