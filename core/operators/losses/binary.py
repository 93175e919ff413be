"""Losses of yes-or-no labels: binary cross entropy, focal loss, margins."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError
from core.operators._arguments import need_tensor, optional_tensor
from core.operators.arithmetic.math import log, maximum, pow
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import index_argument, take_rows
from core.operators.indexing.masking import where
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.layers.activation_smooth import log_sigmoid, sigmoid, stable_softplus
from core.operators.losses._reduction import check_reduction, logistic_loss, pick, reduced, same_shape
from core.operators.losses.classes import check_labels
from core.operators.reductions.reduction import mean
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor


def binary_cross_entropy(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    weight: Optional[Tensor] = None,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute -(label * log(input) + (1 - label) * log(1 - input)); each logarithm is at least -100.

    Args:
        input: Probabilities, floating-point.
        label: Of input's shape, within [0, 1].
        weight: Factor per element; broadcasts.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or input's shape under ``none``.

    Raises:
        OperatorError: shapes do not fit each other, or the reduction is unknown.
    """
    check_reduction(reduction, "binary_cross_entropy")
    optional_tensor(weight, "binary_cross_entropy", "weight")
    label = same_shape("binary_cross_entropy", input, label)
    loss = -(label * _bounded_log(input) + (1.0 - label) * _bounded_log(1.0 - input))
    return reduced(loss if weight is None else loss * weight, reduction)


def _bounded_log(x: Tensor) -> Tensor:
    smallest = 1e-38
    return where(x > smallest, log(maximum(x, smallest)), -100.0)


