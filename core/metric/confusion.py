"""The confusion matrix: which class was taken for which."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.metric.metric import Metric, as_array


class ConfusionMatrix(Metric):
    """Counts over batches: row = true class, column = predicted class.

    Args:
        class_num: the number of classes C.

    Raises:
        ValueError: ``class_num`` is not a positive integer.
    """

    def __init__(self, class_num: int) -> None:
        if not isinstance(class_num, int) or class_num < 1:
            raise ValueError(f"ConfusionMatrix: class_num must be a positive integer, not {class_num!r}")
        self.class_num = class_num
        self.reset()

    def reset(self) -> None:
        """Forget everything gathered so far."""
        self.matrix = np.zeros((self.class_num, self.class_num), dtype=np.int64)

    def update(self, pred: Any, label: Any) -> np.ndarray:
        """Take in one batch.

        Args:
            pred: scores, shape (N, C), or predicted class numbers, shape (N,).
            label: true class numbers, shape (N,) or (N, 1).

        Returns:
            The batch's own matrix, int64, shape (C, C).

        Raises:
            ValueError: the two differ in length, or a class number is outside 0 ... C-1.
        """
        predicted, true = as_array(pred), as_array(label).reshape(-1)
        if predicted.ndim == 2:
            predicted = predicted.argmax(axis=1)
        if predicted.shape != true.shape:
            raise ValueError(f"ConfusionMatrix: {predicted.shape[0]} predictions do not fit {true.shape[0]} labels")
        for values, kind in ((predicted, "predicted class"), (true, "label")):
            outside = values[(values < 0) | (values >= self.class_num)]
            if outside.size:
                raise ValueError(f"ConfusionMatrix: {kind} {int(outside[0])} is not one of 0 ... {self.class_num - 1}")
        pairs = true.astype(np.int64) * self.class_num + predicted.astype(np.int64)
        batch = np.bincount(pairs, minlength=self.class_num**2).reshape(self.class_num, self.class_num)
        self.matrix += batch
        return batch

    def accumulate(self) -> np.ndarray:
        """Return the counts since the last reset, int64, shape (C, C)."""
        return self.matrix.copy()

    def name(self) -> str:
        """Return "confusion_matrix"."""
        return "confusion_matrix"
