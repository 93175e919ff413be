"""Products with a bias in one engine call, where the engine's kernel for them repays transposing the weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels import door
from core.kernels.dimension import example, same_shape
from core.kernels.door import Meta
from core.kernels.dtypes import float32
from core.kernels.operator import Operator
from core.operators.linalg import FLOPS_SAVED_PER_SECOND, MOVED_PER_SECOND, matmul, swap_last
from core.tensor import Tensor, apply


def _options(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    return {"num_hidden": metas[-1][0][0], "no_bias": False, "flatten": False}


_affine = Operator(
    "affine",
    "FullyConnected",
    infer=lambda metas, options: [((*metas[0][0][:-1], metas[1][0][0]), metas[0][1])],
    attributes=_options,
)
affine_backward = Operator(
    "affine_backward",
    "_backward_FullyConnected",
    infer=lambda metas, options: [metas[1], metas[2], (metas[2][0][:1], metas[2][1])],
    attributes=lambda metas, options: {"num_hidden": metas[2][0][0], "no_bias": False, "flatten": False},
    allocate=True,
    differentiable=False,
    trap=True,
)


def affine_map(x: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Tensor:
    """Return ``x @ weight + bias`` for checked shapes [..., k], [k, n] and any bias that broadcasts."""
    if bias is None:
        return matmul(x, weight)
    inputs, outputs = weight.shape
    if door.lowers(_affine, x.dtype, weight.dtype, bias.dtype) and x.size and same_shape(bias.shape, (outputs,)):
        return apply(_affine, x, swap_last(weight), bias)  # type: ignore[no-any-return]
    one_type = x.dtype is float32 and weight.dtype is float32 and bias.dtype is float32
    if one_type and x.size and same_shape(bias.shape, (outputs,)):
        saved = example(x.size * outputs) / FLOPS_SAVED_PER_SECOND
        if saved > example(inputs * outputs) / MOVED_PER_SECOND + 2e-5:
            return apply(_affine, x, swap_last(weight), bias)  # type: ignore[no-any-return]
    return matmul(x, weight) + bias  # type: ignore[operator, no-any-return]