def binary_cross_entropy_with_logits(
    logit: Tensor,
    label: Tensor,
    weight: Optional[Tensor] = None,
    reduction: str = "mean",
    pos_weight: Optional[Tensor] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Compute the binary cross entropy of sigmoid(logit), exactly for any logit.

    Args:
        logit: Scores, floating-point.
        label: Of logit's shape, within [0, 1].
        weight: Factor per element; broadcasts.
        reduction: ``mean``, ``sum`` or ``none``.
        pos_weight: Weight of the positive part, -label * log(sigmoid(logit)); broadcasts. (The kernel of Paddle 2.6.2
            weighs less than that for negative logits, and its gradient belongs to neither.)
        name: Unused, as in Paddle.

    Returns:
        0-D, or logit's shape under ``none``.

    Raises:
        OperatorError: shapes do not fit each other, or the reduction is unknown.
    """
    check_reduction(reduction, "binary_cross_entropy_with_logits")
    optional_tensor(weight, "binary_cross_entropy_with_logits", "weight")
    optional_tensor(pos_weight, "binary_cross_entropy_with_logits", "pos_weight")
    label = same_shape("binary_cross_entropy_with_logits", logit, label)
    loss = logistic_loss(logit, label)
    if pos_weight is not None:
        loss = loss + (pos_weight - 1.0) * label * stable_softplus(-logit)
    return reduced(loss if weight is None else loss * weight, reduction)


def sigmoid_focal_loss(
    logit: Tensor,
    label: Tensor,
    normalizer: Optional[Tensor] = None,
    alpha: float = 0.25,
    gamma: float = 2.0,
    reduction: str = "sum",
    name: Optional[str] = None,
) -> Tensor:
    """Compute the focal loss, a cross entropy that counts easy samples little (https://arxiv.org/abs/1708.02002).

    Args:
        logit: Scores, floating-point.
        label: Of logit's shape, 0 or 1.
        normalizer: Divides the loss; shape (1,) or ().
        alpha: Weight of positive labels, within [0, 1].
        gamma: How little easy samples count.
        reduction: ``sum``, ``mean`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or logit's shape under ``none``.

    Raises:
        OperatorError: shapes do not fit each other, or the reduction is unknown.
    """
    check_reduction(reduction, "sigmoid_focal_loss")
    label = same_shape("sigmoid_focal_loss", logit, label)
    optional_tensor(normalizer, "sigmoid_focal_loss", "normalizer")
    if normalizer is not None and normalizer.ndim > 1:
        raise OperatorError(f"sigmoid_focal_loss: normalizer must have at most 1 dimension, got {normalizer.shape}")
    loss = logistic_loss(logit, label)
    likely = sigmoid(logit)
    likely = likely * label + (1.0 - likely) * (1.0 - label)
    balance = label * (2.0 * alpha - 1.0) + (1.0 - alpha)
    loss = loss * balance * pow(1.0 - likely, float(gamma))
    return reduced(loss if normalizer is None else loss / normalizer, reduction)


def log_loss(input: Tensor, label: Tensor, epsilon: float = 1e-4, name: Optional[str] = None) -> Tensor:  # noqa: A002
    """Compute -label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon), without reduction.

    Args:
        input: Probabilities, shape (N, 1).
        label: Of input's shape, 0 or 1.
        epsilon: Added to what the logarithms are taken of.
        name: Unused, as in Paddle.

    Returns:
        A tensor of input's shape.

    Raises:
        OperatorError: the shapes differ.
    """
    label = same_shape("log_loss", input, label)
    return -label * log(input + epsilon) - (1.0 - label) * log(1.0 - input + epsilon)


def soft_margin_loss(input: Tensor, label: Tensor, reduction: str = "mean", name: Optional[str] = None) -> Tensor:  # noqa: A002
    """Compute log(1 + exp(-label * input)).

    Args:
        input: Scores, floating-point.
        label: Of input's shape, -1 or 1.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or input's shape under ``none``.

    Raises:
        OperatorError: the shapes differ, or the reduction is unknown.
    """
    check_reduction(reduction, "soft_margin_loss")
    label = same_shape("soft_margin_loss", input, label)
    return reduced(stable_softplus(-label * input), reduction)


def multi_label_soft_margin_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    weight: Optional[Tensor] = None,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Average the binary cross entropies of all classes of a sample.

    Args:
        input: Scores, shape (N, C).
        label: Of input's shape, 0 or 1.
        weight: Weight per class, shape (C,).
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or shape (N,) under ``none``.

    Raises:
        OperatorError: the shapes differ, or the reduction is unknown.
    """
    check_reduction(reduction, "multi_label_soft_margin_loss")
    optional_tensor(weight, "multi_label_soft_margin_loss", "weight")
    label = same_shape("multi_label_soft_margin_loss", input, label)
    loss = -(label * log_sigmoid(input) + (1.0 - label) * log_sigmoid(-input))
    return reduced(mean(loss if weight is None else loss * weight, -1), reduction)


def multi_margin_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Optional[Tensor] = None,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute the mean over wrong classes of max(0, margin - input[label] + input[class]) ** p.

    Args:
        input: Scores, shape (N, C).
        label: Class numbers, shape (N,).
        p: Exponent, 1 or 2.
        margin: How far the right class must be ahead.
        weight: Weight per class, shape (C,), applied before the exponent, as in Paddle.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or shape (N,) under ``none``.

    Raises:
        OperatorError: shapes do not fit each other, or the reduction is unknown.
        OperatorIndexError: a label is no class.
    """
    check_reduction(reduction, "multi_margin_loss")
    floating_tensor(input, "multi_margin_loss")
    need_tensor(label, "multi_margin_loss", "label")
    optional_tensor(weight, "multi_margin_loss", "weight")
    if input.ndim != 2 or label.size != input.shape[0]:
        raise OperatorError(
            f"multi_margin_loss: labels of shape {label.shape} do not fit an input of shape {input.shape}"
        )
    index = reshape_exact(index_argument(label, "multi_margin_loss", "label"), [input.shape[0], 1])
    classes = input.shape[1]
    check_labels(index, classes, -1, "multi_margin_loss")
    distance: Any = margin - pick(input, index, 1) + input
    excess: Any = float(margin) ** p / classes  # what the right class itself adds
    if weight is not None:
        if weight.shape != [classes]:
            raise OperatorError(f"multi_margin_loss: weight must have shape [{classes}], got {weight.shape}")
        factor = take_rows(cast(weight, input.dtype), index)
        distance, excess = distance * factor, reshape_exact(factor, [input.shape[0]]) * excess
    return reduced(mean(pow(maximum(distance, 0.0), float(p)), 1) - excess, reduction)


__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "log_loss", "multi_label_soft_margin_loss",
    "multi_margin_loss", "sigmoid_focal_loss", "soft_margin_loss",
]  # fmt: skip
