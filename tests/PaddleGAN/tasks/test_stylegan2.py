"""StyleGAN2: its regularisers by finite differences and by numpy, its levels and truncation, its runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

import core
from core.train import load_config
from core.vision.image import read_image
from PaddleGAN import infer, train
from PaddleGAN.config import TASKS, GANConfig
from PaddleGAN.losses import r1_penalty
from PaddleGAN.models.stylegan2_layers import ModulatedConv2D, filter_of, fused_leaky_relu, upfirdn2d
from PaddleGAN.tasks.stylegan2 import PathLengths
from tests.PaddleGAN.models.small import build
from tests.parity.PaddleGAN.weights import images

SMALL = (
    *("generator.network={name: StyleGANv2Generator, size: 32, style_dim: 6, n_mlp: 2, max_channels: 4}",),
    *("discriminator.network={name: StyleGANv2Discriminator, size: 32, max_channels: 4}", "samples.count=4"),
    *("task.r1_every=2", "task.path_every=2", "data.train.batch_size=4", "data.test.batch_size=4"),
    *(
        f"data.{split}.dataset={{name: Faces, count: {count}, size: 32, attributes: [Bangs, Eyeglasses]}}"
        for split, count in (("train", 8), ("test", 4))
    ),
)
CONFIG = Path(__file__).resolve().parents[3] / "PaddleGAN" / "configs" / "faces_stylegan2.yaml"


def small_task(*changes: str) -> Any:
    config = load_config(GANConfig, CONFIG, [*SMALL, *changes])
    core.seed(3)
    return TASKS.build(config.task, config=config)


@pytest.fixture
def double() -> Iterator[None]:
    core.set_default_dtype("float64")
    yield
    core.set_default_dtype("float32")


def filtered(x: np.ndarray, kernel: np.ndarray, up: int, down: int, pad: tuple[int, int]) -> np.ndarray:
    """Return what upfirdn2d does to (H, W), pixel by pixel."""
    height, width = x.shape
    wide = np.zeros((height * up, width * up))
    wide[::up, ::up] = x
    wide = np.pad(wide, (pad, pad))
    size = len(kernel)
    rows, columns = wide.shape[0] - size + 1, wide.shape[1] - size + 1
    turned = kernel[::-1, ::-1]
    found = [
        [(wide[row : row + size, column : column + size] * turned).sum() for column in range(columns)]
        for row in range(rows)
    ]
    return np.array(found)[::down, ::down]


@pytest.mark.parametrize(("up", "down", "pad"), [(1, 1, (2, 1)), (2, 1, (2, 1)), (1, 2, (1, 1)), (2, 3, (3, 0))])
def test_filtering(up: int, down: int, pad: tuple[int, int]) -> None:
    x, kernel = images("filtered", 2, 3, 5, 6), images("uneven filter", 4, 4)
    found = upfirdn2d(core.to_tensor(x), core.to_tensor(kernel), up, down, pad).numpy()
    for image, answer in zip(x.reshape(-1, 5, 6), found.reshape(-1, *found.shape[2:])):
        np.testing.assert_allclose(answer, filtered(image, kernel, up, down, pad), atol=1e-5)


def test_the_filter() -> None:
    expected = np.outer([1, 3, 3, 1], [1, 3, 3, 1]) / 16
    np.testing.assert_allclose(filter_of([1.0, 3.0, 3.0, 1.0], 4.0), expected, rtol=1e-6)


def second_order(function: Any, *given: np.ndarray) -> None:
    """Compare the gradient of the squared gradient at the first argument with finite differences along directions."""

    def penalty(arrays: list[np.ndarray]) -> Any:
        tensors = [core.to_tensor(array) for array in arrays]
        for tensor in tensors:
            tensor.stop_gradient = False
        (gradient,) = core.grad([function(*tensors).sum()], [tensors[0]], create_graph=True)
        return (gradient * gradient).sum(), tensors

    loss, tensors = penalty(list(given))
    loss.backward()
    source = np.random.default_rng(0)
    for number in range(1, len(given)):
        direction = source.standard_normal(given[number].shape)
        ends = []
        for sign in (1, -1):
            moved = [array + sign * 1e-6 * direction if i == number else array for i, array in enumerate(given)]
            ends.append(float(penalty(moved)[0]))
        expected = (ends[0] - ends[1]) / 2e-6
        found = float((tensors[number].grad.numpy() * direction).sum())
        assert abs(found - expected) <= 1e-5 * max(1.0, abs(expected))


def squared_gradient(layer: Any, x: np.ndarray, style: np.ndarray, direction: Optional[np.ndarray] = None) -> float:
    """Return the squared gradient of a layer's squared results at the style, or its derivative along the kernel."""
    given = core.to_tensor(style)
    given.stop_gradient = False
    (gradient,) = core.grad([(layer(core.to_tensor(x), given) ** 2).sum()], [given], create_graph=True)
    loss = (gradient * gradient).sum()
    if direction is None:
        return float(loss)
    loss.backward()
    return float((layer.weight.grad.numpy() * direction).sum())


