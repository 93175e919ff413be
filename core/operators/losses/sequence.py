"""Connectionist temporal classification: the loss of label sequences that are not aligned with their inputs."""

from __future__ import annotations

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int64
from core.kernels.layers.ctc import ctc
from core.operators.arithmetic.math import divide, maximum
from core.operators.creation.creation import cast
from core.operators.losses._reduction import check_reduction
from core.operators.losses.alignment import check_integers, lattice_sizes
from core.operators.reductions.reduction import mean
from core.operators.reductions.reduction import sum as reduce_sum
from core.tensor import Tensor, apply, numbers_now

_ctc = HostOperator("ctc", ctc, infer=lambda metas, options: [((metas[0][0][1],), metas[0][1]), metas[0]])


def ctc_loss(
    log_probs: Tensor,
    labels: Tensor,
    input_lengths: Tensor,
    label_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    norm_by_times: bool = False,
) -> Tensor:
    """Compute the negative log-likelihood of label sequences whose place in the input is unknown.

    From Graves et al., Connectionist Temporal Classification, ICML 2006. As in Paddle, the softmax is taken here.

    Args:
        log_probs: Scores before softmax, shape (T, N, C) with the blank among the C classes; floating-point.
        labels: Classes without blanks, shape (N, L), padded with anything.
        input_lengths: Steps of each sample, shape (N,).
        label_lengths: Classes of each sample, shape (N,).
        blank: The class that stands for no label.
        reduction: ``mean`` (of losses divided by label lengths), ``sum`` or ``none``.
        norm_by_times: Divide the gradient of each sample by its number of steps.

    Returns:
        0-D, or shape (N,) under ``none``; a sample too short for its label gives 0, as in Paddle.

    Raises:
        OperatorError: shapes do not fit each other, the blank is no class, or the reduction is unknown.
        OperatorIndexError: a label is no class, or a length exceeds its axis (checked where they can be read).
    """
    check_reduction(reduction, "ctc_loss")
    steps, batch, classes = lattice_sizes(log_probs, 3, "ctc_loss", "log_probs", "(T, N, C)")
    check_integers("ctc_loss", batch, labels, input_lengths, label_lengths)
    if not 0 <= blank < classes:
        raise OperatorError(f"ctc_loss: blank={blank} is outside the {classes} classes")
    labels, input_lengths, label_lengths = [cast(tensor, int64) for tensor in (labels, input_lengths, label_lengths)]
    _check_numbers(input_lengths, steps, "input_lengths")
    _check_numbers(label_lengths, labels.shape[1], "label_lengths")
    _check_labels(labels, label_lengths, classes)
    if norm_by_times:
        log_probs = _scaled_gradient(log_probs, cast(input_lengths, log_probs.dtype))
    loss, _ = apply(_ctc, log_probs, labels, input_lengths, label_lengths, blank=int(blank))
    if reduction == "mean":
        return mean(divide(loss, maximum(cast(label_lengths, loss.dtype), 1.0)))
    return reduce_sum(loss) if reduction == "sum" else loss


def _scaled_gradient(x: Tensor, times: Tensor) -> Tensor:
    """Return x with a gradient divided by the number of steps of each sample."""
    share = divide(1.0, times).reshape([1, -1, 1])
    return x * share + (x * (1.0 - share)).detach()


def _check_numbers(lengths: Tensor, limit: int, name: str) -> None:
    numbers = numbers_now(lengths)
    if numbers is None or not numbers.size:
        return
    if numbers.min() < 0 or numbers.max() > limit:
        raise OperatorIndexError(f"ctc_loss: {name} must lie within [0, {limit}], got {numbers.tolist()}")


def _check_labels(labels: Tensor, lengths: Tensor, classes: int) -> None:
    numbers, counts = numbers_now(labels), numbers_now(lengths)
    if numbers is None or counts is None or not numbers.size:
        return
    for row, count in zip(numbers, counts):
        if count and (row[:count].min() < 0 or row[:count].max() >= classes):
            raise OperatorIndexError(f"ctc_loss: the label {row[:count].tolist()} has a class outside [0, {classes})")


__all__ = ["ctc_loss"]
