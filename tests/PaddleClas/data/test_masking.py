"""What the masking augmentations hide, against their papers' definitions."""

from __future__ import annotations

import numpy as np
import pytest

from core.io.randomness import sample_scope
from PaddleClas.data.fmix import FMix
from PaddleClas.data.masking import Cutout, GridMask, HideAndSeek

IMAGE = np.full((3, 60, 80), 5, np.float32)


def hidden(transform: object, index: int = 0, image: np.ndarray = IMAGE) -> np.ndarray:
    with sample_scope(7, 0, index):
        result = transform(image)  # type: ignore[operator]
    assert result.shape == image.shape and result.dtype == image.dtype
    planes = result if image.dtype == np.float32 else result.transpose(2, 0, 1)
    assert (planes == planes[:1]).all()  # all channels alike
    return planes[0] == 0


@pytest.mark.parametrize("transform", [Cutout(length=20), HideAndSeek(grid_sizes=[8]), GridMask(12, 24, prob=1.0)])
def test_masks_depend_on_the_sample_alone(transform: object) -> None:
    first, again, other = hidden(transform), hidden(transform), hidden(transform, 1)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    bytes_last = np.full((60, 80, 3), 5, np.uint8)
    np.testing.assert_array_equal(hidden(transform, 0, bytes_last), first)


def test_cutout_hides_squares_that_may_leave_the_image() -> None:
    full = 0
    for index in range(200):
        mask = hidden(Cutout(length=20), index)
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        assert mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].all()
        assert mask.sum() == len(rows) * len(columns) <= 400
        assert len(rows) == 20 or rows[0] == 0 or rows[-1] == 59
        assert len(columns) == 20 or columns[0] == 0 or columns[-1] == 79
        full += mask.sum() == 400
    assert abs(full / 200 - (41 / 60) * (61 / 80)) < 0.1  # middles are even over the image


def test_several_holes_and_a_colour() -> None:
    with sample_scope(0, 0, 0):
        result = Cutout(n_holes=3, length=10, value=2.5)(IMAGE)
    assert 100 < (result == 2.5).sum() / 3 <= 300


def test_hide_and_seek_hides_half_of_the_squares() -> None:
    counts = []
    for index in range(60):
        mask = hidden(HideAndSeek(grid_sizes=[20]), index)
        squares = mask.reshape(3, 20, 4, 20).transpose(0, 2, 1, 3).reshape(12, 400)
        assert ((squares.sum(axis=1) == 0) | (squares.sum(axis=1) == 400)).all()
        counts.append(squares.any(axis=1).mean())
    assert abs(np.mean(counts) - 0.5) < 0.06


def test_hide_and_seek_draws_the_size_and_cuts_the_last_squares() -> None:
    assert not hidden(HideAndSeek(grid_sizes=[0])).any()
    assert hidden(HideAndSeek(grid_sizes=[33], hide_prob=1.0)).all()
    seen = {hidden(HideAndSeek(grid_sizes=(0, 16)), index).any() for index in range(20)}
    assert seen == {False, True}


@pytest.mark.parametrize(("mode", "ratio"), [(1, 0.6), (0, 0.6), (1, 0.25)])
def test_grid_mask_without_rotation_is_a_regular_grid(mode: int, ratio: float) -> None:
    mask = hidden(GridMask(20, 21, rotate=0, ratio=ratio, mode=mode, prob=1.0))
    squares = mask if mode == 1 else ~mask
    side = 20 - int(20 * ratio + 0.5)
    rows, columns = squares.any(axis=1), squares.any(axis=0)
    np.testing.assert_array_equal(squares, rows[:, None] & columns[None, :])
    np.testing.assert_array_equal(rows[20:], rows[:-20])  # the unit is 20 pixels
    assert rows[:20].sum() == columns[:20].sum() == side


def test_grid_mask_is_drawn_with_its_probability() -> None:
    drawn = [hidden(GridMask(12, 24, prob=0.7), index).any() for index in range(200)]
    assert abs(np.mean(drawn) - 0.7) < 0.1


def test_fmix_takes_regions_of_the_drawn_share() -> None:
    mix = FMix(class_num=3, alpha=1.0)
    images = [np.full((1, 40, 50), number, np.float32) for number in (1, 2, 3)]
    with sample_scope(0, 0, 3):
        samples = mix(list(zip(images, [0, 1, 2])))
    for (image, shares), own in zip(samples, (0, 1, 2)):
        for number in range(3):
            assert (image == number + 1).mean() == pytest.approx(shares[number], abs=1e-6)
        assert shares.sum() == pytest.approx(1, abs=1e-6) and shares[own] > 0
    with sample_scope(0, 0, 3):
        again = mix(list(zip(images, [0, 1, 2])))
    np.testing.assert_array_equal(samples[0][0], again[0][0])


@pytest.mark.parametrize("weight", [0.0, 0.2, 0.7, 1.0])
def test_fmix_masks_are_large_regions(weight: float) -> None:
    with sample_scope(1, 0, 0):
        mask = FMix(2).mask(64, 64, weight)
    assert abs(mask.mean() - weight) <= 1 / 64**2
    edges = (mask[1:] != mask[:-1]).mean() + (mask[:, 1:] != mask[:, :-1]).mean()
    assert edges < 0.1  # noise of all frequencies would have 2 * 2 * weight * (1 - weight)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cutout(n_holes=0), "Cutout: n_holes and length must be positive, not 0 and 112"),
        (lambda: HideAndSeek(grid_sizes=[]), "HideAndSeek: grid_sizes must be some sizes of 0 or more"),
        (lambda: HideAndSeek(hide_prob=2), "HideAndSeek: hide_prob must lie between 0 and 1, not 2"),
        (lambda: GridMask(d1=30, d2=30), "GridMask: d1 and d2 must be rising"),
        (lambda: GridMask(ratio=1.5), "GridMask: ratio must lie between 0 and 1"),
        (lambda: FMix(2, decay_power=0), "FMix: decay_power must be positive, not 0"),
    ],
)
def test_arguments_out_of_range_are_named(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]
