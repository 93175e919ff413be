"""The published recipes: complete, those of their table, and fit to be run by a user."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Optional

import numpy as np
import pytest

import PaddleClas
from core.train import load_config, read_metrics
from core.train.config.schedules import SCHEDULES
from core.vision import write_image
from PaddleClas import train
from PaddleClas.config import ClassificationConfig
from PaddleClas.models.weights import WEIGHTS
from tests.sampling import sampled
from tools.recipe_table import TABLE
from tools.recipes import FOLDER, TOLERANCE, files

STEPS = 10
"""Per epoch, in tests of the learning rate."""

PUBLISHED = {
    # schedule, learning rate, epochs, L2, batch, label smoothing, mix
    "AlexNet": ("Piecewise", 0.01, 120, 1e-4, 256, 0.0, None),
    "VGG11": ("Cosine", 0.1, 90, 2e-4, 512, 0.0, None),
    "VGG16": ("Cosine", 0.01, 90, 3e-4, 256, 0.0, None),
    "ResNet18": ("Cosine", 0.1, 120, 1e-4, 256, 0.0, None),
    "ResNet50": ("Piecewise", 0.1, 120, 1e-4, 256, 0.0, None),
    "ResNet152": ("Piecewise", 0.1, 120, 1e-4, 256, 0.0, None),
    "ResNet50_vc": ("Cosine", 0.1, 200, 1e-4, 256, 0.0, None),
    "ResNet50_vd": ("Cosine", 0.1, 200, 7e-5, 256, 0.1, "Mixup"),
    "ResNet200_vd": ("Cosine", 0.1, 200, 1e-4, 256, 0.1, "Mixup"),
    "ResNeXt101_64x4d": ("Piecewise", 0.1, 120, 1.5e-4, 256, 0.0, None),
    "ResNeXt101_vd_64x4d": ("Cosine", 0.1, 200, 1e-4, 256, 0.1, "Mixup"),
    "SENet154_vd": ("Cosine", 0.1, 200, 1e-4, 256, 0.1, "Mixup"),
    "SE_ResNeXt50_32x4d": ("Cosine", 0.1, 200, 1.2e-4, 400, 0.0, None),
    "SE_ResNeXt101_32x4d": ("Cosine", 0.1, 200, 1.5e-5, 400, 0.0, None),
    "InceptionV4": ("Cosine", 0.045, 200, 1e-4, 256, 0.1, "Mixup"),
    "MobileNetV1": ("Piecewise", 0.1, 120, 3e-5, 256, 0.0, None),
    "MobileNetV2": ("Cosine", 0.1, 240, 4e-5, 500, 0.0, None),
    "ShuffleNetV2_swish": ("Cosine", 0.5, 240, 4e-5, 1024, 0.0, None),
    "GoogLeNet": ("Cosine", 0.01, 200, 1e-4, 256, 0.0, None),
    "MobileNetV3_large_x1_0": ("Cosine", 1.3, 360, 2e-5, 2048, 0.1, None),
    "ResNeSt50": ("Cosine", 0.1, 300, 7e-5, 256, 0.1, "CutMix"),
    "PPLCNet_x1_0": ("Cosine", 0.8, 360, 3e-5, 2048, 0.1, None),
    "PPLCNet_x2_5": ("Cosine", 0.8, 360, 4e-5, 2048, 0.1, None),
    "PPLCNetV2_base": ("Cosine", 0.8, 480, 4e-5, 2000, 0.1, None),
    "ViT_base_patch16_224": ("Piecewise", 0.1, 120, 1e-4, 256, 0.0, None),
    "RepVGG_A0": ("Cosine", 0.1, 120, 1e-4, 256, 0.0, None),
    "RepVGG_B3": ("Cosine", 0.1, 200, 1e-4, 256, 0.1, "Mixup"),
    "CSPDarkNet53": ("Piecewise", 0.1, 120, 1e-4, 256, 0.0, None),
    "EfficientNetB0": ("Exponential", 0.032, 360, 1e-5, 512, 0.1, None),
}


def recipe(name: str) -> ClassificationConfig:
    return load_config(ClassificationConfig, FOLDER / f"{name}.yaml")


def learning_rate(config: ClassificationConfig, epoch: float) -> float:
    """Return the learning rate of the step that begins after so many epochs."""
    schedule = SCHEDULES.build(config.schedule, steps_per_epoch=STEPS, epochs=config.train.epochs)
    for _ in range(round(epoch * STEPS)):
        schedule.step()
    return float(schedule.get_lr())


def test_the_files_are_those_of_the_table() -> None:
    written = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.yaml")}
    assert written == files(), "python -m tools.recipes writes them anew"
    names = [name for rows in TABLE.values() for _, _, names in rows for name in names.split()]
    assert len(names) == len(set(names))


def test_every_model_with_published_weights_has_its_recipe() -> None:
    assert set(WEIGHTS) - set(files()) == set(), "enter the published recipe in tools/recipe_table.py"
    unpublished = {"LeNet", "NASNetA_mobile", "NASNetA_large", "PNASNet5_large"}
    without = set(PaddleClas.list_models()) - set(files()) - unpublished
    assert without == set(), "enter the official weights, or the name above if PaddlePaddle has none"


@pytest.mark.parametrize("name", sampled(files(), 4, group=lambda name: name[:5]))
def test_a_recipe_evaluates_as_the_weights_were(name: str) -> None:
    config = recipe(name)
    assert config.network.name == name.replace("_ssld", "") and config.class_num == 1000
    record = WEIGHTS[config.network.name]
    assert config.data.valid is not None and record.preprocessing is not None
    resize, crop = config.data.valid.transforms[1:3]
    assert resize.arguments["resize_short"] == record.preprocessing.resize_short
    if not name.startswith("RegNetX"):  # whose own config evaluates larger images than the paper
        assert (crop.arguments["size"],) * 2 == record.preprocessing.input_size
    if config.expect is not None:
        published = record.metrics["ImageNet top-1 %"]
        assert config.expect.split == "valid" and list(config.expect.near) == ["accuracy"]
        near = config.expect.near["accuracy"]
        assert near.tolerance == TOLERANCE and near.value == pytest.approx(published / 100)
        assert not config.expect.at_least and not config.expect.at_most


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_the_numbers_are_the_published_ones(name: str) -> None:
    config = recipe(name)
    mix = [component.name for component in config.data.train.mix]
    found = (
        config.schedule.name,
        config.schedule.arguments["learning_rate"],
        config.train.epochs,
        config.optimizer.arguments["weight_decay"],
        config.data.train.batch_size,
        config.loss.arguments["label_smoothing"],
        *(mix or [None]),
    )
    assert found == PUBLISHED[name]
    assert config.optimizer.arguments["momentum"] == 0.9
    assert config.optimizer.arguments.get("decay_norm_and_bias", True)


def test_the_learning_rate_takes_its_published_course() -> None:
    falls = recipe("ResNet50")
    for epoch, wanted in [(0, 0.1), (29.9, 0.1), (30, 0.01), (60, 0.001), (90, 0.0001), (119, 0.0001)]:
        assert learning_rate(falls, epoch) == pytest.approx(wanted), epoch
    by_epoch = recipe("ResNet50_vd")
    for epoch in (0, 0.9, 1, 100.5, 199.9):
        wanted = 0.1 * (math.cos(math.floor(epoch) * math.pi / 200) + 1) / 2
        assert learning_rate(by_epoch, epoch) == pytest.approx(wanted), epoch
    warm = recipe("MobileNetV3_large_x1_0")
    for epoch in (5, 100.5, 359):
        wanted = 1.3 * (math.cos((epoch - 5) * math.pi / 355) + 1) / 2
        assert learning_rate(warm, epoch) == pytest.approx(wanted), epoch
    assert 0 < learning_rate(warm, 1) < learning_rate(warm, 4) < 1.3
    steps = recipe("EfficientNetB0")
    for epoch in (5, 7.3, 7.4, 100, 359):
        wanted = 0.032 * 0.97 ** math.floor(round((epoch - 5) * STEPS) / 24)
        assert learning_rate(steps, epoch) == pytest.approx(wanted), epoch


def test_where_the_published_accuracy_is_out_of_reach_none_is_expected() -> None:
    for name in ("SE_HRNet_W64_C", "ResNeXt101_32x8d_wsl", "MobileNetV3_large_x1_0_ssld"):
        assert recipe(name).expect is None and "do not expect that here, as they" in files()[name]
    assert recipe("RegNetX_200MF").expect is None and "No accuracy is published" in files()["RegNetX_200MF"]
    teacher = recipe("MobileNetV3_large_x1_0_ssld").teacher
    assert teacher is not None and teacher.network.name == "ResNet50_vd"
    assert teacher.network.arguments == {"class_num": 1000, "pretrained": True, "use_ssld": True}


def test_the_pictures_become_what_the_network_takes() -> None:
    image = np.random.default_rng(0).integers(0, 256, (300, 350, 3), np.uint8)
    for name, size in (("EfficientNetB1", 240), ("ConvNeXt_tiny", 224)):  # which augment most
        config = recipe(name)
        assert config.data.valid is not None
        for section in (config.data.train, config.data.valid):
            array = section.build_transform()(image)
            assert array.shape == (3, size, size) and array.dtype == np.float32
    plain = recipe("DarkNet53").data.valid.build_transform()(np.full((256, 256, 3), 128, np.uint8))
    wanted = (128 / 255 - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225])
    np.testing.assert_allclose(plain[:, 7, 9], wanted, rtol=1e-5)


BOTH = {"Mixup": 0.8, "CutMix": 1.0}


@pytest.mark.parametrize(
    ("name", "learning_rate", "end", "warmup", "epochs", "decay", "batch", "mix", "strength", "erasing"),
    [
        ("DeiT_base_patch16_224", 5e-4, 1e-5, 5, 300, 0.05, 1024, BOTH, 9, 0.25),
        ("SwinTransformer_tiny_patch4_window7_224", 1e-3, 2e-5, 20, 300, 0.05, 1024, BOTH, 9, 0.25),
        ("SwinTransformerV2_tiny_patch4_window8_256", 1e-3, 1e-5, 20, 300, 0.05, 1024, BOTH, 9, 0.25),
        ("ConvNeXt_tiny", 4e-3, 1e-6, 20, 300, 0.05, 4096, BOTH, 9, 0.25),
        ("PPHGNet_small", 0.5, 0.0, 5, 600, 4e-5, 1024, {"Mixup": 0.2, "CutMix": 1.0}, 7, 0.25),
        ("MobileViT_S", 0.002, 2e-4, 5, 300, 0.01, 1024, {}, None, None),
    ],
)  # fmt: skip
def test_the_numbers_of_transformers_and_their_like(
    name: str, learning_rate: float, end: float, warmup: int, epochs: int, decay: float, batch: int,
    mix: dict[str, float], strength: Optional[float], erasing: Optional[float],
) -> None:  # fmt: skip
    config = recipe(name)
    schedule, optimizer = config.schedule.arguments, config.optimizer
    assert (config.schedule.name, schedule["learning_rate"], schedule["warmup_epochs"]) == (
        "Cosine",
        learning_rate,
        warmup,
    )
    assert schedule.get("end_learning_rate", 0.0) == end and config.train.epochs == epochs
    assert (optimizer.arguments["weight_decay"], config.data.train.batch_size) == (decay, batch)
    assert config.loss.arguments["label_smoothing"] == 0.1
    if optimizer.name == "AdamW":
        assert (optimizer.arguments["beta1"], optimizer.arguments["beta2"]) == (0.9, 0.999)
        assert not optimizer.decay_norm_and_bias
    assert {component.name: component.arguments["alpha"] for component in config.data.train.mix} == mix
    steps = {component.name: component.arguments for component in config.data.train.transforms}
    assert steps.get("RandAugment", {}).get("magnitude") == strength
    assert steps.get("RandomErasing", {}).get("prob") == erasing


@pytest.mark.exhaustive
def test_a_recipe_runs_on_a_folder_like_imagenets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generator = np.random.default_rng(0)
    (tmp_path / "train").mkdir()
    for number in range(2):
        shade = generator.integers(100 * number, 100 * number + 100, (80, 90, 3), np.uint8)
        write_image(tmp_path / "train" / f"{number}.png", shade)
    for name in ("train_list.txt", "val_list.txt"):
        (tmp_path / name).write_text("train/0.png 0\ntrain/1.png 1\n")
    changes = ["train.epochs=1", "data.train.batch_size=2", "data.num_workers=0", "expect=null"]
    changes += ["network.class_num=2", f"output={tmp_path}/run"]
    options = [argument for change in changes for argument in ("-o", change)]
    config = str(FOLDER / "MobileNetV1_x0_25.yaml")
    assert train.main(["-c", config, "--data", str(tmp_path), *options]) == 0
    assert capsys.readouterr().out.startswith(
        "MobileNetV1_x0_25, Classification: Momentum, learning rate 0.1 (Piecewise)\n2 classes\n"
        "data: 2 train, 2 valid images\n"
    )
    rows = read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert [row["split"] for row in rows] == ["train", "valid"]
    assert rows[0]["loss"] == pytest.approx(math.log(2), abs=1.0)  # of a fresh network
    results = json.loads((tmp_path / "run" / "results.json").read_text())["results"]
    assert results["valid"]["accuracy"] in (0.0, 0.5, 1.0)
