"""Example calls of activation functions."""

from __future__ import annotations

from tests.core.samples import Sample, call

_PLAIN = (
    "celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu log_sigmoid log_softmax mish relu relu6 rrelu"
    " selu sigmoid silu softmax softplus softshrink softsign swish tanhshrink thresholded_relu"
).split()
_IN_PLACE = "elu_ hardtanh_ leaky_relu_ relu_ softmax_ tanh_ thresholded_relu_".split()

SAMPLES: dict[str, list[Sample]] = {
    **{name: [lambda d: call(d.f(2, 3, low=-2.1, high=2.2))] for name in _PLAIN},
    **{name: [lambda d: call(d.f(2, 3, low=-2.1, high=2.2) * 1.0)] for name in _IN_PLACE},
    "glu": [lambda d: call(d.f(2, 4))],
    "gumbel_softmax": [lambda d: call(d.f(2, 4))],
    "maxout": [lambda d: call(d.f(2, 4, 3), 2)],
    "prelu": [lambda d: call(d.f(2, 3, 4, low=-1.0), d.f(3))],
}
