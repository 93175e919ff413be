"""The feed-forward half of a transformer layer, and what follows a linear layer in one call."""

from __future__ import annotations

from typing import Optional

from core.incubate.nn.functional.products import activated
from core.nn import functional as F
from core.tensor import Tensor


def fused_dropout_add(
    x: Tensor,
    y: Tensor,
    p: float = 0.5,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: Optional[str] = None,
) -> Tensor:
    """Drop elements of x, then add y.

    Args:
        x: floating-point, of any shape.
        y: of the shape of x.
        p: probability of dropping an element.
        training: whether elements are dropped.
        mode: ``upscale_in_train`` or ``downscale_in_infer``: where the rest is scaled.
        name: unused, as in Paddle.

    Returns:
        A tensor of the shape of x.

    Raises:
        ValueError: p is no probability, or the mode is unknown.
    """
    return F.dropout(x, p, training=training, mode=mode) + y


def normalized(x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], epsilon: float) -> Tensor:
    """Normalise the last axis.

    Args:
        x: (..., features).
        weight: (features,), or None.
        bias: (features,), or None.
        epsilon: added to the variance.
    """
    return F.layer_norm(x, x.shape[-1:], weight, bias, epsilon)


def fused_bias_dropout_residual_layer_norm(
    x: Tensor,
    residual: Tensor,
    bias: Optional[Tensor] = None,
    ln_scale: Optional[Tensor] = None,
    ln_bias: Optional[Tensor] = None,
    dropout_rate: float = 0.5,
    ln_epsilon: float = 1e-5,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: Optional[str] = None,
) -> Tensor:
    """Compute ``layer_norm(residual + dropout(x + bias))``.

    Args:
        x: (..., features).
        residual: of the shape of x.
        bias: (features,), or None.
        ln_scale: (features,), or None.
        ln_bias: (features,), or None.
        dropout_rate: probability of dropping an element.
        ln_epsilon: added to the variance.
        training: whether elements are dropped.
        mode: ``upscale_in_train`` or ``downscale_in_infer``.
        name: unused, as in Paddle.

    Returns:
        A tensor of the shape of x.

    Raises:
        OperatorError: the shapes do not fit.
        ValueError: the rate is no probability, or the mode is unknown.
    """
    shifted = x if bias is None else x + bias
    return normalized(fused_dropout_add(shifted, residual, dropout_rate, training, mode), ln_scale, ln_bias, ln_epsilon)


def fused_feedforward(
    x: Tensor,
    linear1_weight: Tensor,
    linear2_weight: Tensor,
    linear1_bias: Optional[Tensor] = None,
    linear2_bias: Optional[Tensor] = None,
    ln1_scale: Optional[Tensor] = None,
    ln1_bias: Optional[Tensor] = None,
    ln2_scale: Optional[Tensor] = None,
    ln2_bias: Optional[Tensor] = None,
    dropout1_rate: float = 0.5,
    dropout2_rate: float = 0.5,
    activation: str = "relu",
    ln1_epsilon: float = 1e-5,
    ln2_epsilon: float = 1e-5,
    pre_layer_norm: bool = False,
    training: bool = True,
    mode: str = "upscale_in_train",
    ring_id: int = -1,
    add_residual: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """Compute ``x + dropout2(linear2(dropout1(activation(linear1(x)))))``, normalised before or after.

    Paper: Vaswani et al. 2017, arXiv:1706.03762.

    Args:
        x: (batch, steps, features).
        linear1_weight: (features, hidden).
        linear2_weight: (hidden, features).
        linear1_bias: (hidden,), or None.
        linear2_bias: (features,), or None.
        ln1_scale: (features,), of the normalisation before, or None.
        ln1_bias: likewise.
        ln2_scale: (features,), of the normalisation after, or None.
        ln2_bias: likewise.
        dropout1_rate: probability of dropping a hidden element.
        dropout2_rate: probability of dropping an element of the second product.
        activation: ``relu`` or ``gelu``.
        ln1_epsilon: added to the variance before.
        ln2_epsilon: added to the variance after.
        pre_layer_norm: whether x is normalised before the products, instead of the sum after them.
        training: whether elements are dropped.
        mode: ``upscale_in_train`` or ``downscale_in_infer``.
        ring_id: -1: weights that several devices share are not offered.
        add_residual: whether x is added.
        name: unused, as in Paddle.

    Returns:
        A tensor of the shape of x.

    Raises:
        NotImplementedError: ``ring_id`` is not -1.
        OperatorError: the shapes do not fit.
        ValueError: a rate is no probability, or the mode or activation is unknown.
    """
    refuse_ring(ring_id, "fused_feedforward")
    rows = normalized(x, ln1_scale, ln1_bias, ln1_epsilon) if pre_layer_norm else x
    hidden = activated(F.linear(rows, linear1_weight, linear1_bias), activation, "fused_feedforward")
    hidden = F.dropout(hidden, dropout1_rate, training=training, mode=mode)
    result = F.dropout(F.linear(hidden, linear2_weight, linear2_bias), dropout2_rate, training=training, mode=mode)
    result = x + result if add_residual else result
    return result if pre_layer_norm else normalized(result, ln2_scale, ln2_bias, ln2_epsilon)


def refuse_ring(ring_id: int, caller: str) -> None:
    """Refuse weights that several devices share.

    Args:
        ring_id: -1 where each device has them whole.
        caller: the function, for messages.

    Raises:
        NotImplementedError: they are shared.
    """
    if ring_id != -1:
        raise NotImplementedError(f"{caller}: ring_id={ring_id}: weights shared by several devices are not offered")
