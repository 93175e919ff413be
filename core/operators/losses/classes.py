"""Losses over classes: cross entropy in its forms, and margins."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dispatch.class_numbers import holds_ignored
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import int64
from core.operators._arguments import axis_argument, need_tensor, optional_tensor
from core.operators.arithmetic.math import log, maximum
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import take_rows
from core.operators.indexing.masking import one_hot, where
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.layers.activation_softmax import log_softmax, softmax
from core.operators.losses._mean_cross_entropy import mean_cross_entropy
from core.operators.losses._reduction import check_reduction, pick, reduced
from core.operators.reductions.reduction import mean
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import squeeze, unsqueeze
from core.tensor import Tensor, numbers_now


def cross_entropy(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    weight: Optional[Tensor] = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    soft_label: bool = False,
    axis: int = -1,
    use_softmax: bool = True,
    label_smoothing: float = 0.0,
    name: Optional[str] = None,
) -> Tensor:
    """Compute the negative log-likelihood of labels under softmax(input).

    Args:
        input: Scores (probabilities when use_softmax is False), floating-point, with C classes at ``axis``.
        label: Class numbers, input's shape without the axis or with size 1 there; with soft_label, probabilities of
            input's shape.
        weight: Weight per class, shape (C,).
        ignore_index: Samples with this label count nothing.
        reduction: ``mean`` (over what is not ignored, weighted), ``sum`` or ``none``.
        soft_label: Whether the label holds probabilities.
        axis: The axis of classes.
        use_softmax: Whether input holds scores.
        label_smoothing: Share of the uniform distribution that is mixed into the labels, within [0, 1].
        name: Unused, as in Paddle.

    Returns:
        0-D, or the loss per sample in the label's shape (with size 1 at the axis for soft or smoothed labels).

    Raises:
        OperatorError: shapes do not fit each other, or an argument is out of range.
        OperatorIndexError: a label is no class (checked where labels can be read).
        OperatorTypeError: the input is no floating-point Tensor.
    """
    caller = "cross_entropy"
    check_reduction(reduction, caller)
    optional_tensor(weight, caller, "weight")
    place, squeezed, label = _prepared(input, label, axis, soft_label, caller)
    classes = input.shape[place]
    if weight is not None and weight.shape != [classes]:
        raise OperatorError(f"{caller}: weight must have shape [{classes}], one per class, got {weight.shape}")
    if not 0.0 <= label_smoothing <= 1.0:
        raise OperatorError(f"{caller}: label_smoothing must lie within [0, 1], got {label_smoothing}")
    is_plain = use_softmax and reduction == "mean" and weight is None and not (soft_label or label_smoothing)
    if is_plain and place == 1 and input.ndim == 2 and input.dtype.size > 2 and 0 not in input.shape:
        return mean_cross_entropy(input, label, int(ignore_index))
    logs = log_softmax(input, place) if use_softmax else log(maximum(input, 1e-38))
    if soft_label:
        loss, factor = _soft_loss(logs, label, weight, place, label_smoothing)
    else:
        loss, factor = _hard_loss(logs, label, weight, place, ignore_index, label_smoothing, caller)
    if reduction == "mean" and factor is not None:
        total = reduce_sum(factor)
        # when everything is ignored the loss is 0
        return reduce_sum(loss) / (total + cast(total == 0, total.dtype))
    if reduction == "none" and squeezed and not label_smoothing:
        return squeeze(loss, place)
    return reduced(loss, reduction)


def _prepared(input: Tensor, label: Tensor, axis: int, soft_label: bool, caller: str) -> tuple[int, bool, Tensor]:  # noqa: A002
    """Return the axis from the front, whether the label lacks that axis, and the label with it."""
    floating_tensor(input, caller)
    if not isinstance(label, Tensor):
        raise OperatorError(f"{caller}: label must be a Tensor, got {type(label).__name__}: use to_tensor()")
    if input.ndim == 0:
        raise OperatorError(f"{caller}: the input must have an axis of classes, got a 0-D tensor")
    place = axis_argument(axis, input.ndim, caller)
    squeezed = label.ndim == input.ndim - 1
    wanted = input.shape if soft_label else [1 if i == place else size for i, size in enumerate(input.shape)]
    have = [*label.shape[:place], 1, *label.shape[place:]] if squeezed else label.shape
    if have != wanted:
        raise OperatorError(
            f"{caller}: a label of shape {label.shape} does not fit an input of shape {input.shape} with classes at"
            f" axis {axis}{' and soft_label=True' if soft_label else ''}"
        )
    if squeezed:
        label = unsqueeze(label, place)
    return place, squeezed, cast(label, input.dtype if soft_label else int64)


def _soft_loss(
    logs: Tensor, label: Tensor, weight: Any, axis: int, smoothing: float
) -> tuple[Tensor, Optional[Tensor]]:
    if smoothing:
        label = label * (1.0 - smoothing) + smoothing / label.shape[axis]
    loss = -reduce_sum(logs * label, axis, keepdim=True)
    if weight is None:
        return loss, None
    shape = [-1 if i == axis else 1 for i in range(logs.ndim)]
    factor = reduce_sum(label * _along(weight, shape, loss), axis, keepdim=True)
    return loss * factor, factor


def _along(weight: Tensor, shape: list[int], like: Tensor) -> Tensor:
    return reshape_exact(cast(weight, like.dtype), [weight.size if size == -1 else size for size in shape])


def _hard_loss(
    logs: Tensor, label: Tensor, weight: Any, axis: int, ignore_index: int, smoothing: float, caller: str
) -> tuple[Tensor, Optional[Tensor]]:
    """Return the loss per sample and the factors that their mean is taken with (None where all are 1)."""
    classes = logs.shape[axis]
    any_ignored = check_labels(label, classes, ignore_index, caller)
    kept = None
    if any_ignored:
        valid = label != ignore_index
        kept = cast(valid, logs.dtype)
        label = where(valid, label, 0)
    loss = -pick(logs, label, axis)
    if smoothing:
        loss = loss * (1.0 - smoothing) - reduce_sum(logs, axis, keepdim=True) * (smoothing / classes)
    factor = kept
    if weight is not None:
        factor = take_rows(cast(weight, logs.dtype), label)
        if smoothing:
            uniform = reduce_sum(cast(weight, logs.dtype)) * (smoothing / classes)
            factor = factor * (1.0 - smoothing) + uniform
        factor = factor if kept is None else factor * kept
    return loss if factor is None else loss * factor, factor


def check_labels(label: Tensor, classes: int, ignore_index: int, caller: str) -> bool:
    """Check class numbers where they can be read; returns whether some of them may be the ignored one.

    Raises:
        OperatorIndexError: a label is neither a class nor ``ignore_index``.
    """
    numbers = numbers_now(label)
    return numbers is None or holds_ignored(numbers, classes, ignore_index, caller)


def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """Compute the cross entropy of each sample, keeping the axis of classes with size 1; see :func:`cross_entropy`.

    Args:
        logits: Scores, floating-point.
        label: Class numbers, or probabilities with soft_label.
        soft_label: Whether the label holds probabilities.
        ignore_index: Samples with this label give 0.
        numeric_stable_mode: Unused: the computation is always stable.
        return_softmax: Also return softmax(logits).
        axis: The axis of classes.

    Returns:
        The loss, logits' shape with size 1 at the axis; with return_softmax also the probabilities, through which no
        gradient flows, as in Paddle.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorIndexError: a label is no class.
    """
    caller = "softmax_with_cross_entropy"
    place, _, label = _prepared(logits, label, axis, soft_label, caller)
    logs = log_softmax(logits, place)
    if soft_label:
        loss, _ = _soft_loss(logs, label, None, place, 0.0)
    else:
        loss, _ = _hard_loss(logs, label, None, place, ignore_index, 0.0, caller)
    return (loss, softmax(logits, place).detach()) if return_softmax else loss


def nll_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    weight: Optional[Tensor] = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute the negative of the log-probability that input gives to each label.

    Args:
        input: Log-probabilities, shape (N, C) or (N, C, d1, ...).
        label: Class numbers, shape (N,) or (N, d1, ...).
        weight: Weight per class, shape (C,).
        ignore_index: Samples with this label count nothing.
        reduction: ``mean`` (weighted, over what is not ignored), ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or the label's shape under ``none``.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorIndexError: a label is no class.
    """
    check_reduction(reduction, "nll_loss")
    optional_tensor(weight, "nll_loss", "weight")
    if isinstance(input, Tensor) and input.ndim < 2:
        raise OperatorError(f"nll_loss: the input must have at least 2 dimensions, got shape {input.shape}")
    _, _, label = _prepared(input, label, 1, False, "nll_loss")
    if weight is not None and weight.shape != [input.shape[1]]:
        raise OperatorError(f"nll_loss: weight must have shape [{input.shape[1]}], one per class, got {weight.shape}")
    loss, factor = _hard_loss(input, label, weight, 1, ignore_index, 0.0, "nll_loss")
    if reduction == "mean" and factor is not None:
        return reduce_sum(loss) / reduce_sum(factor)
    return squeeze(loss, 1) if reduction == "none" else reduced(loss, reduction)


