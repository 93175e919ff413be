from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from core import nn
from core.train import load_config
from core.train.classification.evaluator import ClassificationEvaluator
from PaddleClas.config import ClassificationConfig
from PaddleClas.task import ClassificationTask

CONFIG = Path(__file__).resolve().parents[2] / "PaddleClas" / "configs" / "digits_lenet.yaml"
LOGITS = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 1.5, 0.0], [0.0, 0.0, 5.0]], np.float32)
LABELS = np.array([0, 1, 0, 2])


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_loss_is_the_smoothed_cross_entropy(smoothing: float) -> None:
    config = load_config(ClassificationConfig, CONFIG, [f"loss.label_smoothing={smoothing}", "network.class_num=10"])
    task = ClassificationTask(config)
    task.network = nn.Identity()
    loss, values = task.loss(core.to_tensor(LOGITS), core.to_tensor(LABELS))
    target = (1 - smoothing) * np.eye(3)[LABELS] + smoothing / 3
    assert float(loss) == pytest.approx(-(target * log_softmax(LOGITS)).sum(axis=1).mean(), rel=1e-5)
    assert float(values["accuracy"]) == 0.75


def test_evaluator_by_hand() -> None:
    evaluator = ClassificationEvaluator(3)
    for part in (slice(0, 3), slice(3, 4)):
        evaluator.update([LOGITS[part]], [None, core.to_tensor(LABELS[part])])
    result = evaluator.result()
    assert result["accuracy"] == 0.75
    assert result["loss"] == pytest.approx(-log_softmax(LOGITS)[range(4), LABELS].mean(), rel=1e-5)
    assert evaluator.predictions == [0, 1, 1, 2]
    np.testing.assert_array_equal(evaluator.confusion.matrix, [[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(evaluator.confidences, np.exp(log_softmax(LOGITS)).max(axis=1), rtol=1e-5)


def test_top5_counts_the_five_best() -> None:
    evaluator = ClassificationEvaluator(12)
    logits = -np.arange(12, dtype=np.float32)[None].repeat(2, axis=0)
    evaluator.update([logits], [None, core.to_tensor(np.array([4, 5]))])
    assert evaluator.result()["top5_accuracy"] == 0.5


@pytest.mark.parametrize("class_num", [7, 1000])
def test_outputs_for_other_classes_than_the_data_has_are_refused(class_num: int) -> None:
    config = load_config(ClassificationConfig, CONFIG, [f"network.class_num={class_num}"])
    expected = f"data.train has 10 classes, but network.class_num is {class_num}; set network.class_num: 10$"
    with pytest.raises(ValueError, match=expected):
        ClassificationTask(config).dataset("train")


def test_a_missing_split_is_named() -> None:
    config = load_config(ClassificationConfig, CONFIG, ["data.test=null"])
    task = ClassificationTask(config)
    assert task.loader("test") is None
    with pytest.raises(ValueError, match="the config has no data.test; it has train, valid"):
        task.dataset("test")