@pytest.mark.usefixtures("double")
def test_second_derivatives_are_finite_differences() -> None:
    x = images("x", 2, 3, 4, 4).astype(np.float64)
    factors = images("factors", 1, 3, 1, 1).astype(np.float64)
    kernel = core.to_tensor(filter_of([1.0, 3.0, 3.0, 1.0]).astype(np.float64))
    second_order(lambda x, f: upfirdn2d(x * f, kernel, 2, 1, (2, 1)) ** 3, x, factors)
    second_order(lambda x, b: fused_leaky_relu(x, b) ** 2, x, images("bias", 3).astype(np.float64))
    style = images("style", 2, 5).astype(np.float64)
    for upsample in (False, True):
        layer = ModulatedConv2D(3, 2, 3, 5, upsample=upsample)
        second_order(lambda s, x, layer=layer: layer(x, s) ** 2, style, x)
        weight = layer.weight.numpy()
        layer.clear_gradients()
        direction = np.random.default_rng(2).standard_normal(weight.shape) * 1e-6
        found, ends = squared_gradient(layer, x, style, direction), []
        for sign in (1, -1):
            layer.weight.set_value(weight + sign * direction)
            ends.append(squared_gradient(layer, x, style))
        assert found == pytest.approx((ends[0] - ends[1]) / 2, rel=1e-5)


@pytest.mark.usefixtures("double")
def test_r1_is_the_squared_gradient_and_has_a_gradient() -> None:
    network = build("StyleGANv2Discriminator")
    network.eval()
    real = images("real pictures", 2, 3, 32, 32).astype(np.float64)
    penalty = r1_penalty(network, core.to_tensor(real))
    given = core.to_tensor(real)
    given.stop_gradient = False
    network(given).sum().backward()
    assert float(penalty) == pytest.approx((given.grad.numpy() ** 2).sum() / 2, rel=1e-9)
    network.clear_gradients()
    penalty.backward()
    weight = network.convs[0][0].weight
    direction = np.random.default_rng(1).standard_normal(weight.shape) * 1e-5
    before, ends = weight.numpy(), []
    found = float((weight.grad.numpy() * direction).sum())
    for sign in (1, -1):
        weight.set_value(before + sign * direction)
        ends.append(float(r1_penalty(network, core.to_tensor(real))))
    assert found == pytest.approx((ends[0] - ends[1]) / 2, rel=1e-4)


def test_path_lengths() -> None:
    lengths = PathLengths(0.25)
    lengths.mean.update(core.to_tensor([2.0]))
    levels = core.to_tensor(images("levels", 3, 2, 4))
    levels.stop_gradient = False
    matrix = images("matrix", 4, 12)
    pictures = core.matmul(levels[:, 0] + 2 * levels[:, 1], core.to_tensor(matrix)).reshape([3, 3, 2, 2])
    core.seed(5)
    penalty, mean = lengths(pictures, levels)
    core.seed(5)
    noise = core.randn([3, 3, 2, 2]).numpy().reshape(3, 12) / 2
    gradient = noise @ matrix.T
    expected = np.sqrt((gradient**2).sum(axis=1) * (1 + 4) / 2)
    average = 2 + 0.25 * (expected.mean() - 2)
    assert float(mean) == pytest.approx(average, rel=1e-5)
    assert lengths.mean.numpy().tolist() == pytest.approx([average], rel=1e-5)
    assert float(penalty) == pytest.approx(((expected - average) ** 2).mean(), rel=1e-4)


