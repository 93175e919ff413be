"""About how long an operation takes, from shapes alone: what would take long is not run while a program loads."""

from __future__ import annotations

import math

from core.kernels.dispatch.operator import HostOperator
from core.kernels.dispatch.trace import Operation

_PRODUCTS = frozenset(
    {
        "affine", "inner_products", "integer_matrix_product", "linear", "linear_backward", "matrix_product",
        "matrix_product_backward",
    }
)  # fmt: skip
_CONVOLUTIONS = frozenset({"convolution", "convolution_input_gradient"})
_FACTORIZATIONS = frozenset(
    {
        "cholesky", "det", "eig", "eigh", "inverse", "lstsq", "lu", "matrix_rank", "pinv", "qr", "slogdet", "solve",
        "svd", "triangular_solve",
    }
)  # fmt: skip
_FACTORIZATION = 32  # steps for each element and row


def work_of(operation: Operation) -> int:
    """Return about how many multiplications an operation takes, rather too many than too few; 0 for control flow."""
    operator = operation.operator
    if operator.is_control_flow:
        return 0
    given = [value.meta[0] for value in operation.inputs]
    made = [value.meta[0] for value in operation.outputs]
    elements = sum(math.prod(shape) for shape in (*given, *made))
    if operator.name in _PRODUCTS:
        return elements + max(math.prod(shape) for shape in made) * max(given[0][-2:], default=1)
    if operator.name in _CONVOLUTIONS:
        return max(math.prod(shape) for shape in (given[0], *made)) * math.prod(given[1][1:])
    if operator.name in _FACTORIZATIONS:
        return elements * max(max(shape, default=1) for shape in given) * _FACTORIZATION
    if isinstance(operator, HostOperator):
        return elements * max([max(shape, default=1) for shape in given], default=1)
    kernel = operation.attributes.get("kernel")
    return elements * math.prod(kernel) if isinstance(kernel, tuple) else elements
