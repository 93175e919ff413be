"""Primitives that multiply matrices; what computes one is chosen in core.kernels.lowerings.products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator, Operator


def product_shape(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    """Return shape and type of a product of matrices, or of equally shaped batches of them."""
    (first, dtype), (second, _) = metas
    rows = first[-1] if options["transpose_a"] else first[-2]
    columns = second[-2] if options["transpose_b"] else second[-1]
    return [((*first[:-2], rows, columns), dtype)]


def _check_product(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (first, first_type), (second, second_type) = metas[:2]
    fit = len(first) == len(second) >= 2 and first[:-2] == second[:-2] and first_type is second_type
    if not fit or first[-2 if options["transpose_a"] else -1] != second[-1 if options["transpose_b"] else -2]:
        raise OperatorError(
            f"matrix_product: {first_type.name}{list(first)}{' transposed' if options['transpose_a'] else ''} and"
            f" {second_type.name}{list(second)}{' transposed' if options['transpose_b'] else ''} do not fit each other"
        )


def _check_product_backward(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    _check_product(metas[1:3], options)
    ((shape, dtype),) = product_shape(metas[1:3], options)
    if metas[0] != (shape, dtype):
        raise OperatorError(
            f"matrix_product_backward: the gradient is {metas[0][1].name}{list(metas[0][0])}, the product"
            f" {dtype.name}{list(shape)}"
        )


def _integer_product(first: np.ndarray, second: np.ndarray, transpose_a: bool, transpose_b: bool) -> np.ndarray:
    first = first.swapaxes(-1, -2) if transpose_a else first
    return np.matmul(first, second.swapaxes(-1, -2) if transpose_b else second)


product = Operator("matrix_product", "_linalg_gemm2", check=_check_product, infer=product_shape)
integer_matrix_product = HostOperator(
    "integer_matrix_product", _integer_product, infer=product_shape, differentiable=False
)
product_backward = Operator(  # from the gradient, both matrices, and what the forward computation kept
    "matrix_product_backward",
    None,
    check=_check_product_backward,
    infer=lambda metas, options: metas[1:3],
    differentiable=False,
)
_inner_products = Operator(  # of rows and rows: exported programs hold it, where a matrix is fixed
    "inner_products",
    "FullyConnected",
    infer=lambda metas, options: [((*metas[0][0][:-1], metas[1][0][0]), metas[0][1])],
    attributes=lambda metas, options: {"num_hidden": metas[1][0][0], "no_bias": True, "flatten": False},
)
inner_products_backward = Operator(
    "inner_products_backward",
    "_backward_FullyConnected",
    infer=lambda metas, options: [metas[1], metas[2]],
    attributes=lambda metas, options: {"num_hidden": metas[2][0][0], "no_bias": True, "flatten": False},
    allocate=True,
    differentiable=False,
)