def dice_loss(input: Tensor, label: Tensor, epsilon: float = 0.00001, name: Optional[str] = None) -> Tensor:  # noqa: A002
    """Compute 1 - 2 * |X and Y| / (|X| + |Y|), averaged over the batch, for segmentation.

    Args:
        input: Probabilities, shape (N, ..., C).
        label: Class numbers, shape (N, ..., 1).
        epsilon: Added to the denominator.
        name: Unused, as in Paddle.

    Returns:
        0-D.

    Raises:
        OperatorError: shapes do not fit each other, or are empty.
        OperatorIndexError: a label is no class.
    """
    floating_tensor(input, "dice_loss")
    need_tensor(label, "dice_loss", "label")
    if input.ndim < 2 or label.shape != [*input.shape[:-1], 1]:
        raise OperatorError(f"dice_loss: a label of shape {label.shape} does not fit an input of shape {input.shape}")
    if input.size == 0:
        raise OperatorError(f"dice_loss: the input of shape {input.shape} has no elements")
    classes = cast(one_hot(squeeze(label, -1), input.shape[-1]), input.dtype)
    axes = list(range(1, input.ndim))
    common = reduce_sum(input * classes, axes)
    total = reduce_sum(input, axes) + reduce_sum(classes, axes)
    return mean(1.0 - common * 2.0 / (total + epsilon))


__all__ = ["cross_entropy", "dice_loss", "nll_loss", "softmax_with_cross_entropy"]
