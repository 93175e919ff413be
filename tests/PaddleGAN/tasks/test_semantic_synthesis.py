"""SPADE: classes from colors, its losses by numpy, the perceptual loss, a whole run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.nn import functional as F
from PaddleClas.models.vgg import ConvBlock
from PaddleGAN import export, infer, perceptual, train
from PaddleGAN.tasks.semantic_synthesis import one_hot
from tests.PaddleGAN.tasks.translations import batch_of, paired_config, task_of

SMALL = (
    "{name: SPADE, palette: [[0, 0, 0], [255, 0, 0], [128, 128, 128]]}",
    "{name: SPADEGenerator, semantic_nc: 3, ngf: 1}",
    "{name: MultiscaleDiscriminator, input_nc: 6, ndf: 2, num_D: 2, n_layers: 2}",
)


@pytest.fixture(autouse=True)
def without_vgg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("PaddleGAN.tasks.semantic_synthesis.vgg_path", lambda: tmp_path / "VGG19.pdparams")


def test_a_pixel_is_of_the_class_whose_color_is_nearest() -> None:
    palette = np.array([[0, 0, 0], [255, 0, 0], [128, 128, 128]], np.float32) / 127.5 - 1
    pixels = np.array([[[3, 9, 0], [240, 20, 8]], [[120, 140, 119], [254, 1, 2]]], np.float32) / 127.5 - 1
    found = one_hot(core.to_tensor(pixels.transpose(2, 0, 1)[None]), palette).numpy()
    np.testing.assert_array_equal(found[0].argmax(axis=0), [[0, 1], [2, 1]])
    np.testing.assert_array_equal(found.sum(axis=1), np.ones((1, 2, 2)))


def test_both_losses(tmp_path: Path) -> None:
    task = task_of(paired_config(tmp_path, *SMALL))
    task.eval_mode()  # spectral normalisation moves its vectors in training
    maps, photographs = batch_of(task)
    classes = one_hot(maps, task.palette)
    made = task.generator(classes)
    fake, real = (task.discriminator(core.concat([classes, pictures], 1)) for pictures in (made, photographs))
    loss, values = task.generator_loss(maps, photographs)
    adversarial = -np.mean([scale[-1].numpy().mean() for scale in fake])
    matching = sum(
        np.abs(one.numpy() - other.numpy()).mean()
        for left, right in zip(fake, real)
        for one, other in zip(left[:-1], right[:-1])
    )
    assert float(loss) == pytest.approx(adversarial + 10 * matching / 2, rel=1e-4)
    np.testing.assert_allclose(values["made"].numpy(), made.numpy(), atol=1e-6)
    loss, _ = task.discriminator_loss(maps, photographs, made)
    hinges = [
        np.maximum(1 - real[0][-1].numpy(), 0).mean(), np.maximum(1 - real[1][-1].numpy(), 0).mean(),
        np.maximum(1 + fake[0][-1].numpy(), 0).mean(), np.maximum(1 + fake[1][-1].numpy(), 0).mean(),
    ]  # fmt: skip
    assert float(loss) == pytest.approx(sum(hinges) / 2, rel=1e-4)


class SmallVGG(nn.Layer):
    """Five blocks of few channels."""

    def __init__(self) -> None:
        super().__init__()
        for number, (given, made) in enumerate(((3, 2), (2, 3), (3, 2), (2, 2), (2, 2)), start=1):
            self.add_sublayer(f"conv_block_{number}", ConvBlock(given, made, 1 + number % 2))


def test_the_perceptual_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = SmallVGG()
    monkeypatch.setattr(perceptual, "VGG19", lambda pretrained: network)
    task = task_of(paired_config(tmp_path, *SMALL), f"task.vgg_weights={tmp_path / 'mine.pdparams'}")
    images, targets = batch_of(task)
    images.stop_gradient = False
    loss = task.perceptual(images, targets)
    maps: list[list[Any]] = []
    for pictures in (images, targets):
        scaled = (pictures.numpy() + 1) / 2
        x = core.to_tensor(
            (scaled - np.reshape([0.485, 0.456, 0.406], (1, 3, 1, 1))) / np.reshape([0.229, 0.224, 0.225], (1, 3, 1, 1))
        )
        x, firsts = x.astype("float32"), []
        for block in network.children():
            firsts.append(F.relu(block.conv1(x)).numpy())
            x = block(x)
        maps.append(firsts)
    expected = sum(
        weight * np.abs(one - other).mean() for weight, one, other in zip((1 / 32, 1 / 16, 1 / 8, 1 / 4, 1), *maps)
    )
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    loss.backward()
    assert np.abs(images.grad.numpy()).max() > 0
    assert all(parameter.grad is None for parameter in network.parameters())
    total, values = task.generator_loss(images, targets)
    parts = float(values["adversarial"]) + 10 * float(values["feature"]) + 10 * float(values["vgg"])
    assert float(total) == pytest.approx(parts, rel=1e-4)
    assert "note: no perceptual loss" not in "".join(task.facts())


def test_only_training_reads_the_weights_of_the_perceptual_loss(tmp_path: Path) -> None:
    task = task_of(paired_config(tmp_path, *SMALL), f"task.vgg_weights={tmp_path / 'gone.pdparams'}")
    assert task.translators["AtoB"](batch_of(task)[0]).shape == [2, 3, 32, 32]
    for needs in (task.facts, lambda: task.phases(1, 1)):
        with pytest.raises(FileNotFoundError, match="gone.pdparams"):
            needs()


def test_a_run_paints_and_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = str(paired_config(tmp_path, *SMALL))
    assert train.main(["-c", config, "-o", "train.epochs=2"]) == 0
    output = capsys.readouterr().out
    assert "3 classes\nnote: no perceptual loss, as the weights of VGG-19 are not at" in output
    run = tmp_path / "run"
    assert infer.main(["translate", str(run)]) == 0 and (run / "translate" / "00002.png").is_file()
    assert export.main([str(run)]) == 0
    assert "classes float32 [any, 3, 32, 32], 1 where a pixel has the class, to images" in capsys.readouterr().out
    task = task_of(run / "config.yaml")
    classes = one_hot(batch_of(task)[0], task.palette).numpy()
    assert core.jit.Predictor(str(run / "exported")).run(classes).shape == (2, 3, 32, 32)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.palette=[[0, 0, 0]]", "task.palette: give two or more different colors, one for each class"),
        ("task.palette=[[0, 0, 0], [0, 0, 256]]", "task.palette: give two or more different colors"),
        ("task.palette=[[0, 0, 0], [0, 0, 0]]", "task.palette: give two or more different colors"),
        ("task.lambda_vgg=-1.0", "task.lambda_vgg must not be negative, not -1.0"),
        ("discriminator.network.input_nc=3", "discriminator.network.input_nc must be 6 for 3 classes, not 3"),
        (
            "discriminator.network={name: MultiscaleDiscriminator, ndf: 2, n_layers: 2, crop_size: 32, label_nc: 4}",
            "discriminator.network.label_nc must be 3 for 3 classes, not 4",
        ),
        ("generator.network.semantic_nc=4", "generator.network.semantic_nc must be 3 for 3 classes, not 4"),
    ],
)
def test_settings_that_cannot_be(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        task_of(paired_config(tmp_path, *SMALL), change)
