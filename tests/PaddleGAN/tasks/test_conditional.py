"""CGAN's losses by numpy, its sheet, and what its data must be."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import core
from core.drawing.sheets import GAP, layout
from core.train import load_config
from PaddleGAN.config import TASKS, GANConfig
from PaddleGAN.tasks.conditional import AgreementEvaluator
from tests.PaddleGAN.small_runs import CGAN, CONFIGS, write_blobs


def task_for(*changes: str) -> Any:
    loaded = load_config(GANConfig, CONFIGS / "fashion_mnist_cgan.yaml", [*CGAN, *changes])
    core.seed(3)
    return TASKS.build(loaded.task, config=loaded)


def test_both_networks_are_told_the_class() -> None:
    task = task_for()
    noise = core.to_tensor(np.random.RandomState(1).randn(4, 6).astype(np.float32))
    task.draw = lambda like: noise
    images = core.to_tensor(np.random.RandomState(2).rand(4, 1, 28, 28).astype(np.float32))
    classes = core.to_tensor(np.array([0, 2, 1, 2]))
    made = task.generator(noise, classes)
    real, fake = task.discriminator(images, classes).numpy(), task.discriminator(made, classes).numpy()
    loss, values = task.discriminator_loss(images, classes)
    expected = np.logaddexp(0, -real).mean() + np.logaddexp(0, fake).mean()
    assert float(loss) == pytest.approx(expected, rel=1e-5)
    assert float(values["real"]) == pytest.approx(real.mean(), rel=1e-4)
    generator_loss, _ = task.generator_loss(images, classes)
    assert float(generator_loss) == pytest.approx(np.logaddexp(0, -fake).mean(), rel=1e-5)
    others = core.to_tensor(np.array([1, 1, 1, 1]))
    assert not np.allclose(task.generator(noise, others).numpy(), made.numpy())
    (predicted,) = task.predict(images, classes, noise)
    np.testing.assert_allclose(predicted.numpy(), made.numpy(), rtol=1e-5, atol=1e-7)


def test_several_images_of_each_samples_class_are_judged() -> None:
    task = task_for()
    task.eval_mode()
    noise = np.random.RandomState(1).randn(2, 3, 6).astype(np.float32)
    (predicted,) = task.predict(core.zeros([2, 1, 28, 28]), core.to_tensor([2, 0]), core.to_tensor(noise))
    expected = task.generator(core.to_tensor(noise.reshape(6, 6)), core.to_tensor([2, 2, 2, 0, 0, 0]))
    np.testing.assert_allclose(predicted.numpy(), expected.numpy(), rtol=1e-5, atol=1e-7)
    judge = SimpleNamespace(predict=lambda images: np.asarray(images)[:, 0].astype(np.int64))
    evaluator = AgreementEvaluator(lambda images: np.asarray(images), judge)
    seen = np.array([[2.0, 0], [1, 1], [2, 2], [0, 3], [0, 4], [0, 5]])
    evaluator.update([seen], [np.array([[2.0, 1], [1, 0]]), core.to_tensor([2, 0])])
    found = evaluator.result()
    assert (found["agreement"], found["agreement_of_real"]) == (pytest.approx(5 / 6), 0.5)


def test_real_images_under_wrong_classes_are_rejected_too() -> None:
    task = task_for("task.mismatched=true")
    task.discriminator.eval()
    noise = core.to_tensor(np.random.RandomState(1).randn(4, 6).astype(np.float32))
    task.draw = lambda like: noise
    images = core.to_tensor(np.random.RandomState(2).rand(4, 1, 28, 28).astype(np.float32))
    classes, others = core.to_tensor([0, 2, 1, 2]), core.to_tensor([1, 0, 0, 1])
    drawn = np.stack([task.other_classes(classes).numpy() for _ in range(200)])
    for column, wanted in zip(drawn.T, ({1, 2}, {0, 1}, {0, 2}, {0, 1})):
        assert set(column) == wanted and 60 < (column == min(wanted)).sum() < 140
    task.other_classes = lambda given: others
    made = task.generator(noise, classes)
    real, fake, wrong = (
        task.discriminator(*given).numpy() for given in ((images, classes), (made, classes), (images, others))
    )
    expected = np.logaddexp(0, -real).mean() + (np.logaddexp(0, fake).mean() + np.logaddexp(0, wrong).mean()) / 2
    assert float(task.discriminator_loss(images, classes)[0]) == pytest.approx(expected, rel=1e-5)
    with pytest.raises(ValueError, match="task.mismatched: there is no wrong class where generator.network.n_class"):
        task_for("task.mismatched=true", "generator.network.n_class=1", "discriminator.network.n_class=1")


def test_the_temperature_scales_noise_outside_training(tmp_path: Path) -> None:
    data = f"data.root={write_blobs(tmp_path)}"
    warm, cold = task_for(data), task_for(data, "task.temperature=0.25")
    np.testing.assert_array_equal(cold.noise(3, 7), warm.noise(3, 7) / 4)
    np.testing.assert_array_equal(cold.fields("test")[5][-1], warm.fields("test")[5][-1] / 4)
    like = core.zeros([400, 1, 28, 28])
    assert cold.draw(like).numpy().std() == pytest.approx(1, abs=0.1)
    with pytest.raises(ValueError, match="task.temperature must be more than 0, not 0.0"):
        task_for("task.temperature=0.0")


def test_the_sheet_has_a_row_for_each_class() -> None:
    task = task_for("samples.count=6")
    task.eval_mode()
    found = task.sheet()
    place = layout(28, 28, 3, 2, False, ["0 T-shirt/top", "1 Trouser", "2 Pullover"], True)
    assert found.shape[:2] == tuple(part.stop + GAP for part in place.box(2, 1))
    noise = task.noise(6, 0)
    np.testing.assert_array_equal(noise, np.random.default_rng(0).standard_normal((6, 6), np.float32))
    last = task.generator(core.to_tensor(noise[5:]), core.to_tensor(np.array([2]))).numpy()[0, 0]
    np.testing.assert_array_equal(place.picture(found, 2, 1)[:, :, 0], np.rint((last + 1) * 127.5).astype(np.uint8))


def test_the_classes_of_the_data_are_checked(tmp_path: Path) -> None:
    data = write_blobs(tmp_path)
    facts = task_for(f"data.root={data}").facts()
    assert facts == ["data: 24 train, 12 test (FashionMNIST)", "3 classes"]
    two = ("generator.network.n_class=2", "discriminator.network.n_class=2")
    with pytest.raises(ValueError, match="data.train: an image is of class 2, but generator.network.n_class is 2"):
        task_for(f"data.root={data}", *two).facts()
    with pytest.raises(ValueError, match="generator.network.n_class is 3, discriminator.network.n_class is 4: make"):
        task_for("discriminator.network.n_class=4")
    with pytest.raises(ValueError, match="Faces has no classes, which ConditionalGAN needs"):
        task_for("data.train.dataset={name: Faces, count: 4, size: 32}", "data.root=null", "data.test=null").facts()
    with pytest.raises(ValueError, match="task.gan_mode: ConditionalGAN has no gradient penalty"):
        task_for("task.gan_mode=wgangp")
