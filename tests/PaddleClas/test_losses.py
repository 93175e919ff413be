"""The losses against numpy, and what the task makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
import PaddleClas
from core import nn
from core.train import load_config
from core.train.classification.losses import LOSSES, CrossEntropy, FocalLoss, several_heads
from core.train.distillation import symmetric_divergence
from PaddleClas.config import ClassificationConfig
from PaddleClas.task import ClassificationTask

CONFIG = Path(__file__).resolve().parents[2] / "PaddleClas" / "configs" / "digits_lenet.yaml"
GENERATOR = np.random.RandomState(0)
LOGITS, OTHERS = GENERATOR.randn(2, 5, 4).astype("f4")
LABELS = np.array([0, 3, 1, 1, 2])
SHARES = GENERATOR.dirichlet(np.ones(4), 5).astype("f4")


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def test_every_loss_is_compared_with_numpy() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    missing = [name for name in LOSSES.entries if f" {name}(" not in here]
    assert missing == [], "compare these losses with NumPy in this file"


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy_of_numbers_and_of_shares(smoothing: float) -> None:
    loss = CrossEntropy(smoothing)
    for labels, shares in ((LABELS, np.eye(4)[LABELS]), (SHARES, SHARES)):
        target = (1 - smoothing) * shares + smoothing / 4
        expected = -(target * log_softmax(LOGITS)).sum(axis=1).mean()
        assert float(loss(core.to_tensor(LOGITS), core.to_tensor(labels))) == pytest.approx(expected, rel=1e-5)


def test_mixed_labels_cost_what_the_kits_mixed_loss_costs() -> None:
    weight, other = np.float32(0.3), np.array([1, 1, 0, 2, 3])
    each = log_softmax(LOGITS)
    both = -weight * each[range(5), LABELS].mean() - (1 - weight) * each[range(5), other].mean()
    shares = (weight * np.eye(4)[LABELS] + (1 - weight) * np.eye(4)[other]).astype("f4")
    assert float(CrossEntropy()(core.to_tensor(LOGITS), core.to_tensor(shares))) == pytest.approx(both, rel=1e-5)


@pytest.mark.parametrize("alpha", [None, [0.1, 0.2, 0.3, 0.4]])
def test_focal_loss(alpha: object) -> None:
    log_p = log_softmax(LOGITS)[range(5), LABELS]
    weights = np.ones(4) if alpha is None else np.array(alpha)
    expected = (weights[LABELS] * (1 - np.exp(log_p)) ** 2 * -log_p).mean()
    loss = FocalLoss(2.0, alpha)  # type: ignore[arg-type]
    assert float(loss(core.to_tensor(LOGITS), core.to_tensor(LABELS))) == pytest.approx(expected, rel=1e-5)


def test_focal_loss_without_focus_is_cross_entropy() -> None:
    arguments = core.to_tensor(LOGITS), core.to_tensor(SHARES)
    assert float(FocalLoss(0.0)(*arguments)) == pytest.approx(float(CrossEntropy()(*arguments)), rel=1e-6)


def test_several_heads_add_up() -> None:
    loss, labels = CrossEntropy(), core.to_tensor(LABELS)
    first, second = core.to_tensor(LOGITS), core.to_tensor(OTHERS)
    total = several_heads(loss, [first, second, second], labels)
    assert float(total) == pytest.approx(float(loss(first, labels)) + 0.6 * float(loss(second, labels)), rel=1e-6)
    assert float(several_heads(loss, first, labels)) == float(loss(first, labels))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CrossEntropy(1.0), "label_smoothing must be at least 0 and below 1, not 1.0"),
        (lambda: FocalLoss(-1.0), "gamma must not be negative, not -1.0"),
        (
            lambda: FocalLoss(alpha=[1.0])(core.to_tensor(LOGITS), core.to_tensor(LABELS)),
            "alpha has 1 weights for 4 classes",
        ),
    ],
)
def test_arguments_out_of_range_are_named(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


def test_a_teacher_is_followed_and_not_trained(tmp_path: Path) -> None:
    core.seed(1)
    core.save(PaddleClas.create_model("LeNet", class_num=10).state_dict(), str(tmp_path / "teacher.pdparams"))
    network = f"teacher.network={{name: LeNet, class_num: 10, pretrained: '{tmp_path / 'teacher.pdparams'}'}}"
    config = load_config(ClassificationConfig, CONFIG, [network, "teacher.weight=2.0"])
    task = ClassificationTask(config)
    task.train_mode()
    assert task.teacher is not None and not task.teacher.training
    images = core.to_tensor(GENERATOR.randn(4, 1, 28, 28).astype("f4"))
    loss, _ = task.loss(images, core.to_tensor(LABELS[:4]))
    expected = 2 * symmetric_divergence(task.network(images), task.teacher(images))
    assert float(loss) == pytest.approx(float(expected), rel=1e-5)
    loss.backward()
    assert all(parameter.grad is None for parameter in task.teacher.parameters())
    assert all(parameter.grad is not None for parameter in task.network.parameters())
    task.network.set_state_dict(task.teacher.state_dict())
    assert float(task.loss(images, core.to_tensor(LABELS[:4]))[0]) == 0


def test_a_teacher_of_other_classes_is_refused() -> None:
    config = load_config(ClassificationConfig, CONFIG, ["teacher={network: {name: LeNet, class_num: 7}}"])
    with pytest.raises(ValueError, match="teacher.network.class_num is 7, network.class_num is 10; make them equal"):
        ClassificationTask(config)


def test_decay_can_leave_out_norms_and_biases() -> None:
    changes = ["optimizer.decay_norm_and_bias=false", "optimizer.weight_decay=0.5"]
    config = load_config(ClassificationConfig, CONFIG, changes)
    task = ClassificationTask(config)
    task.network = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1D(2))
    (phase,) = task.phases(10, 2)
    before = [parameter.numpy().copy() for parameter in phase.parameters]
    for parameter in phase.parameters:
        (parameter.sum() * 0).backward()
    phase.optimizer.step()
    moved = [float(np.abs(parameter.numpy() - old).max()) for parameter, old in zip(phase.parameters, before)]
    assert moved[0] > 0 and moved[1:] == [0, 0, 0]


def test_a_mixed_batch_is_trained_on() -> None:
    config = load_config(ClassificationConfig, CONFIG, ["data.train.mix=[{name: Mixup, alpha: 0.2}, {name: CutMix}]"])
    task = ClassificationTask(config)
    loader = task.loader("train")
    assert loader is not None
    images, labels = next(iter(loader))
    assert labels.shape == [images.shape[0], 10] and labels.dtype is core.float32
    np.testing.assert_allclose(labels.numpy().sum(axis=1), 1, rtol=1e-6)
    loss, values = task.loss(images, labels)
    expected = -(labels.numpy() * log_softmax(task.network(images).numpy())).sum(axis=1).mean()
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    assert 0 <= float(values["accuracy"]) <= 1
    for split in ("valid", "test"):
        batch = next(iter(task.loader(split)))  # type: ignore[call-overload]
        assert batch[1].ndim == 1
