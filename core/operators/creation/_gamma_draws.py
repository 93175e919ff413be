"""Draws from the gamma distribution, under core.distribution."""

from __future__ import annotations

from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import float32, float64
from core.operators.arithmetic.math import add, divide, log, log1p, neg
from core.operators.creation.creation import cast, full_like
from core.operators.creation.random import uniform
from core.tensor import Tensor, apply

_gamma = Operator("gamma", "_sample_gamma", infer=lambda metas, options: [metas[0]], differentiable=False, random=True)


def log_gamma_draws(concentration: Tensor) -> Tensor:
    """Draw logarithms of gamma-distributed numbers of scale 1; tiny ones do not become 0, as they would themselves.

    Args:
        concentration: The shape parameter of each draw, above 0; floating-point.

    Returns:
        A tensor of this shape and dtype, without a gradient.
    """
    if not concentration.size:
        return concentration.detach()
    wide = concentration.dtype if concentration.dtype in (float32, float64) else float32
    shape = cast(concentration.detach(), wide)
    above_one = apply(_gamma, add(shape, 1.0), full_like(shape, 1.0))
    return cast(
        add(log(above_one), divide(log1p(neg(uniform(shape.shape, wide, 0.0, 1.0))), shape)), concentration.dtype
    )
