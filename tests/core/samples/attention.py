"""Example calls of attention."""

from __future__ import annotations

import core

SAMPLES = {
    "scaled_dot_product_attention": [
        lambda d: ((d.f(2, 3, 2, 4), d.f(2, 5, 2, 4), d.f(2, 5, 2, 4)), {"is_causal": True}),
        lambda d: (
            (d.f(1, 2, 2, 4), d.f(1, 2, 2, 4), d.f(1, 2, 2, 4), core.to_tensor([[True, False], [True, True]])),
            {},
        ),
    ],
}
