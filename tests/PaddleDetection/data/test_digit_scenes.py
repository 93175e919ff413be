"""The drawn scenes: what is said of them is true of the pixels."""

from __future__ import annotations

import numpy as np
import pytest

from core.vision.datasets.digits import read_digits, split_indices
from PaddleDetection.data.digit_scenes import OVERLAP, DigitScenes, background


def overlaps(boxes: np.ndarray) -> np.ndarray:
    """Return the intersection over union of each two boxes."""
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(-1)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
    return common / (area[:, None] + area - common)


def test_boxes_are_the_extents_of_the_masks() -> None:
    scenes = DigitScenes("valid", count=20)
    for index in range(20):
        sample = scenes[index]
        assert sample["image"].shape == (160, 160, 3) and sample["image"].dtype == np.uint8
        assert sample["index"] == index and sample["im_id"].tolist() == [index]
        assert 1 <= len(sample["gt_bbox"]) == len(sample["gt_class"]) == len(sample["gt_segm"]) <= 8
        for box, mask in zip(sample["gt_bbox"], sample["gt_segm"]):
            rows, columns = np.nonzero(mask)
            assert box.tolist() == [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        assert sample["gt_segm"].sum(0).max() == 1  # what a later digit hides belongs to that one alone


def test_scenes_are_what_they_should_be() -> None:
    scenes = DigitScenes("train", count=200)
    boxes = [scenes.objects(index)["gt_bbox"] for index in range(200)]
    heights = np.concatenate([part[:, 3] - part[:, 1] for part in boxes])
    assert heights.min() >= 10 and 3.5 <= np.quantile(heights, 0.99) / np.quantile(heights, 0.01) <= 4.6
    assert max(np.triu(overlaps(part), 1).max() for part in boxes) <= 0.4  # 0.3 before a later digit hides a part
    assert {len(part) for part in boxes} == set(range(1, 9))
    assert OVERLAP == 0.3


def test_the_same_scene_always_and_another_in_another_split() -> None:
    first, again = DigitScenes("test", 3)[2], DigitScenes("test", 5)[2]
    assert first["image"].tobytes() == again["image"].tobytes()
    assert first["image"].tobytes() != DigitScenes("train", 3)[2]["image"].tobytes()
    assert "image" not in DigitScenes("test", 3).objects(2)


def test_each_split_has_digits_of_its_own() -> None:
    images, labels = read_digits()
    parts = split_indices(labels)
    for split in ("train", "valid", "test"):
        scenes = DigitScenes(split, 1)
        np.testing.assert_array_equal(scenes.images, images[parts[split]])
        np.testing.assert_array_equal(scenes.labels, labels[parts[split]])


def test_a_background_has_no_digit() -> None:
    image = background(np.random.RandomState(0), 64)  # noqa: NPY002  # as the scenes are drawn
    assert image.shape == (64, 64, 3) and 0 <= image.min() < image.max() <= 255


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "dev"}, "DigitScenes: split must be one of train, valid, test, not 'dev'"),
        ({"count": 0}, "DigitScenes: count must be at least 1, not 0"),
        ({"size": 32}, "DigitScenes: size must be at least 64, not 32"),
        ({"most": 0}, "DigitScenes: most must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DigitScenes(**arguments)  # type: ignore[arg-type]
    with pytest.raises(IndexError, match="DigitScenes has 2 scenes, no number 2"):
        DigitScenes(count=2).sample(2)
