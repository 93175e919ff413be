"""Example calls of core.operators.creation.creation."""

from __future__ import annotations

from tests.core.samples import Sample, call

SAMPLES: dict[str, list[Sample]] = {
    "arange": [lambda d: call(1, 7, 2), lambda d: call(3)],
    "assign": [lambda d: call(d.f(2, 3))],
    "cast": [lambda d: call(d.f(2, 3), "float64"), lambda d: call(d.f(2), "int32")],
    "clone": [lambda d: call(d.f(2, 3))],
    "empty": [lambda d: call([2, 3])],
    "empty_like": [lambda d: call(d.f(2, 3))],
    "eye": [lambda d: call(3, 2)],
    "full": [lambda d: call([2, 3], 1.5), lambda d: call([], 2)],
    "full_like": [lambda d: call(d.f(2, 3), 4)],
    "linspace": [lambda d: call(0, 1, 5)],
    "logspace": [lambda d: call(0, 2, 5), lambda d: call(-1, 1, 3, 2.0)],
    "ones": [lambda d: call([2, 3])],
    "ones_like": [lambda d: call(d.f(2, 3))],
    "to_tensor": [lambda d: call([[1.0, 2.0]])],
    "zeros": [lambda d: call([2, 3])],
    "zeros_like": [lambda d: call(d.f(2, 3))],
}
