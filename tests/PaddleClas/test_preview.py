"""The sheet of augmented images shows what training gets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from core.train import load_config
from core.train.table import Component
from PaddleClas.config import ClassificationConfig
from PaddleClas.data.pipeline import MIXES, build_dataset, build_loader
from PaddleClas.preview import main
from PaddleClas.previewing import augmented, to_picture

CONFIG = Path(__file__).resolve().parents[2] / "PaddleClas" / "configs" / "digits_resnet18.yaml"


def test_images_are_those_of_the_loader() -> None:
    config = load_config(ClassificationConfig, CONFIG)
    section = config.data.train.model_copy(update={"shuffle": False, "batch_size": 4})
    dataset = build_dataset(section)
    batches = build_loader(section, dataset, seed=5)._array_batches(0)
    images, labels = next(batches)
    samples = augmented(dataset, range(4), seed=5, epoch=0)
    np.testing.assert_array_equal(np.stack([image for image, _ in samples]), images)
    assert [label for _, label in samples] == list(labels)


def test_mixes_take_turns() -> None:
    config = load_config(ClassificationConfig, CONFIG)
    dataset = build_dataset(config.data.train)
    mixes = [MIXES.build(Component(name=name), class_num=10) for name in ("Mixup", "CutMix")]
    for epoch in range(2):
        samples = augmented(dataset, range(4), seed=0, epoch=epoch, mixes=mixes)
        assert all(label.shape == (10,) and abs(label.sum() - 1) < 1e-6 for _, label in samples)


def test_normalisation_is_undone() -> None:
    picture = np.random.RandomState(0).rand(4, 5, 3).astype("f4")
    mean, std = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]
    normal = ((picture - np.array(mean)) / np.array(std)).transpose(2, 0, 1).astype("f4")
    parts = [Component(name="ToTensor"), Component(name="Normalize", mean=mean, std=std)]
    np.testing.assert_allclose(to_picture(normal, parts), picture, atol=1e-6)
    np.testing.assert_allclose(to_picture(picture * 255, []), picture, atol=1e-6)


def test_the_command_draws_a_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "sheet.png"
    assert main(["-c", str(CONFIG), "--images", "2", "--versions", "3", "--output", str(target)]) == 0
    assert capsys.readouterr().out == f"wrote {target}: 2 images, the original and 3 versions of each\n"
    with Image.open(target) as sheet:
        assert sheet.width > sheet.height > 100


def test_a_missing_split_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the config has no data.test"):
        main(["-c", str(CONFIG), "--split", "test", "-o", "data.test=null", "--output", str(tmp_path / "x.png")])
