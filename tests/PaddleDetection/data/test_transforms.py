"""Transforms against PaddleDetection's own, with the same seeds; and what they refuse."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.io.randomness import sample_scope
from core.train.config.table import Component
from PaddleDetection.data.pipeline import BATCH_TRANSFORMS, TRANSFORMS
from PaddleDetection.data.transforms.auto_augment import AutoAugment
from PaddleDetection.data.transforms.basic import Decode, NormalizeImage, Resize
from PaddleDetection.data.transforms.batch import BatchRandomResize, InOrder, PadBatch
from PaddleDetection.data.transforms.boxes import Poly2Mask
from PaddleDetection.data.transforms.color import AugmentHSV
from PaddleDetection.data.transforms.masks import decoded
from PaddleDetection.data.transforms.mosaic import Mosaic
from PaddleDetection.data.transforms.resizing import PadResize
from tests.parity.PaddleDetection import transform_cases as cases
from tests.parity.stored import stored_arrays


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "transforms.npz"
    return stored_arrays(path)


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
    seeded(cases.seed_of(case, seed))
    sample = cases.ready(case)

    numbers = iter(range(1, 5))

    def another() -> dict[str, Any]:
        np.random.randint(2)  # noqa: NPY002  # as the data set draws
        return cases.sample(case, next(numbers))

    if name in cases.OTHERS:
        sample["another"] = another
    made = TRANSFORMS.resolve(name)(**arguments)(sample)
    if name == "PadResize":  # PaddleDetection's leaves the image's size as it was
        made.update({key: cases.ready(case)[key] for key in ("im_shape", "scale_factor")})
    assert_same([made], case, seed, official)


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


def test_mixes_end_with_an_epoch() -> None:
    arguments = {"Mosaic": {"input_dim": 16}, "Mixup": {}, "Cutmix": {}}
    for name, settings in arguments.items():
        transform = TRANSFORMS.resolve(name)(epochs=2, **settings)
        for epoch, mixed in ((None, True), (1, True), (2, False)):
            seeded(0)
            sample = {**cases.ready("mosaic"), "another": lambda: cases.sample("mosaic", 1)}
            with contextlib.nullcontext() if epoch is None else sample_scope(0, epoch, 0):
                assert (len(transform(sample)["gt_bbox"]) > 3) == mixed, (name, epoch)
        with pytest.raises(ValueError, match=f"{name} needs .* second sample|{name} needs further samples"):
            transform(cases.ready("mosaic"))


def test_the_size_is_noted_where_an_image_is_fitted_in() -> None:
    sample = Decode()({"image": np.zeros((10, 20, 3), np.uint8), "gt_bbox": np.array([[0, 0, 20, 8], [3, 3, 4, 9]])})
    sample["gt_class"] = np.array([[1], [2]])
    fitted = TRANSFORMS.resolve("PadResize")(target_size=[8, 10])(sample)
    assert fitted["im_shape"].tolist() == [5, 10] and fitted["scale_factor"].tolist() == [0.5, 0.5]
    assert fitted["gt_bbox"].tolist() == [[0, 0, 10, 4]] and fitted["gt_class"].tolist() == [[1]]
    assert fitted["image"].shape == (8, 10, 3) and fitted["image"][5:].min() == 114


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
        (lambda: AutoAugment("v9"), "AutoAugment: autoaug_type must be one of v0, v1, v2, v3, test, not 'v9'"),
        (lambda: Mosaic(input_dim=0), "Mosaic: input_dim must be one or two positive numbers, not 0"),
        (lambda: Mosaic(scale=[0, 2]), r"Mosaic: scale must be positive, not \[0, 2\]"),
        (lambda: AugmentHSV(hgain=5), r"AugmentHSV: hgain, sgain and vgain belong together, not \[5, None, None\]"),
        (lambda: PadResize([3, 0]), r"PadResize: target_size must be one or two positive numbers, not \[3, 0\]"),
        (lambda: BatchRandomResize(320), "BatchRandomResize: target_size must be a list of sizes to draw from, not 3"),
        (lambda: Poly2Mask()({"image": np.zeros((2, 2, 3), np.uint8)}), "Poly2Mask: the data has no masks, gt_poly; "),
        (lambda: decoded({"size": [3, 4], "counts": [12]}, 4, 4), "lengths are of 3 x 4 pixels, the image of 4 x 4"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("component", "message"),
    [
        ({"name": "RandomFlip", "prob": 2}, "RandomFlip: prob must be less than or equal to 1, not 2"),
        ({"name": "Mosaic", "mixup_prob": -0.5}, "Mosaic: mixup_prob must be greater than or equal to 0, not -0.5"),
        (
            {"name": "RandomSelect", "transforms1": [], "transforms2": [], "p": 1.5},
            "RandomSelect: p must be less than or equal to 1, not 1.5",
        ),
        (
            {"name": "RandomCrop", "thresholds": [0.5, 2.0]},
            "RandomCrop: thresholds must be list of number, each less than or equal to 1, not ",
        ),
    ],
)
def test_probabilities_and_overlaps_are_shares(component: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TRANSFORMS.check(Component.model_validate(component))


def test_one_of_two_lists_is_chosen() -> None:
    flip, grow = {"name": "RandomFlip", "prob": 1.0}, {"name": "Pad", "size": [5, 8]}
    chosen = TRANSFORMS.resolve("RandomSelect")([flip], [flip, grow], p=0.3)
    image = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    for seed in range(6):
        seeded(seed)
        first = random.random() < 0.3
        seeded(seed)
        made = chosen({"image": image, "gt_bbox": np.zeros((0, 4), np.float32)})["image"]
        np.testing.assert_array_equal(made[:4, :6], image[:, ::-1])
        assert made.shape == ((4, 6, 3) if first else (5, 8, 3))


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("RandomSelect", {"transforms1": [{"name": "Flip"}], "transforms2": []}, "unknown transform 'Flip'"),
        ("RandomSizeCrop", {"min_size": 9, "max_size": 8}, "min_size must be from 1 to max_size, not 9 of 8"),
        ("RandomShortSideResize", {"short_side_sizes": []}, "must be lengths to draw from, not an empty list"),
        ("CropWithSampling", {"batch_sampler": [[1, 2]]}, "a sampler has 8 numbers, not 2"),
    ],
)
def test_parts_and_choices_that_make_no_sense(name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TRANSFORMS.resolve(name)(**arguments)
