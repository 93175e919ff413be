"""The mean cross entropy of rows of scores and class numbers, the most frequent form of the loss, as one operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import int64
from core.tensor import Tensor, apply


def _check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: a kernel would read other memory."""
    (scores, _), (labels, kind) = metas[:2]
    if len(scores) != 2 or 0 in scores or labels != (scores[0], 1) or kind is not int64:
        raise OperatorError(f"mean_cross_entropy: scores {list(scores)} and labels {list(labels)} do not fit")


_mean_cross_entropy = Operator(
    "mean_cross_entropy", None, check=_check, infer=lambda metas, options: [((), metas[0][1])]
)
mean_cross_entropy_backward = Operator(
    "mean_cross_entropy_backward",
    None,
    check=lambda metas, options: _check(metas[1:], options),
    infer=lambda metas, options: metas[1:2],
    differentiable=False,
)


def mean_cross_entropy(scores: Tensor, labels: Tensor, ignore_index: int) -> Tensor:
    """Return the mean of ``log(sum(exp(scores))) - scores[label]`` over rows whose label is not the ignored one, or 0.

    Args:
        scores: (N, C), float32 or float64, not empty.
        labels: int64 class numbers (N, 1).
        ignore_index: rows with this label count nothing.

    Raises:
        OperatorIndexError: a label is neither a class nor the ignored one (checked where labels can be read).
    """
    return apply(_mean_cross_entropy, scores, labels, ignore_index=ignore_index)


__all__: list[str] = []
