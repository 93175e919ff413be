"""Scaled dot-product attention."""

from __future__ import annotations

from typing import Optional

from core.kernels.dtypes import DType, bool_, float16
from core.kernels.errors import OperatorError
from core.operators.activation import softmax
from core.operators.activation_primitives import floating_tensor
from core.operators.arguments import optional_tensor
from core.operators.common import dropout
from core.operators.constants import later_positions
from core.operators.creation import cast
from core.operators.linalg import matmul
from core.tensor import Tensor


def _hidden(dtype: DType) -> float:
    """Return what is added to the score of a key that must not be seen."""
    return -6e4 if dtype is float16 else -1e30


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Optional[Tensor] = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    training: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """Compute softmax(q · kᵀ / sqrt(head size)) · v for every head.

    Paper: Vaswani et al. 2017, arXiv:1706.03762.

    Args:
        query: (batch, queries, heads, head size), floating-point.
        key: (batch, keys, heads, head size).
        value: (batch, keys, heads, head size).
        attn_mask: Broadcastable to (batch, heads, queries, keys): bool, True where a key may be seen, or numbers that
            are added to the scores.
        dropout_p: Probability of dropping an attention weight, in training.
        is_causal: Whether a query sees only keys at its own place and before.
        training: Whether weights are dropped.
        name: Unused, as in Paddle.

    Returns:
        (batch, queries, heads, head size).

    Raises:
        OperatorError: the shapes do not fit each other.
        OperatorTypeError: an input is no floating-point Tensor.
    """
    for tensor in (query, key, value):
        floating_tensor(tensor, "scaled_dot_product_attention")
    optional_tensor(attn_mask, "scaled_dot_product_attention", "attn_mask")
    shapes = [list(query.shape), list(key.shape), list(value.shape)]
    alike = shapes[0][:1] + shapes[0][2:] == shapes[1][:1] + shapes[1][2:] and shapes[1] == shapes[2]
    if not alike or len(shapes[0]) != 4:
        raise OperatorError(
            "scaled_dot_product_attention: query, key and value are (batch, steps, heads, head size) and differ in"
            f" steps alone, but have shapes {shapes[0]}, {shapes[1]}, {shapes[2]}"
        )
    queries, keys, values = (tensor.transpose([0, 2, 1, 3]) for tensor in (query, key, value))
    scores = matmul(queries * (1.0 / shapes[0][3] ** 0.5), keys, transpose_y=True)
    if attn_mask is not None:
        if attn_mask.dtype is bool_:
            attn_mask = (1.0 - cast(attn_mask, scores.dtype)) * _hidden(scores.dtype)
        scores = scores + cast(attn_mask, scores.dtype)
    if is_causal:
        scores = scores + later_positions(shapes[0][1], shapes[1][1], _hidden(scores.dtype), scores.dtype)
    weights = softmax(scores, axis=-1)
    if dropout_p:
        weights = dropout(weights, dropout_p, training=training)
    return matmul(weights, values).transpose([0, 2, 1, 3])


__all__ = ["scaled_dot_product_attention"]
TENSOR_METHODS = ()
IN_PLACE_METHODS = ()
