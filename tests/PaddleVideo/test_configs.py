"""Every config is whole, and the recipes cite what was published, with the numbers of their table here."""

from __future__ import annotations

from pathlib import Path

import pytest

import PaddleVideo
from PaddleVideo.config import TOOLKIT
from PaddleVideo.models.registry import NETWORKS

FOLDER = Path(PaddleVideo.__file__).with_name("configs")
CONFIGS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.yaml"))

RECIPES = {  # file: top-1 in the file's expectation and text, epochs, samples a step, learning rate
    "tsn_r50_3seg_1.5": (0.66, "0.66", 45, 256, 0.01),
    "tsn_r50_7seg_1.5": (0.67, "0.67", 45, 256, 0.01),
    "tsm_r50_1.5": (0.70, "0.70", 65, 128, 0.01),
    "stnet_r50": (0.69, "0.69", 60, 128, 0.01),
    "non_local_c2d_r50": (0.739, "73.9 %", 107, 64, 0.01),
    "non_local_c2d_r101": (0.745, "74.5 %", 107, 64, 0.01),
    "non_local_i3d_r50": (0.743, "74.3 %", 107, 64, 0.01),
    "tsn_r50": (0.6981, "69.81 %", 100, 128, 0.01),
    "tsm_r50": (0.7106, "71.06 %", 50, 128, 0.02),
    "pptsn_r50": (0.7368, "73.68 %", 100, 128, 0.01),
    "pptsm_r50_uniform": (0.7454, "74.54 %", 80, 128, 0.01),
    "pptsm_r50_dense": (0.7569, "75.69 %", 80, 128, 0.02),
    "slowfast_r50": (0.7435, "74.35 %", 196, 64, 0.1),
    "timesformer": (0.7708, "77.08 %", 15, 64, 0.005),
}
"""Facts of https://github.com/PaddlePaddle/PaddleVideo, docs and configs, and of PaddlePaddle/models at v1.5.1."""


@pytest.mark.parametrize("name", CONFIGS)
def test_config_is_whole(name: str) -> None:
    config = TOOLKIT.load(FOLDER / name)
    NETWORKS.check(config.network)
    for split in config.data.names:
        section = config.data.split(split)
        section.build_transform()
        assert bool(section.transforms) == (config.task.name == "Recognition")
    text = (FOLDER / name).read_text()
    assert f"python PaddleVideo/train.py -c PaddleVideo/configs/{name}" in text
    assert config.output == f"runs/{Path(name).stem if name.count('.') == 1 else Path(name).name[: -len('.yaml')]}"


FEATURES = {  # file: what the text says, GAP that is expected, epochs, samples a step, learning rate
    "attention_cluster": ("GAP 0.84", 0.84, 5, 2048, 0.001),
    "attention_lstm": ("GAP 0.8594", 0.8594, 10, 1024, 0.001),
    "attention_lstm_2": ("Hit@1 89.0 %", None, 10, 1024, 0.00025),
    "nextvlad": ("GAP 0.8709", 0.8709, 6, 160, 0.0002),
}


def test_recipes_of_features_are_those_published() -> None:
    assert {f"youtube8m/{name}.yaml" for name in FEATURES} == {name for name in CONFIGS if name.startswith("youtube8m")}
    for name, (output, gap, epochs, batch, rate) in FEATURES.items():
        config = TOOLKIT.load(FOLDER / "youtube8m" / f"{name}.yaml")
        header = (FOLDER / "youtube8m" / f"{name}.yaml").read_text().split("seed:")[0]
        assert output in header and "Not measured here." in header
        assert (None if config.expect is None else config.expect.near["gap"].value) == gap
        step = config.data.train.batch_size * config.train.accumulate
        assert (config.train.epochs, step, config.schedule.arguments["learning_rate"]) == (epochs, batch, rate)
        assert config.network.arguments["class_num"] == config.data.train.dataset.arguments.get("class_num", 3862)


INTERVALS = {  # file: what the text says, the number that is expected, epochs, videos a step, learning rate
    "activitynet/bmn": ("AUC 67.23", ("AUC", 67.23), 9, 16, 0.001),
    "activitynet/bsn": ("AUC 66.64", ("AUC", 66.64), 9, 16, 0.001),
    "activitynet/ctcn": ("mAP 31 %", ("mAP", 0.31), 35, 16, 0.0005),
    "action_segmentation/ms_tcn_50salads": ("accuracy 81.1 %, edit score 71.5", ("accuracy", 81.1), 50, 1, 0.0005),
    "action_segmentation/ms_tcn_breakfast": ("accuracy 65.2 %, edit score 61.5", ("accuracy", 65.2), 50, 1, 0.0005),
    "action_segmentation/ms_tcn_gtea": ("accuracy 76.3 %, edit score 82.7", ("accuracy", 76.3), 50, 1, 0.0005),
}


def test_recipes_of_intervals_are_those_published() -> None:
    folders = ("activitynet", "action_segmentation")
    assert {f"{name}.yaml" for name in INTERVALS} == {name for name in CONFIGS if name.startswith(folders)}
    for name, (output, (number, value), epochs, batch, rate) in INTERVALS.items():
        config = TOOLKIT.load(FOLDER / f"{name}.yaml")
        header = (FOLDER / f"{name}.yaml").read_text().split("seed:")[0]
        assert output in header and "Not measured here." in header and "https://arxiv.org/abs/" in header
        assert config.expect.near[number].value == value
        assert (config.train.epochs, config.data.train.batch_size) == (epochs, batch)
        assert config.schedule.arguments["learning_rate"] == rate


def test_recipes_are_those_published() -> None:
    assert {f"kinetics400/{name}.yaml" for name in RECIPES} == {name for name in CONFIGS if name.startswith("kinetics")}
    for name, (top1, output, epochs, batch, rate) in RECIPES.items():
        config = TOOLKIT.load(FOLDER / "kinetics400" / f"{name}.yaml")
        assert config.expect.near["accuracy"].value == top1 and config.expect.split == "test"
        header = (FOLDER / "kinetics400" / f"{name}.yaml").read_text().split("seed:")[0]
        assert output in header and "https://arxiv.org/abs/" in header and "Not measured here." in header
        assert (config.train.epochs, config.data.train.batch_size) == (epochs, batch)
        assert config.schedule.arguments["learning_rate"] == rate
        assert config.network.arguments["class_num"] == 400


def test_every_network_is_in_the_readme() -> None:
    text = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert [name for name in PaddleVideo.list_models() if f"`{name}`" not in text] == []
