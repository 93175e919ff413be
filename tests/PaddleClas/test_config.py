# ruff: noqa: E501 -- a table of mistakes reads best with one per line
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from core.train import ConfigError, load_config
from PaddleClas.config import TOOLKIT, ClassificationConfig
from PaddleClas.models.registry import NETWORKS

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
        ("teacher.arguments=3", "unknown key 'teacher.arguments'; "),
        ("network.name=ResNet81", "network: unknown model 'ResNet81'; the nearest are 'ResNet18', "),
        ("data.train.dataset.name=Digit", "data.train.dataset: unknown data set 'Digit'; the nearest is 'Digits'"),
        ("data.train.dataset.splt=train", "unknown key 'data.train.dataset.splt'; the nearest valid key is 'data.train.dataset.split'"),
        ("data.train.transforms.0.size=[a]", "data.train.transforms.0: Resize: size must be integer or list of integer"),
        ("optimizer.momentun=0.5", "unknown key 'optimizer.momentun'; the nearest valid key is 'optimizer.momentum'"),
        ("optimizer.learning_rate=0.5", "optimizer: learning_rate is in the section schedule too: remove it here"),
        ("schedule.name=Cosin", "schedule: unknown schedule 'Cosin'; the nearest is 'Cosine', of: Constant, Cosine, CosineRestarts, Piecewise, Linear, Polynomial, Exponential, Noam"),
        ("loss.name=CELoss", "loss: unknown loss 'CELoss'; the nearest is"),
        ("data.train.mix=[{name: Mixupp}]", "data.train.mix.0: unknown mix 'Mixupp'; the nearest is 'Mixup'"),
        ("network=ResNet18", "network must be a name with its arguments, as in {name: ...}, not 'ResNet18'"),
        ("task=null", "task must be a name with its arguments, as in {name: ...}, not None"),
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
    assert "task (a name with its arguments; default {name: Classification}): the task to train; of Classification" in lines
    sections = [line for line in lines if "{name: " not in line.partition(" (")[0]]
    assert all("default" in line or "required" in line for line in sections)
    settings = [line for line in lines if line not in sections]
    for name, count in (("network", len(NETWORKS.entries)), ("loss", 2), ("task", 1), ("data.train.mix", 3)):
        assert sum(line.startswith(f"{name}: {{name: ") for line in settings) == count
    assert "loss: {name: CrossEntropy, label_smoothing: 0.0}" in settings


def test_a_config_without_a_task_classifies() -> None:
    text = (CONFIGS / "digits_lenet.yaml").read_text()
    whole = yaml.safe_load(text)
    assert whole.pop("task") == {"name": "Classification"}
    assert ClassificationConfig.model_validate(whole) == load_config(ClassificationConfig, CONFIGS / "digits_lenet.yaml")


MISSPELT = """\
output: {folder}/run
task: {{name: Classification, flipp: true}}
network: {{name: ResNet18, class_num: 10, max_pol: false}}
data:
  train:
    dataset: {{name: Digits, splt: train}}
    transforms:
      - {{name: Resize, siz: 32}}
      - {{name: ToTensor}}
    mix: [{{name: Mixup, alfa: 0.2}}]
    batch_size: 64
loss: {{name: CrossEntropy, label_smothing: 0.1}}
optimizer: {{name: Momentum, momentun: 0.9}}
schedule: {{name: Cosine, learning_rate: 0.1, warmup_epoch: 1}}
train: {{epochs: 1}}
"""


def test_misspelt_arguments_of_all_tables_are_named_by_the_command(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(MISSPELT.format(folder=tmp_path))
    command = [sys.executable, str(CONFIGS.parent / "train.py"), "-c", str(file), "-o", "data.train.transforms.1.x=1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == "" and list(tmp_path.iterdir()) == [file]
    place = "unknown key '{}'; the nearest valid key is '{}' (valid here: "
    expected = {
        f"{file}:2": ("task.flipp", "task.name"),
        f"{file}:3": ("network.max_pol", "network.max_pool"),
        f"{file}:6": ("data.train.dataset.splt", "data.train.dataset.split"),
        f"{file}:8": ("data.train.transforms.0.siz", "data.train.transforms.0.size"),
        "-o data.train.transforms.1.x=1": ("data.train.transforms.1.x", "data.train.transforms.1.name"),
        f"{file}:10": ("data.train.mix.0.alfa", "data.train.mix.0.alpha"),
        f"{file}:12": ("loss.label_smothing", "loss.label_smoothing"),
        f"{file}:13": ("optimizer.momentun", "optimizer.momentum"),
        f"{file}:14": ("schedule.warmup_epoch", "schedule.warmup_epochs"),
    }
    lines = done.stderr.removeprefix("error: ").splitlines()
    assert len(lines) == len(expected)
    for where, keys in expected.items():
        assert [line for line in lines if line.startswith(f"{where}: {place.format(*keys)}")], where
