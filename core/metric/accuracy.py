"""Top-k accuracy: how often the right class is among the k best scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.metric.metric import Metric, as_array, like


class Accuracy(Metric):
    """Top-k accuracy over batches.

    Args:
        topk: the values of k to report.
        name: the metric's name; None: "acc". With several k the names are "acc_top1", "acc_top5" and so on.

    Raises:
        ValueError: a k is not a positive integer.
    """

    def __init__(self, topk: Sequence[int] = (1,), name: Optional[str] = None) -> None:
        self.topk = tuple(topk)
        if not self.topk or any(not isinstance(k, int) or k < 1 for k in self.topk):
            raise ValueError(f"Accuracy: topk must be positive integers, not {topk!r}")
        self.maxk = max(self.topk)
        base = name or "acc"
        self._names = [base] if len(self.topk) == 1 else [f"{base}_top{k}" for k in self.topk]
        self.reset()

    def compute(self, pred: Any, label: Any, *args: Any) -> Any:
        """Mark, for each of the best maxk classes of a sample, whether it is the right one.

        Args:
            pred: scores, shape (N, ..., C); a Tensor or an array.
            label: class numbers, shape (N, ...) or (N, ..., 1); or one-hot rows, shape (N, ..., C).

        Returns:
            Float32 zeros and ones, shape (N, ..., maxk), best class first; a Tensor when ``pred`` is one.

        Raises:
            ValueError: there are fewer than maxk classes, or the shapes do not fit.
        """
        scores, target = as_array(pred), as_array(label)
        if scores.shape[-1] < self.maxk:
            raise ValueError(f"Accuracy: top-{self.maxk} of {scores.shape[-1]} classes is not defined")
        ranked = np.argsort(-scores, axis=-1, kind="stable")[..., : self.maxk]
        if target.ndim == scores.ndim and target.shape[-1] != 1:
            target = np.argmax(target, axis=-1)[..., None]
        elif target.ndim == scores.ndim - 1:
            target = target[..., None]
        if target.shape[:-1] != scores.shape[:-1]:
            raise ValueError(
                f"Accuracy: labels of shape {as_array(label).shape} do not fit scores of shape {scores.shape}"
            )
        return like((ranked == target).astype(np.float32), pred)

    def update(self, correct: Any, *args: Any) -> Union[float, list[float]]:
        """Take in what :meth:`compute` returned.

        Args:
            correct: zeros and ones, shape (N, ..., maxk).

        Returns:
            The batch's accuracy, or a list with one for each k.
        """
        marks = as_array(correct)
        samples = int(np.prod(marks.shape[:-1]))
        hits = [float(marks[..., :k].sum()) for k in self.topk]
        for position, hit in enumerate(hits):
            self.total[position] += hit
            self.count[position] += samples
        return _one_or_list([hit / samples if samples else 0.0 for hit in hits])

    def reset(self) -> None:
        """Forget everything gathered so far."""
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def accumulate(self) -> Union[float, list[float]]:
        """Return the accuracy since the last reset, or a list with one for each k; 0.0 when nothing came in."""
        return _one_or_list([total / count if count else 0.0 for total, count in zip(self.total, self.count)])

    def name(self) -> list[str]:
        """Return one name for each k."""
        return self._names


def accuracy(
    input: Any,
    label: Any,
    k: int = 1,
    correct: Optional[Any] = None,
    total: Optional[Any] = None,
    name: Optional[str] = None,
) -> Any:
    """Return the share of samples whose class is among the k best scored.

    Args:
        input: scores, shape (N, C); a Tensor or an array.
        label: class numbers, shape (N, 1) or (N,).
        k: how many of the best classes count.
        correct: a Tensor that receives the number of right samples; None: it is not handed out.
        total: a Tensor that receives the number of samples; None: it is not handed out.
        name: accepted for compatibility and not used.

    Returns:
        A float32 number; a 0-D Tensor when ``input`` is a Tensor.

    Raises:
        ValueError: k exceeds the number of classes, or the shapes do not fit.
    """
    marks = as_array(Accuracy(topk=(k,)).compute(as_array(input), as_array(label)))
    for receiver, number in ((correct, marks.sum()), (total, marks.shape[0])):
        if receiver is not None:
            receiver.set_value(np.full(tuple(receiver.shape), number, dtype=as_array(receiver).dtype))
    share = marks.sum() / marks.shape[0] if marks.shape[0] else 0.0
    return like(np.asarray(share, dtype=np.float32), input)


def _one_or_list(values: list[float]) -> Union[float, list[float]]:
    return values[0] if len(values) == 1 else values
