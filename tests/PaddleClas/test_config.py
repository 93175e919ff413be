# ruff: noqa: E501 -- a table of mistakes reads best with one per line
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.train import ConfigError, load_config
from PaddleClas.config import TOOLKIT, ClassificationConfig

CONFIGS = Path(__file__).resolve().parents[2] / "PaddleClas" / "configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.rglob("*.yaml")), ids=lambda path: path.stem)
def test_every_config_is_valid(path: Path) -> None:
    config = load_config(ClassificationConfig, path)
    assert config.output == f"runs/{path.stem}"


def test_digits_pipeline_gives_normalised_images_and_repeats() -> None:
    config = load_config(ClassificationConfig, CONFIGS / "digits_resnet18.yaml")
    section = config.data.train
    loader = section.build_loader(section.build_dataset(), seed=3)
    assert len(loader) == 1259 // 64
    images, labels = next(loader._array_batches(0))
    assert images.shape == (64, 3, 32, 32) and images.dtype == np.float32 and labels.dtype == np.int64
    assert -0.9 < images.min() < -0.7 and 1.5 < images.max() < 1.9
    again, _ = next(section.build_loader(section.build_dataset(), seed=3)._array_batches(0))
    np.testing.assert_array_equal(images, again)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("network.name=ResNet81", "network: unknown model 'ResNet81'; the nearest are 'ResNet18', "),
        ("data.train.dataset.name=Digit", "data.train.dataset: unknown data set 'Digit'; the nearest is 'Digits'"),
        ("data.train.dataset.splt=train", "unknown key 'data.train.dataset.splt'; the nearest valid key is 'data.train.dataset.split'"),
        ("data.train.transforms.0.size=[a]", "data.train.transforms.0: Resize: size must be integer or list of integer"),
        ("optimizer.momentun=0.5", "unknown key 'optimizer.momentun'; the nearest valid key is 'optimizer.momentum'"),
        ("optimizer.learning_rate=0.5", "unknown key 'optimizer.learning_rate'"),
        ("schedule.name=Cosin", "schedule: unknown schedule 'Cosin'; the nearest is 'Cosine', of: Constant, Cosine, Piecewise, Linear, Polynomial, Exponential"),
        ("loss.name=CELoss", "loss: unknown loss 'CELoss'; the nearest is"),
        ("data.train.mix=[{name: Mixupp}]", "data.train.mix.0: unknown mix 'Mixupp'; the nearest is 'Mixup'"),
        ("train.epochs=-1", "train.epochs must be greater than 0, not -1"),
    ],
)  # fmt: skip
def test_mistakes_are_named(override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(ClassificationConfig, CONFIGS / "digits_resnet18.yaml", [override])
    assert message in str(caught.value)
    assert f"-o {override}" in str(caught.value)


def test_a_loss_that_cannot_be_is_named() -> None:
    message = "digits_resnet18.yaml:.*loss: CrossEntropy: label_smoothing must be at least 0 and below 1, not 1"
    with pytest.raises(ConfigError, match=message):
        load_config(ClassificationConfig, CONFIGS / "digits_resnet18.yaml", ["loss.label_smoothing=1"])


def test_keys_are_listed() -> None:
    lines = TOOLKIT.keys()
    assert "train.epochs (integer or null; default None): how often the training data is visited; or give steps" in lines
    assert all("default" in line or "required" in line for line in lines)
