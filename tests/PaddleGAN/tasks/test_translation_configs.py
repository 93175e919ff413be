"""The configs of image translation build their networks, the published ones with the published sizes."""

from __future__ import annotations

from typing import Any

import pytest

from core.train import load_config
from PaddleGAN.config import TASKS, GANConfig
from tests.PaddleGAN.small_runs import CONFIGS


def task_of(name: str) -> Any:
    config = load_config(GANConfig, CONFIGS / f"{name}.yaml", [])
    return TASKS.build(config.task, config=config)


@pytest.mark.parametrize(
    ("name", "generator", "discriminator"),
    [
        ("pix2pix_facades", 54_413_955, 2_768_641),
        ("pix2pix_cityscapes", 54_413_955, 2_768_641),
        ("cyclegan_horse2zebra", 11_378_179, 2_764_737),
    ],
)
def test_published_sizes(name: str, generator: int, discriminator: int) -> None:
    task = task_of(name)
    numbers = {
        key: sum(parameter.size for parameter in network.parameters() if not parameter.stop_gradient)
        for key, network in task.networks.items()
    }
    assert numbers == {key: generator if "generator" in key else discriminator for key in numbers}


@pytest.mark.parametrize("name", ["camvid_pix2pix", "camvid_spade", "faces_cyclegan", "dusk2day_cyclegan"])
def test_small_ones(name: str) -> None:
    assert task_of(name).networks.keys() >= set(task_of(name).averaged)


def test_the_published_spade_is_checked_without_building_its_hundred_million_parameters() -> None:
    config = load_config(GANConfig, CONFIGS / "spade_cityscapes.yaml", [])
    classes = len(config.task.arguments["palette"])
    assert config.generator.network.arguments["semantic_nc"] == classes == 20
    assert config.discriminator.network.arguments["input_nc"] == classes + 3
