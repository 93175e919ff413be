"""Example calls of division, combination, special functions and running sums."""

from __future__ import annotations

from tests.core.samples import Sample, call

_RUNNING = "cumsum logcumsumexp cummax cummin diff trapezoid cumulative_trapezoid".split()
_PAIRS = "fmax fmin atan2 hypot heaviside logaddexp ldexp floor_divide remainder mod floor_mod".split()
_ONE = "lgamma digamma logit stanh rad2deg deg2rad sgn".split()

SAMPLES: dict[str, list[Sample]] = {
    **{name: [lambda d: call(d.f(2, 3), axis=1), lambda d: call(d.f(4))] for name in _RUNNING},
    **{name: [lambda d: call(d.f(2, 3), d.f(3)), lambda d: call(d.f(), d.f(2))] for name in _PAIRS},
    **{name: [lambda d: call(d.f(2, 3)), lambda d: call(d.f())] for name in _ONE},
    "add_n": [lambda d: call([d.f(2, 3), d.f(2, 3), d.f(2, 3)]), lambda d: call(d.f(2))],
    "cumprod": [lambda d: call(d.f(2, 3), dim=1), lambda d: call(d.f(4))],
    "gcd": [lambda d: call(d.i(2, 3, low=1, high=9), d.i(3, low=1, high=9))],
    "increment": [lambda d: call(d.i(1), 2)],
    "inner": [lambda d: call(d.f(2, 3), d.f(4, 3)), lambda d: call(d.f(3), d.f())],
    "lcm": [lambda d: call(d.i(2, 3, low=1, high=9), d.i(3, low=1, high=9))],
    "lerp": [lambda d: call(d.f(2, 3), d.f(2, 3), 0.3), lambda d: call(d.f(3), d.f(2, 3), d.f(3))],
    "multiplex": [lambda d: call([d.f(2, 3), d.f(2, 3)], d.i(2, 1, high=2))],
    "outer": [lambda d: call(d.f(2), d.f(3))],
    "polygamma": [lambda d: call(d.f(2, 3), 1)],
    "scale": [lambda d: call(d.f(2, 3), 2.0, 1.0), lambda d: call(d.f(2, 3), d.f(1), 1.0, False, "relu")],
}
