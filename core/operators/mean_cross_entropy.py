"""The operator of the mean cross entropy of a few scores, in a kernel of ours where the engine would need twenty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.door import Meta
from core.kernels.dtypes import float32, int64
from core.kernels.errors import OperatorError
from core.kernels.operator import HostOperator
from core.kernels.own_kernels import gradient_of_first, kernel
from core.operators.own_kernels import is_exported_or_mixed, is_for_our_kernel
from core.tensor import Tensor, apply

MOST_ELEMENTS = 2**15
"""Above it the engine's operators, on several threads, are as fast."""

_gradient = kernel("cross_entropy", "mean_cross_entropy_gradient")


def _check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    (scores, _), (labels, kind) = metas[-2:]
    if len(scores) != 2 or 0 in scores or labels != (scores[0], 1) or kind is not int64:
        raise OperatorError(f"mean_cross_entropy: scores {list(scores)} and labels {list(labels)} do not fit")


mean_cross_entropy = HostOperator(
    "mean_cross_entropy",
    kernel("cross_entropy", "mean_cross_entropy"),
    check=_check,
    infer=lambda metas, options: [((), float32)],
    fills=True,
    gradients=gradient_of_first(_gradient),
)
mean_cross_entropy_gradient = HostOperator(
    "mean_cross_entropy_gradient",
    _gradient,
    check=_check,
    infer=lambda metas, options: metas[1:2],
    fills=True,
    differentiable=False,
)


def in_one_kernel(scores: Tensor, labels: Tensor, ignore_index: int) -> Optional[Tensor]:
    """Return the mean cross entropy of scores (N, C) and labels (N, 1); None where the engine's operators serve.

    Args:
        scores: floating-point.
        labels: int64 class numbers.
        ignore_index: rows with this label count nothing.
    """
    if scores.ndim != 2 or is_exported_or_mixed() or not is_for_our_kernel(scores):
        return None
    if not 0 < scores.size <= MOST_ELEMENTS:
        return None
    return apply(mean_cross_entropy, scores, labels, ignore_index=ignore_index)  # type: ignore[no-any-return]


__all__: list[str] = []
