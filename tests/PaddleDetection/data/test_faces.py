"""Data-anchor sampling against PaddleDetection 2.6's, and its statistics."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from PaddleDetection.data.pipeline import TRANSFORMS
from PaddleDetection.data.transforms.faces import CropWithDataAchorSampling
from tests.parity.PaddleDetection import face_cases as cases

OFFICIAL = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "faces.npz"


@pytest.mark.parametrize("case", cases.SAMPLING)
def test_parts_as_the_official_ones(case: str) -> None:
    transform = CropWithDataAchorSampling(cases.BATCH_SAMPLER, cases.ANCHOR_SAMPLER, **cases.SAMPLING[case])
    cut = 0
    with np.load(OFFICIAL) as official:
        for seed in cases.SEEDS:
            image, boxes = cases.scene(seed)
            classes = np.arange(len(boxes), dtype=np.int32)[:, None]
            np.random.seed(seed)  # noqa: NPY002  # what the official transforms draw from
            random.seed(seed)
            found = transform({"image": image, "gt_bbox": boxes.copy(), "gt_class": classes, "gt_poly": []})
            assert [np.random.uniform(), random.random()] == official[f"{case} {seed} next"].tolist()  # noqa: NPY002
            if f"{case} {seed} image" not in official:
                assert found["image"] is image and (found["gt_bbox"] == boxes).all()
                continue
            cut += 1
            assert "gt_poly" not in found
            wanted = official[f"{case} {seed} image"]
            np.testing.assert_allclose(np.float32(found["image"])[::16, ::16], wanted, rtol=1e-5, atol=1e-3)
            np.testing.assert_allclose(found["gt_bbox"], official[f"{case} {seed} boxes"], rtol=1e-5, atol=1e-3)
            np.testing.assert_array_equal(found["gt_class"], official[f"{case} {seed} classes"])
    assert cut >= 4


def test_a_face_comes_to_an_anchors_size_and_its_pixels_stay_in_its_box() -> None:
    np.random.seed(0)  # noqa: NPY002  # what the official transforms draw from
    random.seed(0)
    image = np.zeros((200, 300, 3), np.uint8)
    image[60:100, 80:120] = 250
    transform = CropWithDataAchorSampling([], cases.ANCHOR_SAMPLER, 320, (16, 32, 64, 128), sampling_prob=0.0)
    sides = []
    for _ in range(200):
        face = np.array([[80, 60, 120, 100]], np.float32)
        found = transform({"image": image, "gt_bbox": face, "gt_class": np.zeros((1, 1), np.int32)})
        if found["image"].shape != (320, 320, 3):
            continue  # a part on the face's corner alone
        left, top, right, bottom = found["gt_bbox"][0]
        if 0 < left and right < 319 and 0 < top and bottom < 319:  # none of it is cut away
            sides.append(right - left)
            inner = found["image"][int(top) + 4 : int(bottom) - 3, int(left) + 4 : int(right) - 3]
            assert inner.min(initial=255.0) > 249 or right - left < 12
            np.testing.assert_allclose(found["image"].sum() / 250 / 3, sides[-1] ** 2, rtol=0.15)
    # a face of 40 pixels lies between anchors of 32 and 64: it is drawn for 16, 32 or 64, each as often, from half of
    # the anchor to twice it, but no larger than twice the face
    assert len(sides) > 160
    below = [np.mean(np.array(sides) < edge) for edge in (8, 16, 32, 64, 80.5)]
    expected = [0, 8 / 24 / 3, (1 + 16 / 48) / 3, (1 + 1 + 32 / 48) / 3, 1.0]
    np.testing.assert_allclose(below, expected, atol=0.09)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_sampler": [[1, 50]], "target_size": 640}, "a sampler has 10 numbers, not 2"),
        ({"batch_sampler": []}, "target_size must be a positive number, not None"),
        ({"batch_sampler": [], "target_size": 640, "das_anchor_scales": [16]}, "must be at least two sizes"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TRANSFORMS.resolve("CropWithDataAchorSampling")(**arguments)


def test_an_image_without_faces_stays() -> None:
    sample = {"image": np.zeros((4, 4, 3), np.uint8), "gt_bbox": np.zeros((0, 4), np.float32)}
    transform = CropWithDataAchorSampling(cases.BATCH_SAMPLER, cases.ANCHOR_SAMPLER, 64)
    assert transform(sample) is sample and sample["image"].shape == (4, 4, 3)
