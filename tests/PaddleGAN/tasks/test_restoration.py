"""The tasks of restoration: losses by hand, numbers of an evaluation, and what does not fit together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.train.config.schema import ConfigError
from PaddleGAN.data import imresize
from PaddleGAN.losses import GANLoss, charbonnier, relativistic
from PaddleGAN.metrics import psnr, ssim
from PaddleGAN.tasks.restoration import RestorationEvaluator
from tests.PaddleGAN.tasks.translations import batch_of, task_of

LEARNER = "optimizer: {name: Adam}, schedule: {name: Constant, learning_rate: 0.01}"
PAN = "{name: PAN, nf: 4, unf: 4, nb: 1, scale: 2}"
FACES = "{name: SRFaces, count: 4, size: 32, scale: 2}"


def config(
    folder: Path, task: str = "{name: SuperResolution}", network: str = PAN, data: str = FACES, critic: str = ""
) -> Path:
    """Write a config that trains on drawn faces for two epochs of two steps."""
    split = f"{{dataset: {data}, transforms: [{{name: ToTensor}}], batch_size: 2}}"
    lines = [
        f"output: {folder / 'run'}",
        f"task: {task}",
        f"generator: {{network: {network}, {LEARNER}}}",
        f"discriminator: {{network: {critic}, {LEARNER}}}" if critic else "discriminator: null",
        f"data: {{train: {split}, test: {split}}}",
        "train: {epochs: 2, tensorboard: false}",
        "samples: {count: 2}",
    ]
    path = folder / "config.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def distance(one: Any, other: Any) -> float:
    return float(np.abs(one.numpy().astype(np.float64) - other.numpy()).mean())


def test_the_loss_is_the_distance_of_pictures(tmp_path: Path) -> None:
    task = task_of(config(tmp_path))
    given, wanted = batch_of(task)
    loss, _ = task.loss(given, wanted)
    assert float(loss) == pytest.approx(distance(task.generator(given), wanted), rel=1e-5)
    assert "from 3 x 16 x 16 to 3 x 32 x 32; parameters: " in "\n".join(task.facts())
    difference = core.to_tensor(np.array([0.3, -0.4], np.float32))
    assert float(charbonnier(difference, core.zeros([2]))) == pytest.approx(0.35, abs=1e-6)


def test_drn_s_loss_by_hand(tmp_path: Path) -> None:
    network = "{name: DRNGenerator, scale: [2, 4], n_blocks: 1, n_feats: 8, rgb_range: 10}"
    data = "{name: SRFaces, count: 2, size: 32, scale: 4}"
    task = task_of(config(tmp_path, "{name: DRN, lq_loss_weight: 0.2, dual_loss_weight: 0.3}", network, data))
    given, wanted = batch_of(task)
    loss, parts = task.loss(given, wanted)
    made = task.generator(given * 10)
    between = core.nn.functional.interpolate(wanted * 10, scale_factor=0.5, mode="bicubic")
    primary = distance(made[2], wanted * 10) + 0.2 * (distance(made[0], given * 10) + distance(made[1], between))
    first, second = task.ways_back
    dual = distance(first(made[1]), given * 10) + 0.3 * distance(second(made[2]), between)
    assert float(parts["primary"]) == pytest.approx(primary, rel=1e-4)
    assert float(parts["dual"]) == pytest.approx(dual, rel=1e-4)
    assert float(loss) == pytest.approx(primary + dual, rel=1e-4)
    assert [*task.networks] == ["generator", "dual_model_0", "dual_model_1"]
    np.testing.assert_allclose(task.predict(given)[0].numpy(), made[2].numpy() / 10, atol=1e-5)


def test_relativistic_losses_by_hand() -> None:
    real, fake = np.array([[1.0], [2.0]]), np.array([[0.5], [-1.5]])

    def cross_entropy(logits: np.ndarray, label: float) -> float:
        return float((np.log1p(np.exp(-logits)) + (1 - label) * logits).mean())

    tensors = core.to_tensor(real), core.to_tensor(fake)
    for is_disc in (True, False):
        label = float(is_disc)
        expected = cross_entropy(real - fake.mean(), label) + cross_entropy(fake - real.mean(), 1 - label)
        found = relativistic(GANLoss("vanilla"), *tensors, is_disc=is_disc)
        assert float(found) == pytest.approx(expected / 2)


@pytest.mark.exhaustive
def test_esrgan_s_losses_by_hand(tmp_path: Path) -> None:
    critic = "{name: VGGDiscriminator128, num_feat: 2, image_size: 32}"
    task = task_of(config(tmp_path, "{name: ESRGAN, lambda_pixel: 0.5, lambda_perceptual: 0}", critic=critic))
    given, wanted = batch_of(task)
    task.train_mode()
    loss, parts = task.generator_loss(given, wanted)
    made = task.generator(given)
    assert float(parts["pixel"]) == pytest.approx(distance(made, wanted), rel=1e-5)
    assert float(loss) == pytest.approx(0.5 * float(parts["pixel"]) + 0.005 * float(parts["adversarial"]), rel=1e-5)
    real, fake = task.discriminator(wanted), task.discriminator(made)
    expected = relativistic(GANLoss("vanilla"), real, fake, is_disc=False)
    assert float(parts["adversarial"]) == pytest.approx(float(expected), rel=1e-5)
    loss, _ = task.discriminator_loss(given, wanted, made)
    assert float(loss) == pytest.approx(float(relativistic(GANLoss("vanilla"), real, fake, is_disc=True)), rel=1e-5)


def test_an_evaluation_compares_bytes_and_bicubic_enlargements() -> None:
    source = np.random.default_rng(0)
    wanted = source.integers(0, 256, (2, 24, 28, 3), np.uint8)
    small = np.stack([imresize(picture, 0.5) for picture in wanted])
    made = source.integers(0, 256, wanted.shape, np.uint8)

    def fractions(pictures: np.ndarray) -> np.ndarray:
        return pictures.transpose(0, 3, 1, 2).astype(np.float32) / 255

    evaluator = RestorationEvaluator(2, 2, True)
    evaluator.update([fractions(made)], [core.to_tensor(fractions(small)), core.to_tensor(fractions(wanted))])
    enlarged = np.stack([imresize(picture, 2) for picture in small])
    for prefix, pictures in (("", made), ("bicubic_", enlarged)):
        for name, function in (("psnr", psnr), ("ssim", ssim)):
            expected = function(pictures, wanted, 2, True).mean()
            assert evaluator.result()[prefix + name] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": "{name: RRDBNet, nf: 4, nb: 1, gc: 2}"}, "dataset.scale is 2, and the RRDBNet .* enlarges by 4"),
        ({"task": "{name: SuperResolution, pixel: l3}"}, "task.pixel must be one of l1, charbonnier, mse, not 'l3'"),
        ({"task": "{name: SuperResolution, crop_border: -1}"}, "task.crop_border must not be negative, not -1"),
        ({"critic": "{name: VGGDiscriminator128}"}, "discriminator: SuperResolution has none; leave the section out"),
        ({"task": "{name: ESRGAN}"}, "discriminator: ESRGAN needs one of VGGDiscriminator128; add the section"),
        (
            {"task": "{name: ESRGAN, lambda_perceptual: 0}", "critic": "{name: VGGDiscriminator128}"},
            "discriminator.network.image_size is 128, and the pictures of data.train have 32 pixels a side",
        ),
        ({"data": "{name: Faces, count: 2, size: 32}"}, "learns from pairs of pictures of two sizes, which a Faces"),
        (
            {
                "task": "{name: VideoRestoration}",
                "network": "{name: EDVRNet, nf: 4, groups: 2, nframes: 5}",
                "data": "{name: MovingFaces, count: 2, size: 32, number_frames: 3}",
            },
            "the samples have 3 frames, and generator.network.nframes is 5; both must be the same",
        ),
        ({"task": "{name: DRN, dual_loss_weight: -1}"}, "trains the generators DRNGenerator, not PAN"),
    ],
)
def test_what_does_not_fit_together(changes: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises((ValueError, ConfigError), match=message):
        task_of(config(tmp_path, **changes)).facts()


@pytest.mark.exhaustive
def test_windows_become_their_middle_frames(tmp_path: Path) -> None:
    network = "{name: EDVRNet, nf: 4, groups: 2, nframes: 3, front_RBs: 1, back_RBs: 1}"
    data = "{name: MovingFaces, count: 2, size: 32, number_frames: 3}"
    task = task_of(config(tmp_path, "{name: VideoRestoration}", network, data))
    assert "from 3 x 3 x 8 x 8 to 3 x 32 x 32" in "\n".join(task.facts())
    given, wanted = batch_of(task)
    loss, _ = task.loss(given, wanted)
    expected = np.sqrt((task.generator(given).numpy().astype(np.float64) - wanted.numpy()) ** 2 + 1e-12).mean()
    assert float(loss) == pytest.approx(expected, rel=1e-5)
    task.eval_mode()
    assert task.sheet().ndim == 3
    evaluator = task.evaluator("test")
    evaluator.update([task.predict(given)[0].numpy()], [given, wanted])
    pictures = given.numpy()[:, 1], wanted.numpy()
    small, large = (np.rint(np.moveaxis(one, 1, -1) * 255).astype(np.uint8) for one in pictures)
    expected = psnr(np.stack([imresize(one, 4) for one in small]), large).mean()
    assert evaluator.result()["bicubic_psnr"] == pytest.approx(expected)
