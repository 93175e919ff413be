"""Attention to chosen keys alone (nn.functional.sparse_attention)."""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import bool_
from core.operators._arguments import need_tensor
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import index_argument
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.layers.activation_softmax import softmax
from core.operators.linear_algebra.linalg import matmul
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

_HIDDEN = -1e30


def _pattern(offsets: np.ndarray, columns: np.ndarray, keys: int) -> np.ndarray:
    """Return which keys each query sees, bool [batch, heads, queries, keys], from rows that CSR describes."""
    batch, heads, ends = offsets.shape
    seen = np.zeros((batch, heads, ends - 1, keys), bool)
    if columns.size and not 0 <= columns.min() <= columns.max() < keys:
        raise OperatorIndexError(f"sparse_attention: sparse_csr_columns must lie within 0 and {keys - 1}")
    for place in np.ndindex(batch, heads):
        counts = np.diff(offsets[place])
        if offsets[place][0] != 0 or (counts < 0).any() or counts.sum() > columns.shape[-1]:
            raise OperatorError(
                f"sparse_attention: sparse_csr_offset must rise from 0 to at most {columns.shape[-1]}, the number of"
                " columns"
            )
        seen[place][np.repeat(np.arange(ends - 1), counts), columns[place][: counts.sum()]] = True
    return seen


_see = HostOperator(
    "sparse_pattern",
    _pattern,
    infer=lambda metas, options: [((*metas[0][0][:2], metas[0][0][2] - 1, options["keys"]), bool_)],
    differentiable=False,
)


def sparse_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    sparse_csr_offset: Tensor,
    sparse_csr_columns: Tensor,
    key_padding_mask: Optional[Tensor] = None,
    attn_mask: Optional[Tensor] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Compute softmax(q · kᵀ / sqrt(head size)) · v where each query sees chosen keys alone.

    All scores are computed and those of other keys hidden, so it costs as much as dense attention.

    Args:
        query: (batch, heads, steps, head size), floating-point.
        key: The same shape.
        value: The same shape.
        sparse_csr_offset: Where each query's keys begin in the columns, and the end: integers (batch, heads,
            steps + 1).
        sparse_csr_columns: The keys that queries see, one query after another: integers (batch, heads, numbers).
        key_padding_mask: (batch, steps): 0 where a key is hidden from all queries.
        attn_mask: (steps, steps): 0 where a key is hidden from a query.
        name: Unused, as in Paddle.

    Returns:
        (batch, heads, steps, head size); zeros for a query that sees nothing.

    Raises:
        OperatorIndexError: a column is no key.
        OperatorError: shapes do not fit each other.
    """
    caller = "sparse_attention"
    for tensor in (query, key, value):
        floating_tensor(tensor, caller)
    if query.ndim != 4 or not query.shape == key.shape == value.shape:
        raise OperatorError(
            f"{caller}: query, key and value are (batch, heads, steps, head size), but have shapes {query.shape},"
            f" {key.shape}, {value.shape}"
        )
    batch, heads, steps, size = query.shape
    offsets = index_argument(sparse_csr_offset, caller, "sparse_csr_offset")
    columns = index_argument(sparse_csr_columns, caller, "sparse_csr_columns")
    if offsets.shape != [batch, heads, steps + 1] or columns.ndim != 3 or columns.shape[:2] != [batch, heads]:
        raise OperatorError(
            f"{caller}: sparse_csr_offset has the shape {[batch, heads, steps + 1]} and sparse_csr_columns"
            f" {[batch, heads]} and their number, got {offsets.shape} and {columns.shape}"
        )
    seen = apply(_see, offsets, columns, keys=steps)
    for label, mask, wanted, shape in (
        ("key_padding_mask", key_padding_mask, [batch, steps], [batch, 1, 1, steps]),
        ("attn_mask", attn_mask, [steps, steps], [1, 1, steps, steps]),
    ):
        if mask is None:
            continue
        if need_tensor(mask, caller, label).shape != wanted:
            raise OperatorError(f"{caller}: {label} has the shape {wanted}, but got {mask.shape}")
        seen = seen.logical_and(reshape_exact(mask, shape) != 0)
    visible = cast(seen, query.dtype)
    scores = matmul(query * (1.0 / size**0.5), key, transpose_y=True)
    hidden = -6e4 if query.dtype.size < 4 else _HIDDEN
    weights = softmax(scores * visible + (1.0 - visible) * hidden, -1) * visible
    return matmul(weights, value)
