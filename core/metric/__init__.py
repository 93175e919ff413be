"""Metrics under the names of ``paddle.metric``, computed in numpy, and the confusion matrix."""

from __future__ import annotations

from core.metric.accuracy import Accuracy, accuracy
from core.metric.binary import Auc, Precision, Recall
from core.metric.confusion import ConfusionMatrix
from core.metric.metric import Metric

__all__ = ["Accuracy", "Auc", "ConfusionMatrix", "Metric", "Precision", "Recall", "accuracy"]
