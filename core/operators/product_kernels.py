"""The engine's kernels for products of matrices, and which of them pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels import door
from core.kernels.door import Meta
from core.kernels.operator import HostOperator, Operator
from core.tensor import Tensor, apply


def product_shape(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    """Return shape and type of a product of matrices, or of equally shaped batches of them."""
    (first, dtype), (second, _) = metas
    rows = first[-1] if options["transpose_a"] else first[-2]
    columns = second[-2] if options["transpose_b"] else second[-1]
    return [((*first[:-2], rows, columns), dtype)]


def _integer_product(first: np.ndarray, second: np.ndarray, transpose_a: bool, transpose_b: bool) -> np.ndarray:
    first = first.swapaxes(-1, -2) if transpose_a else first
    return np.matmul(first, second.swapaxes(-1, -2) if transpose_b else second)


gemm = Operator("matrix_product", "_linalg_gemm2", infer=product_shape)
integer_matrix_product = HostOperator(
    "integer_matrix_product", _integer_product, infer=product_shape, differentiable=False
)
_inner_products = Operator(
    "inner_products",
    "FullyConnected",
    infer=lambda metas, options: [((*metas[0][0][:-1], metas[1][0][0]), metas[0][1])],
    attributes=lambda metas, options: {"num_hidden": metas[1][0][0], "no_bias": True, "flatten": False},
)
_inner_products_backward = Operator(
    "inner_products_backward",
    "_backward_FullyConnected",
    infer=lambda metas, options: [metas[1], metas[2]],
    attributes=lambda metas, options: {"num_hidden": metas[2][0][0], "no_bias": True, "flatten": False},
    allocate=True,
    differentiable=False,
)



def lowers_products(*operands: Tensor) -> bool:
    """Return whether mixed precision multiplies matrices of these types in 16 bits."""
    return door.lowers(_inner_products, *[operand.dtype for operand in operands])


MOVED_PER_SECOND = 0.7e9
FLOPS_SAVED_PER_SECOND = 1.2e11


def inner_products(x: Tensor, weight: Tensor) -> Tensor:
    """Return ``x @ weight.T`` through the engine's fastest kernel for it.

    Args:
        x: Shape [..., k], floating-point (no float16).
        weight: Shape [n, k], the same dtype.

    Returns:
        A tensor of shape [..., n].
    """
    return apply(_inner_products, x, weight)


def inner_products_backward(gradient: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of :func:`inner_products` in one engine call; they cannot be differentiated again."""
    return apply(_inner_products_backward, gradient, x, weight)


def matrix_product(x: Tensor, y: Tensor) -> Tensor:
    """Return the product of matrices, or of equally shaped batches of them, in float32 or float64, unchecked."""
    return apply(gemm, x, y, transpose_a=False, transpose_b=False)
