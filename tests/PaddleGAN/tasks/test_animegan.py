"""AnimeGAN: its losses and VGG-19 by numpy, its data, its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.io.randomness import batch_scope
from core.vision.image import read_image
from PaddleGAN import train
from PaddleGAN.caffe_vgg import CaffeVGG19, names
from PaddleGAN.data.anime import AnimeGANV2Dataset, ResizeToScale, smooth_edges, tint
from PaddleGAN.tasks.animegan import as_bright, color_loss, gram, total_variation
from tests.PaddleGAN.tasks.translations import NUMBERS, task_of, write_film
from tests.PaddleGAN.vgg_file import CHANNELS, write_vgg
from tests.parity.PaddleGAN.weights import images


def anime_config(folder: Path, task: str = "AnimeGAN") -> Path:
    """Write the film, VGG-19 with few channels, and a config that trains on them."""
    write_film(folder)
    write_vgg(folder / "vgg.npy")
    learning = "optimizer: {name: Adam, beta1: 0.5}, schedule: {name: Constant, learning_rate: 0.001}"
    transforms = f"transforms: [{NUMBERS}]"
    path = folder / "config.yaml"
    path.write_text(
        f"output: {folder / 'run'}\n"
        f"task: {{name: {task}, vgg_weights: {folder / 'vgg.npy'}}}\n"
        f"generator: {{network: {{name: AnimeGeneratorLite}}, {learning}}}\n"
        f"discriminator: {{network: {{name: AnimeDiscriminator, channel: 4}}, {learning}}}\n"
        f"data:\n  root: {folder}\n"
        f"  train: {{dataset: {{name: AnimeGANV2Dataset, root: .}}, {transforms}, batch_size: 2}}\n"
        f"  test: {{dataset: {{name: UnpairedDataset, root_a: train_photo, root_b: Hayao/style, random_b: false}}, "
        f"{transforms}, batch_size: 2}}\n"
        "train: {epochs: 2, tensorboard: false}\nsamples: {count: 2}\n",
        encoding="utf-8",
    )
    return path


def convolved(x: np.ndarray, kernel: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Return a 3 x 3 convolution of (C, H, W) by a kernel (3, 3, C, D)."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    height, width = x.shape[1:]
    total = np.zeros((kernel.shape[3], height, width))
    for row in range(3):
        for column in range(3):
            part = padded[:, row : row + height, column : column + width]
            total += np.einsum("chw,cd->dhw", part, kernel[row, column])
    return total + bias[:, None, None]


def test_vgg_is_its_convolutions(tmp_path: Path) -> None:
    weights = write_vgg(tmp_path / "vgg.npy")
    picture = images("a picture", 1, 3, 16, 16)
    x = (picture[0, ::-1].astype(np.float64) * 0.5 + 0.5) * 255 - np.array([103.939, 116.779, 123.68])[:, None, None]
    for name in names():
        x = convolved(x, *weights[name])
        if name == "conv4_4":
            break
        x = np.maximum(x, 0)
        if name in ("conv1_2", "conv2_2", "conv3_4"):
            x = x.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2] // 2, 2).max(axis=(2, 4))
    found = CaffeVGG19(str(tmp_path / "vgg.npy"))(core.to_tensor(picture)).numpy()[0]
    assert found.shape == (CHANNELS, 2, 2) and np.abs(x).max() > 1
    np.testing.assert_allclose(found, x, rtol=1e-4, atol=1e-4 * np.abs(x).max())


def test_files_that_are_no_vgg(tmp_path: Path) -> None:
    np.save(tmp_path / "numbers.npy", np.zeros(3))
    with pytest.raises(ValueError, match=r"numbers.npy': it holds an array \(3,\) of float64, not one object"):
        CaffeVGG19(str(tmp_path / "numbers.npy"))
    weights = write_vgg(tmp_path / "vgg.npy")
    weights["conv2_1"][0] = weights["conv2_1"][0][:, :, :1]
    np.save(tmp_path / "vgg.npy", weights, allow_pickle=True)
    with pytest.raises(ValueError, match=r"conv2_1 is to be a kernel \(3, 3, 4, channels\) and a bias"):
        CaffeVGG19(str(tmp_path / "vgg.npy"))


def test_the_parts_of_the_loss() -> None:
    maps = images("maps", 2, 3, 4, 5)
    rows = maps.reshape(2, 3, 20)
    np.testing.assert_allclose(
        gram(core.to_tensor(maps)).numpy(), np.einsum("ncp,ndp->ncd", rows, rows) / 60, rtol=1e-5, atol=1e-7
    )
    one, other = images("one", 2, 3, 4, 4) * 3, images("other", 2, 3, 4, 4) * 3
    to_yuv = np.array(
        [
            [0.299, -0.14714119, 0.61497538],
            [0.587, -0.28886916, -0.51496512],
            [0.114, 0.43601035, -0.10001026],
        ]
    )
    first, second = (((part * 0.5 + 0.5).transpose(0, 2, 3, 1)) @ to_yuv for part in (one, other))
    apart = np.abs(first - second)
    huber = np.where(apart < 1, apart**2 / 2, apart - 0.5)
    expected = apart[..., 0].mean() + huber[..., 1].mean() + huber[..., 2].mean()
    assert (apart[..., 1] > 1).any()
    assert float(color_loss(core.to_tensor(one), core.to_tensor(other))) == pytest.approx(expected, rel=1e-5)
    expected = np.abs(np.diff(one, axis=2)).mean() + np.abs(np.diff(one, axis=3)).mean()
    assert float(total_variation(core.to_tensor(one))) == pytest.approx(expected, rel=1e-5)


def test_all_losses(tmp_path: Path) -> None:
    task = task_of(anime_config(tmp_path), "task.content=2.0", "task.generator_adversarial=20.0")
    task.eval_mode()
    fields = [core.to_tensor(np.stack(field)) for field in zip(*task.first("train", 2))]
    made = task.generator(fields[0])

    def squared(pictures: Any, wanted: float) -> float:
        return float(((task.discriminator(pictures).numpy() - wanted) ** 2).mean())

    loss, values = task.discriminator_loss(*fields)
    judged = ((1.2, fields[1], 1), (1.2, fields[2], 0), (1.2, made, 0), (0.8, fields[3], 0))
    parts = [factor * squared(pictures, wanted) for factor, pictures, wanted in judged]
    assert [float(value) for value in values.values()] == pytest.approx(parts, rel=1e-4)
    assert float(loss) == pytest.approx(300 * sum(parts), rel=1e-4)
    seen, wanted, styled = (task.vgg(pictures).numpy() for pictures in (made, fields[0], fields[2]))
    rows = [maps.reshape(2, CHANNELS, -1) for maps in (seen, styled)]
    grams = [np.einsum("ncp,ndp->ncd", part, part) / seen[0].size for part in rows]
    loss, values = task.generator_loss(*fields)
    expected = {
        "adversarial": squared(made, 1),
        "content": np.abs(seen - wanted).mean(),
        "style": np.abs(grams[0] - grams[1]).mean(),
        "color": float(color_loss(made, fields[0])),
        "variation": float(total_variation(made)),
    }
    assert {name: float(value) for name, value in values.items()} == pytest.approx(expected, rel=1e-3)
    total = sum(weight * value for weight, value in zip((20, 2.0, 2.5, 10, 1), expected.values()))
    assert float(loss) == pytest.approx(total, rel=1e-3)


def test_the_data(tmp_path: Path) -> None:
    samples = AnimeGANV2Dataset(str(write_film(tmp_path)), shift=[10.0, -300.0, 0.0])
    assert len(samples) == 4
    with batch_scope(0, 0, 0):
        photo, drawn, grey, blurred = samples[2]
    np.testing.assert_array_equal(photo, read_image(tmp_path / "train_photo" / "02.png"))
    pictures = [read_image(file) for file in sorted((tmp_path / "Hayao" / "style").iterdir())]
    (origin,) = (image for image in pictures if np.array_equal(np.minimum(image[..., 0] + 10.0, 255), drawn[..., 0]))
    assert not drawn[..., 1].any() and np.array_equal(drawn[..., 2], origin[..., 2])
    brightness = origin.astype(float) @ [0.299, 0.587, 0.114]
    assert np.abs(grey - brightness[..., None]).max() <= 1 and (grey[..., 0] == grey[..., 2]).all()
    assert blurred.std() < grey.std()
    measured = tint([str(file) for file in (tmp_path / "Hayao" / "style").iterdir()])
    means = np.mean(pictures, axis=(0, 1, 2))
    np.testing.assert_allclose(means + measured, means.mean(), rtol=1e-9)
    with pytest.raises(ValueError, match="shift is three numbers, for red, green and blue, not"):
        AnimeGANV2Dataset(str(tmp_path), shift=[1.0])
    with pytest.raises(NotADirectoryError, match="no folder .*Paprika"):
        AnimeGANV2Dataset(str(tmp_path), style="Paprika")
    with pytest.raises(IndexError, match="sample 4 is outside an AnimeGANV2Dataset of 4"):
        samples[4]
    assert AnimeGANV2Dataset(str(write_film(tmp_path, smooth=True))).smooth is not None


def test_only_outlines_are_blurred() -> None:
    image = np.full((40, 40, 3), 20, np.uint8)
    image[:, 20:] = 230
    blurred = smooth_edges(image)
    changed = np.unique(np.nonzero((blurred != image).any(axis=2))[1])
    assert changed.tolist() == [18, 19, 20, 21]
    weights = np.array([0.0625, 0.25, 0.375, 0.25, 0.0625])  # OpenCV's kernel of five
    assert blurred[10, 19, 0] == pytest.approx(20 + 210 * weights[3:].sum(), abs=1)


def test_sides_become_multiples() -> None:
    resize = ResizeToScale([64, 32], 16)
    shapes = [resize(np.zeros(shape, np.uint8)).shape for shape in ((20, 100, 3), (50, 64, 3))]
    assert shapes == [(32, 96, 3), (48, 64, 3)]
    with pytest.raises(ValueError, match="size is two positive numbers, and scale one, not"):
        ResizeToScale([64], 16)


def test_brightness_is_the_photograph_s() -> None:
    made, photos = images("made", 2, 3, 4, 4) * np.float32(0.5), images("photos", 2, 3, 4, 4) * np.float32(0.3)
    found = as_bright(made, photos)
    means = [((part + 1) / 2).mean(axis=(2, 3)) @ [0.299, 0.587, 0.114] for part in (found, photos)]
    np.testing.assert_allclose(means[0], means[1], rtol=1e-5)
    assert np.array_equal(as_bright(np.full_like(made, -1), photos), np.full_like(made, -1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.style=-1.0", "task.style must not be negative, not -1.0"),
        ("task.gan_mode=wgan", "AnimeGAN has no gradient penalty; choose another loss"),
        ("generator.network={name: UnetGenerator}", "AnimeGAN trains the generators AnimeGenerator, .*, not UnetGene"),
    ],
)
def test_what_cannot_be_trained(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        task_of(anime_config(tmp_path), change)


def test_data_of_another_kind_is_refused(tmp_path: Path) -> None:
    dataset = "data.train.dataset={name: UnpairedDataset, root_a: train_photo, root_b: Hayao/style}"
    with pytest.raises(ValueError, match="data.train: AnimeGAN learns from the four images of AnimeGANV2Dataset"):
        task_of(anime_config(tmp_path), dataset).facts()


@pytest.mark.exhaustive
def test_a_generator_learns_photographs_then_the_style(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    assert train.main(["-c", str(anime_config(tmp_path / "first", "AnimeGANPretraining"))]) == 0
    weights = tmp_path / "first" / "run" / "checkpoints" / "newest" / "generator.safetensors"
    (tmp_path / "second").mkdir()
    config = anime_config(tmp_path / "second")
    assert train.main(["-c", str(config), "-o", f"generator.network.pretrained={weights}"]) == 0