def test_all_losses() -> None:
    task = small_task("task.mixing=0.0")
    real = core.to_tensor(images("real", 4, 3, 32, 32))

    def scores(seed: int) -> np.ndarray:
        core.seed(seed)
        made = task.generator.synthesize(task.styles(4))
        found: np.ndarray = task.discriminator(made).numpy().astype(np.float64)
        return found

    core.seed(1)
    loss, values = task.discriminator_loss(real)
    fake, true = scores(1), task.discriminator(real).numpy().astype(np.float64)
    expected = np.log1p(np.exp(-true)).mean() + np.log1p(np.exp(fake)).mean()
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    core.seed(2)
    loss, _ = task.generator_loss(real)
    assert float(loss) == pytest.approx(np.log1p(np.exp(-scores(2))).mean(), rel=1e-4)
    loss, values = task.r1_loss(real)
    assert float(loss) == pytest.approx(5 * 2 * float(values["penalty"]), rel=1e-6)
    loss, values = task.path_loss(real)
    assert float(loss) == pytest.approx(2 * 2 * float(values["penalty"]), rel=1e-6)
    phases = task.phases(4, 1)
    assert [(phase.name, phase.period) for phase in phases] == [
        ("discriminator", 1), ("r1", 2), ("generator", 1), ("path", 2),
    ]  # fmt: skip
    assert phases[0].optimizer is phases[1].optimizer and phases[2].optimizer is phases[3].optimizer


def test_levels_are_mixed() -> None:
    task = small_task("task.mixing=1.0")
    generator = task.generator
    first, second = (core.to_tensor(images(name, 2, 6)) for name in ("first", "second"))
    levels = generator.at_levels(first, second, 3).numpy()
    assert levels.shape == (2, 8, 6)
    assert (levels[:, :3] == first.numpy()[:, None]).all() and (levels[:, 3:] == second.numpy()[:, None]).all()
    drawn = task.styles(3).numpy()
    assert (drawn[:, 0] != drawn[:, -1]).any()
    drawn = small_task("task.mixing=0.0").styles(3).numpy()
    assert (drawn == drawn[:, :1]).all()


def test_truncation_goes_to_the_mean_style() -> None:
    task = small_task()
    noise = task.noise(5, 3)
    styles = task.truncated(noise)
    task.truncate(0.25)
    mean = task.mean_style()
    np.testing.assert_allclose(task.truncated(noise), mean + 0.25 * (styles - mean), rtol=1e-4, atol=1e-6)
    task.truncate(0.0)
    pictures = task.samples(3, 0)
    assert np.ptp(pictures.astype(int), axis=0).max() <= 1  # sums of a batch's images may be split differently
    for wrong in (-0.1, 1.5):
        with pytest.raises(ValueError, match=f"truncation must be from 0 to 1, not {wrong}"):
            task.truncate(wrong)
    with pytest.raises(ValueError, match="the level must be from 1 to 7, not 8"):
        task.mixed(1, 1, 0, 8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.truncation=2.0", "truncation must be from 0 to 1, not 2.0"),
        ("task.mixing=1.5", "task.mixing must be from 0 to 1, not 1.5"),
        ("task.r1=-1.0", "task.r1 must not be negative, not -1.0"),
        ("task.path_shrink=0", "task.path_shrink must be a positive whole number, not 0"),
        ("discriminator.network.size=16", "generator.network.size is 32, discriminator.network.size is 16"),
        ("data.train.batch_size=6", "data.train.batch_size must be a multiple of 4, not 6"),
        ("data.train.dataset.size=64", r"data.train: images must be \(3, 32, 32\), as the networks' size says, not"),
        ("data.train.drop_last=false", "data.train.drop_last must be true"),
        ("task.r1_every=9", "task.r1_every: 9 is more than the 2 steps of an epoch"),
    ],
)
def test_what_cannot_be_trained(change: str, message: str) -> None:
    more = ["data.train.dataset.count=10"] if "drop_last" in change else []
    with pytest.raises(ValueError, match=message):
        task = small_task(change, *more)
        task.facts()
        task.phases(2, 1)


@pytest.mark.exhaustive
def test_a_run_draws_truncated_and_mixed_samples(tmp_path: Path) -> None:
    quick = ("train.epochs=2", "train.tensorboard=false", "train.compiled=false")
    changes = [*SMALL, f"output={tmp_path / 'run'}", *quick]
    assert train.main(["-c", str(CONFIG), *(word for change in changes for word in ("-o", change))]) == 0
    run = str(tmp_path / "run")
    assert infer.main(["samples", run, "--count", "4", "--truncation", "0"]) == 0
    assert infer.main(["mix", run, "--rows", "2", "--columns", "3", "--level", "2"]) == 0
    assert read_image(tmp_path / "run" / "mix" / "mix.png").ndim == 3
    with pytest.raises(ValueError, match="truncation must be from 0 to 1, not 3.0"):
        infer.main(["samples", run, "--truncation", "3"])
