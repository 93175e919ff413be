"""Example calls of random operators."""

from __future__ import annotations

import core
from tests.core.samples import Sample, call

SAMPLES: dict[str, list[Sample]] = {
    "bernoulli": [lambda d: call(d.f(2, 3))],
    "get_rng_state": [lambda d: call()],
    "multinomial": [lambda d: call(d.f(2, 5), 3), lambda d: call(d.f(3), 6, True)],
    "normal": [lambda d: call(0.0, 1.0, [2, 3]), lambda d: call(d.f(2, 1), d.f(3))],
    "poisson": [lambda d: call(d.f(2, 3))],
    "rand": [lambda d: call([2, 3])],
    "randint": [lambda d: call(0, 5, [3])],
    "randint_like": [lambda d: call(d.i(2, 3), 0, 5)],
    "randn": [lambda d: call([2, 3])],
    "randperm": [lambda d: call(5)],
    "seed": [lambda d: call(7)],
    "set_rng_state": [lambda d: call(core.get_rng_state())],
    "standard_normal": [lambda d: call([2, 3])],
    "uniform": [lambda d: call([2, 3]), lambda d: call([3], min=0.0, max=2.0, seed=4)],
}
