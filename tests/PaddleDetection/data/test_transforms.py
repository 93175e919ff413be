"""Transforms against PaddleDetection's own, with the same seeds; and what they refuse."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from PaddleDetection.data.pipeline import BATCH_TRANSFORMS, TRANSFORMS
from PaddleDetection.data.transforms.basic import Decode, NormalizeImage, Resize
from PaddleDetection.data.transforms.batch import BatchRandomResize, InOrder, PadBatch
from PaddleDetection.data.transforms.masks import decoded
from tests.parity.PaddleDetection import transform_cases as cases


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "transforms.npz"
    with np.load(path) as stored:
        return dict(stored)


def seeded(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  # the generator that the official transforms draw from


def assert_same(samples: Any, case: str, seed: int, official: dict[str, np.ndarray]) -> None:
    found = cases.described(list(samples), lambda mask: decoded(mask, *mask["size"]))
    np.testing.assert_allclose(cases.flat(found), official[f"{case} {seed}"], rtol=2e-6, atol=1e-5)


@pytest.mark.parametrize("seed", cases.SEEDS)
@pytest.mark.parametrize("case", cases.OF_SAMPLES)
def test_of_samples(case: str, seed: int, official: dict[str, np.ndarray]) -> None:
    name, arguments = cases.OF_SAMPLES[case]
    seeded(seed)
    sample = cases.ready(case)

    def another() -> dict[str, Any]:
        np.random.randint(2)  # noqa: NPY002  # as the data set draws
        return cases.sample(case, 1)

    if name in ("Mixup", "Cutmix"):
        sample["another"] = another
    assert_same([TRANSFORMS.resolve(name)(**arguments)(sample)], case, seed, official)


@pytest.mark.parametrize("seed", cases.SEEDS)
@pytest.mark.parametrize("case", cases.OF_BATCHES)
def test_of_batches(case: str, seed: int, official: dict[str, np.ndarray]) -> None:
    name, arguments = cases.OF_BATCHES[case]
    seeded(seed)
    assert_same(BATCH_TRANSFORMS.resolve(name)(**arguments)(cases.batch(case)), case, seed, official)


def test_masks_of_pixels_follow_the_image() -> None:
    sample = {"image": np.zeros((4, 6, 3), np.uint8), "gt_segm": np.zeros((1, 4, 6), np.uint8)}
    sample["gt_segm"][0, :, 1] = 1
    resized = Resize([8, 12])(sample)["gt_segm"]
    assert resized.shape == (1, 8, 12) and resized[0].sum(0).tolist() == [0, 0, 8, 8, *[0] * 8]
    flipped = TRANSFORMS.resolve("RandomFlip")(prob=1.0)({**sample, "gt_segm": resized})["gt_segm"]
    assert flipped[0].sum(0).tolist() == [*[0] * 8, 8, 8, 0, 0]


def test_decoding_records_the_size() -> None:
    sample = Decode()({"image": np.zeros((5, 7, 3), np.uint8)})
    assert (sample["h"], sample["w"]) == (5, 7)
    assert sample["im_shape"].tolist() == [5, 7] and sample["scale_factor"].tolist() == [1, 1]


def test_sizes_of_batches_are_known_where_they_are() -> None:
    assert BatchRandomResize([320, 352, 352]).sizes == {"image": ["320 x 320", "352 x 352"]}
    assert BatchRandomResize(320, random_size=False).sizes == {}
    assert BatchRandomResize([320], keep_ratio=True).sizes == {"height": None, "width": None}
    both = InOrder([BatchRandomResize([320, 352]), NormalizeImage()], lambda sample: sample)
    assert both.sizes == {"image": ["320 x 320", "352 x 352"]}
    assert InOrder([PadBatch(32)], lambda sample: sample).sizes == {"height": None, "width": None}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Resize(0), "Resize: target_size must be one or two positive numbers, not 0"),
        (lambda: Resize([3, 4, 5]), r"Resize: target_size must be one or two positive numbers, not \[3, 4, 5\]"),
        (lambda: Resize(3, interp=7), "Resize: interp must be 0, 1, 2, 3 or 4, not 7"),
        (lambda: NormalizeImage(std=[1.0, 0.0, 1.0]), "NormalizeImage: std must not be zero: "),
        (lambda: NormalizeImage(norm_type="max"), "NormalizeImage: norm_type must be 'mean_std' or 'none', not 'max'"),
        (lambda: BatchRandomResize(320), "BatchRandomResize: target_size must be a list of sizes to draw from, not 3"),
        (lambda: decoded({"size": [3, 4], "counts": [12]}, 4, 4), "lengths are of 3 x 4 pixels, the image of 4 x 4"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
