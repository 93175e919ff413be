"""Example calls of core.operators.manipulation and reduction."""

from __future__ import annotations

from tests.core.samples import Sample, call

SAMPLES: dict[str, list[Sample]] = {
    "broadcast_to": [lambda d: call(d.f(3, 1), [2, 3, 4])],
    "reshape": [lambda d: call(d.f(2, 3), [3, -1])],
    "squeeze": [lambda d: call(d.f(2, 1, 3), 1)],
    "sum": [lambda d: call(d.f(2, 3), axis=-1, keepdim=True), lambda d: call(d.f(2, 3))],
    "transpose": [lambda d: call(d.f(2, 3, 4), [2, 0, 1])],
    "unsqueeze": [lambda d: call(d.f(2, 3), [0, -1])],
}
