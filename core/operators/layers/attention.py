"""Scaled dot-product attention: one operator, and the same in other operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import DType, bfloat16, bool_, float16, float32, int32
from core.kernels.sizes.dimension import agree, example
from core.operators._arguments import optional_tensor
from core.operators.creation._constants import later_positions
from core.operators.creation.creation import cast
from core.operators.creation.random import randint
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.layers.activation_softmax import softmax
from core.operators.layers.dropout import dropout
from core.operators.linear_algebra.linalg import matmul
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply


def _kernel(name: str) -> Callable[..., None]:
    def run(*arrays: np.ndarray, **options: Any) -> None:
        from core.kernels.layers import attention  # numba loads with the first use

        getattr(attention, name)(*arrays, **options)

    return run


def _check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    query, key, value = [shape for shape, _ in metas[:3]]
    _check_alike(query, key, value)
    (batch, queries, heads, _), keys = query, key[1]
    wanted = (batch, heads, queries, keys)
    mask = metas[3][0] if options["masked"] else wanted
    if len(mask) != 4 or any(size not in (1, full) for size, full in zip(mask, wanted)):
        raise OperatorError(
            f"scaled_dot_product_attention: attn_mask of shape {list(mask)} does not broadcast to (batch, heads,"
            f" queries, keys) = {list(wanted)}"
        )


def _check_alike(query: Sequence[Any], key: Sequence[Any], value: Sequence[Any]) -> None:
    alike = len(query) == len(key) == len(value) == 4 and agree(key, value) and agree(query[2:], key[2:])
    if not alike or not agree(query[:1], key[:1]):
        raise OperatorError(
            "scaled_dot_product_attention: query, key and value are (batch, steps, heads, head size) and differ in"
            f" steps alone, but have shapes {list(query)}, {list(key)}, {list(value)}"
        )


def _results(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    batch, queries, heads, _ = metas[0][0]
    return [metas[0], ((batch, heads, queries, 2), float32)]


def _kept_shape(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (batch, queries, heads, _), keys = metas[1][0], metas[2][0][1]
    return [((batch, heads, queries, keys), float32)]


# the inputs are query, key, value, the mask and the seed of what is dropped, where there are such
_attention = HostOperator("attention", _kernel("attention"), check=_check, infer=_results, fills=True)
attention_gradients = HostOperator(
    "attention_gradients",
    _kernel("attention_gradients"),
    infer=lambda metas, options: metas[1:4],
    differentiable=False,
    fills=True,
)
attention_keep = HostOperator(
    "attention_keep", _kernel("attention_keep"), infer=_kept_shape, differentiable=False, fills=True
)


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
    _check_alike(query.shape, key.shape, value.shape)
    if attn_mask is not None and attn_mask.dtype is bool_:
        attn_mask = (1.0 - cast(attn_mask, query.dtype)) * _hidden(query.dtype)
    if 0 <= dropout_p < 1 and _has_kernel(query, key, value, attn_mask):
        extra = [] if attn_mask is None else [_of_four_axes(cast(attn_mask, float32))]
        dropped = float(dropout_p) if training else 0.0
        if dropped:
            extra.append(randint(0, 2**31 - 1, [1], dtype=int32))
        options = {"masked": attn_mask is not None, "causal": bool(is_causal), "dropout": dropped}
        return apply(_attention, query, key, value, *extra, **options)[0]
    return attention_in_parts(
        query, key, value, attn_mask, is_causal, lambda weights: dropout(weights, dropout_p, training=training)
    )


def _has_kernel(query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor]) -> bool:
    """Return whether one operator computes it: in float32, where that needs no copies, for a mask that is no parameter.

    The parts that serve elsewhere drop weights by the engine's dropout, which no seed repeats.
    """
    tensors = (query, key, value)
    plain = mask is None or (mask.stop_gradient and 1 <= mask.ndim <= 4 and mask.dtype in (float16, bfloat16, float32))
    full = example(query.size) > 0 and example(key.size) > 0
    return plain and full and _attention.is_direct and all(t.dtype in (float32, bfloat16) for t in tensors)


def _of_four_axes(mask: Tensor) -> Tensor:
    return mask if mask.ndim == 4 else reshape_exact(mask, [*[1] * (4 - mask.ndim), *mask.shape])


def attention_in_parts(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Optional[Tensor],
    causal: bool,
    drop: Callable[[Tensor], Tensor],
) -> Tensor:
    """Compute attention in operators that can be differentiated any number of times.

    Args:
        query: (batch, queries, heads, head size).
        key, value: (batch, keys, heads, head size).
        mask: Numbers that are added to the scores.
        causal: Whether a query sees only keys at its own place and before.
        drop: What is done to the weights.
    """
    queries, keys, values = (tensor.transpose([0, 2, 1, 3]) for tensor in (query, key, value))
    scores = matmul(queries * (1.0 / query.shape[3] ** 0.5), keys, transpose_y=True)
    if mask is not None:
        scores = scores + cast(mask, scores.dtype)
    if causal:
        scores = scores + later_positions(query.shape[1], key.shape[1], _hidden(scores.dtype), scores.dtype)
    return matmul(drop(softmax(scores, axis=-1)), values).transpose([0, 2, 1, 3])


__all__ = ["scaled_dot_product_attention"]
