from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from core.metric import Accuracy, ConfusionMatrix, Metric, accuracy

SCORES = np.array([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.6, 0.1, 0.3]], dtype=np.float32)
LABELS = np.array([1, 1, 2, 2])


def test_top_k_counts_by_hand() -> None:
    metric = Accuracy(topk=(1, 2))
    correct = metric.compute(SCORES, LABELS)
    np.testing.assert_array_equal(correct, [[1, 0], [0, 1], [1, 0], [0, 1]])
    assert correct.dtype == np.float32
    assert metric.update(correct) == [0.5, 1.0]
    assert metric.name() == ["acc_top1", "acc_top2"]


def test_accumulates_over_batches_of_different_size() -> None:
    metric = Accuracy()
    assert metric.update(metric.compute(SCORES[:3], LABELS[:3])) == pytest.approx(2 / 3)
    assert metric.update(metric.compute(SCORES[3:], LABELS[3:])) == 0.0
    assert metric.accumulate() == 0.5
    metric.reset()
    assert metric.accumulate() == 0.0
    assert metric.name() == ["acc"]


@pytest.mark.parametrize("labels", [LABELS[:, None], np.eye(3)[LABELS]], ids=["column", "one-hot"])
def test_label_forms_agree(labels: np.ndarray) -> None:
    metric = Accuracy(topk=(2,))
    np.testing.assert_array_equal(metric.compute(SCORES, labels), metric.compute(SCORES, LABELS))


def test_functional_accuracy() -> None:
    assert accuracy(SCORES, LABELS[:, None]) == 0.5
    assert accuracy(SCORES, LABELS, k=2) == 1.0
    assert accuracy(SCORES, LABELS).shape == ()


def test_accuracy_errors() -> None:
    with pytest.raises(ValueError, match=r"topk must be positive integers, not \(0,\)"):
        Accuracy(topk=(0,))
    with pytest.raises(ValueError, match="top-5 of 3 classes is not defined"):
        Accuracy(topk=(5,)).compute(SCORES, LABELS)
    with pytest.raises(ValueError, match=r"labels of shape \(3,\) do not fit scores of shape \(4, 3\)"):
        Accuracy().compute(SCORES, LABELS[:3])


def test_metric_is_abstract() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Metric()  # type: ignore[abstract]


def test_confusion_matrix_by_hand() -> None:
    metric = ConfusionMatrix(3)
    metric.update(SCORES, LABELS)
    metric.update(np.array([0, 0]), np.array([[0], [1]]))
    np.testing.assert_array_equal(metric.accumulate(), [[1, 0, 0], [2, 1, 0], [1, 0, 1]])
    metric.reset()
    assert metric.accumulate().sum() == 0


def test_confusion_matrix_errors() -> None:
    metric = ConfusionMatrix(2)
    with pytest.raises(ValueError, match="label 2 is not one of 0 ... 1"):
        metric.update(np.array([0]), np.array([2]))
    with pytest.raises(ValueError, match="predicted class -1 is not one of 0 ... 1"):
        metric.update(np.array([-1]), np.array([0]))
    with pytest.raises(ValueError, match="1 predictions do not fit 2 labels"):
        metric.update(np.array([0]), np.array([0, 1]))
    with pytest.raises(ValueError, match="class_num must be a positive integer, not 0"):
        ConfusionMatrix(0)


def test_metrics_do_not_load_the_engine() -> None:
    code = (
        "import sys, numpy, core.metric as m; a = m.Accuracy(); a.update(a.compute(numpy.eye(3), numpy.arange(3))); "
        "assert a.accumulate() == 1.0; assert 'mxnet' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
