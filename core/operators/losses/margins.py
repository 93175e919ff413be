"""Classification with margins among very many classes (nn.functional)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.kernels.dispatch.operator import HostOperator
from core.operators.arithmetic.math import acos, cos, exp
from core.operators.creation.creation import cast
from core.operators.creation.random import randint
from core.operators.indexing.gathering import check_range, index_argument
from core.operators.indexing.masking import one_hot
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.layers.activation_softmax import log_softmax
from core.operators.losses._reduction import pick
from core.operators.reductions.reduction import mean
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

_SEED_BOUND = 2**31 - 1


def _single(group: Any, caller: str) -> None:
    if group is not None and group is not False:
        raise NotImplementedError(f"{caller}: group: classes are not shared out among processes")


def margin_cross_entropy(
    logits: Tensor,
    label: Tensor,
    margin1: float = 1.0,
    margin2: float = 0.5,
    margin3: float = 0.0,
    scale: float = 64.0,
    group: Any = None,
    return_softmax: bool = False,
    reduction: Optional[str] = "mean",
) -> Any:
    """Compute the cross entropy of cosines, the true class's angle first enlarged by margins.

    The true class's cosine becomes cos(margin1 · angle + margin2) - margin3. Papers: SphereFace (arXiv 1704.08063),
    ArcFace (1801.07698), CosFace (1801.09414).

    Args:
        logits: Cosines of the angles to the classes' centers, within (-1, 1), shape (N, classes).
        label: True classes, integers (N,) or (N, 1).
        margin1: What the angle is multiplied with.
        margin2: What is added to it.
        margin3: What is taken from its cosine.
        scale: What all cosines are multiplied with.
        group: None or False: all classes are in this process.
        return_softmax: Return the probabilities too.
        reduction: ``mean``, ``sum``, or None for the losses.

    Returns:
        0-D, or (N, 1); with return_softmax also the probabilities (N, classes).

    Raises:
        NotImplementedError: a group of processes is given.
        OperatorIndexError: there is no such class.
        OperatorError: shapes do not fit, or the reduction is unknown.
    """
    caller = "margin_cross_entropy"
    _single(group, caller)
    floating_tensor(logits, caller)
    index = index_argument(label, caller, "label")
    if logits.ndim != 2 or index.shape not in ([logits.shape[0]], [logits.shape[0], 1]):
        raise OperatorError(
            f"{caller}: expects logits (N, classes) and label (N,) or (N, 1), got {logits.shape} and {index.shape}"
        )
    if reduction not in ("mean", "sum", None):
        raise OperatorError(f"{caller}: reduction is 'mean', 'sum' or None, got {reduction!r}")
    check_range(index, logits.shape[1], caller, name="label")
    column = reshape_exact(index, [logits.shape[0], 1])
    cosine = pick(logits, column, 1)
    enlarged = cos(acos(cosine) * margin1 + margin2) - margin3
    chosen = cast(one_hot(reshape_exact(index, [logits.shape[0]]), logits.shape[1]), logits.dtype)
    logs = log_softmax((logits + chosen * (enlarged - cosine)) * scale, -1)
    loss: Any = -pick(logs, column, 1)
    if reduction is not None:
        loss = mean(loss) if reduction == "mean" else reduce_sum(loss)
    return (loss, exp(logs)) if return_softmax else loss


def _chosen(labels: np.ndarray, words: np.ndarray, classes: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels' places among the chosen classes, and the chosen classes."""
    if labels.size and not 0 <= labels.min() <= labels.max() < classes:
        raise OperatorIndexError(f"class_center_sample: labels must lie within 0 and {classes - 1}")
    present, places = np.unique(labels, return_inverse=True)
    generator = np.random.Generator(np.random.PCG64([int(word) for word in words]))
    others = np.setdiff1d(np.arange(classes, dtype=labels.dtype), present)
    more = generator.choice(others, max(count - present.size, 0), replace=False)
    return places.reshape(labels.shape).astype(labels.dtype), np.concatenate([present, more])


_choose = HostOperator("choose_class_centers", _chosen, differentiable=False)


def class_center_sample(label: Tensor, num_classes: int, num_samples: int, group: Any = None) -> tuple[Tensor, Tensor]:
    """Draw the classes that a step computes with: those of the labels, and others at random (arXiv 2010.05222).

    Args:
        label: True classes, integers (N,).
        num_classes: Number of classes.
        num_samples: How many are drawn; more where the labels alone are more.
        group: None or False: all classes are in this process.

    Returns:
        The labels' places among the drawn classes (N,), and the drawn classes, those of the labels first. How many
        depends on the data, so it is computed outside compiled programs.

    Raises:
        NotImplementedError: a group of processes is given.
        OperatorIndexError: a label is no class.
        OperatorError: the label is not 1-D, or more classes are wanted than there are.
    """
    _single(group, "class_center_sample")
    index = index_argument(label, "class_center_sample", "label")
    if index.ndim != 1 or not 0 < num_samples <= num_classes:
        raise OperatorError(
            f"class_center_sample: expects label (N,) and at most {num_classes} samples, got {index.shape}"
            f" and {num_samples}"
        )
    words = randint(0, _SEED_BOUND, [4])
    return apply(_choose, index, words, classes=int(num_classes), count=int(num_samples))
