"""The primitive that repeats one number, which may be an unknown size."""

from __future__ import annotations

from core.kernels.dispatch.operator import Operator

full_of = Operator(
    "full",
    "_npi_full",
    differentiable=False,
    infer=lambda metas, options: [(options["shape"], options["dtype"])],
)
