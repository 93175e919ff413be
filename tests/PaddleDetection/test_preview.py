"""The sheet of training images: objects lie where the transforms have put them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.train.config.table import Component
from core.vision.image import read_image
from PaddleDetection.config import TOOLKIT
from PaddleDetection.data.digit_scenes import DigitScenes
from PaddleDetection.data.pipeline import BATCH_TRANSFORMS
from PaddleDetection.data.transforms.basic import Decode
from PaddleDetection.preview import main
from PaddleDetection.previewing import annotated, batch_of
from tests.PaddleDetection.small import CONFIG, options


def test_boxes_in_any_terms_are_drawn_at_their_place() -> None:
    scenes = DigitScenes("train", 1, 96)
    expected = annotated(Decode()(scenes.sample(0)), [], scenes.class_names)
    parts = [
        Component(name=name, **settings)
        for name, settings in (
            ("NormalizeBox", {}), ("PadBox", {"num_max_boxes": 20}), ("BboxXYXY2XYWH", {}), ("NormalizeImage", {}),
            ("Permute", {}),
        )  # fmt: skip
    ]
    sample = Decode()(scenes.sample(0))
    for part in parts:
        sample = BATCH_TRANSFORMS.build(part)(sample)
    np.testing.assert_array_equal(annotated(sample, parts, scenes.class_names), expected)
    assert (expected != scenes.sample(0)["image"]).any()


def test_masks_follow_a_padded_image() -> None:
    sample = {
        "image": np.full((3, 64, 96), 90, np.float32),
        "gt_bbox": np.array([[10.0, 10.0, 40.0, 40.0]]),
        "gt_class": np.array([[0]]),
        "gt_poly": [{"size": [50, 60], "counts": [0, 50 * 60]}],
    }
    polygon = {**sample, "gt_poly": [[[0, 0, 60, 0, 60, 50, 0, 50]]]}
    for one in (sample, polygon):
        drawn = (annotated(one, [], ["thing"]) != 90).any(axis=2)
        assert drawn[:50, :60].all() and not drawn[52:].any() and not drawn[:, 62:].any()


def test_epochs_differ_and_a_seed_repeats(tmp_path: Path) -> None:
    flip = '[{"name": "Decode"}, {"name": "RandomFlip"}]'
    resize = '[{"name": "BatchRandomResize", "target_size": [64, 96, 128]}, {"name": "Permute"}]'
    changes = [f"data.train.transforms={flip}", f"data.train.batch_transforms={resize}"]
    config = TOOLKIT.load(CONFIG, changes)
    dataset = config.data.build_dataset("train")
    seen = [batch_of(dataset, config.data.train, [0, 2], 0, epoch) for epoch in (0, 1, 2, 3, 0)]
    shapes = [[sample["image"].shape for sample in samples] for samples in seen]
    assert all(first == second for first, second in shapes) and len({first for first, _ in shapes}) > 1
    np.testing.assert_array_equal(seen[0][1]["image"], seen[4][1]["image"])
    words = [*options(*changes), "--images", "2", "--versions", "3"]
    for name in ("a.png", "b.png"):
        assert main(["-c", str(CONFIG), *words, "--output", str(tmp_path / name)]) == 0
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), read_image(tmp_path / "b.png"))
