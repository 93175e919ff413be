"""Example calls of the losses over sequences and trees."""

from __future__ import annotations

import core

SAMPLES = {
    "ctc_loss": [
        lambda d: (
            (d.f(5, 2, 4), core.to_tensor([[1, 2], [3, 0]]), core.to_tensor([5, 4]), core.to_tensor([2, 1])),
            {},
        ),
        lambda d: (
            (d.f(3, 1, 3), d.i(1, 1, low=1), core.to_tensor([3]), core.to_tensor([1])),
            {"blank": 0, "reduction": "none", "norm_by_times": True},
        ),
    ],
    "hsigmoid_loss": [lambda d: ((d.f(3, 4), d.i(3, 1), 5, d.f(4, 4), d.f(4, 1)), {})],
    "rnnt_loss": [
        lambda d: (
            (d.f(2, 3, 3, 4), d.i(2, 2, low=1), core.to_tensor([3, 2]), core.to_tensor([2, 1])),
            {"reduction": "sum"},
        ),
    ],
}
