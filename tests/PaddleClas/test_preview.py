"""The sheet of augmented images shows what training gets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from core.drawing.sheets import GAP
from core.train import load_config
from core.train.config.table import Component
from core.train.runner.pictures import LARGEST, to_picture
from core.train.runner.previewing import seen
from core.vision import write_image
from PaddleClas.config import ClassificationConfig
from PaddleClas.preview import main

CONFIG = Path(__file__).resolve().parents[2] / "PaddleClas" / "configs" / "digits_resnet18.yaml"


def test_images_are_those_of_the_loader() -> None:
    config = load_config(ClassificationConfig, CONFIG)
    section = config.data.train.model_copy(update={"shuffle": False, "batch_size": 4})
    dataset = section.build_dataset()
    batches = section.build_loader(dataset, seed=5)._array_batches(0)
    images, labels = next(batches)
    samples = seen(dataset, range(4), seed=5, epoch=0)
    np.testing.assert_array_equal(np.stack([image for image, _ in samples]), images)
    assert [label for _, label in samples] == list(labels)


def test_mixes_take_turns() -> None:
    config = load_config(ClassificationConfig, CONFIG, ["data.train.mix=[{name: Mixup}, {name: CutMix}]"])
    section = config.data.train
    dataset = section.build_dataset()
    for epoch in range(2):
        plain = seen(dataset, range(4), seed=0, epoch=epoch)
        samples = section.mixed(plain, config, "train", epoch)
        assert all(label.shape == (10,) and abs(label.sum() - 1) < 1e-6 for _, label in samples)
        assert section.mixed(plain, config, "valid", epoch) is plain
        output = section.caption(samples[0], dataset)
        assert sum(float(part.rstrip("%").split()[-1]) for part in output.split(",")) in (99, 100, 101)


def test_normalisation_is_undone() -> None:
    picture = np.random.RandomState(0).rand(4, 5, 3).astype("f4")
    mean, std = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]
    normal = ((picture - np.array(mean)) / np.array(std)).transpose(2, 0, 1).astype("f4")
    parts = [Component(name="ToTensor"), Component(name="Normalize", mean=mean, std=std)]
    for found in (to_picture(normal, parts), to_picture(picture * 255, [])):
        assert found.dtype == np.uint8
        np.testing.assert_array_equal(found, np.rint(picture * 255))
    bright = to_picture(np.full((2, 2, 3), 1.6, "f4"), [])  # fractions that a change of colours raised above 1
    np.testing.assert_array_equal(bright, 255)


def test_the_command_draws_a_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "sheet.png"
    assert main(["-c", str(CONFIG), "--images", "2", "--versions", "3", "--output", str(target)]) == 0
    assert capsys.readouterr().out == f"wrote {target}: 2 samples, 3 versions of each\n"
    with Image.open(target) as sheet:
        assert sheet.width > sheet.height > 100


def test_photos_are_reduced(tmp_path: Path) -> None:
    for name, shape in (("ants", (600, 1200, 3)), ("bees", (1200, 600, 3))):
        (tmp_path / name).mkdir()
        for number in range(2):
            write_image(tmp_path / name / f"{number}.png", np.full(shape, 200, np.uint8))
    target, config = tmp_path / "sheet.png", CONFIG.with_name("hymenoptera_mobilenet_v1.yaml")
    main(["-c", str(config), "--data", str(tmp_path), "--images", "2", "--versions", "2", "--output", str(target)])
    with Image.open(target) as sheet:
        assert sheet.width == 3 * (LARGEST + GAP) + GAP and 2 * LARGEST < sheet.height < 2 * LARGEST + 120


def test_a_missing_split_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the config has no data.test"):
        main(["-c", str(CONFIG), "--split", "test", "-o", "data.test=null", "--output", str(tmp_path / "x.png")])
