"""Masks of boxes in whole images: against PaddleDetection's own, pixel by pixel from the definition, and in memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from pycocotools import mask as coco

from PaddleDetection import pasting
from PaddleDetection.outputs import found_in
from PaddleDetection.pasting import found_masks, pasted
from tests.parity.PaddleDetection.mask_cases import HEIGHT, WIDTH, cases

OFFICIAL = Path(__file__).parents[1] / "parity" / "PaddleDetection" / "references" / "masks.npz"


def test_as_the_official_function() -> None:
    masks, boxes = cases()
    found = np.stack([coco.decode(one) for one in found_masks(masks, boxes, HEIGHT, WIDTH)])
    with np.load(OFFICIAL) as stored:
        inside, unsure = (
            np.unpackbits(stored[name])[: found.size].reshape(found.shape) for name in ("inside", "unsure")
        )
    assert unsure.sum() == 1 and inside.sum() > 2500
    np.testing.assert_array_equal(found[unsure == 0], inside[unsure == 0])


@pytest.mark.parametrize("strip", [1, 1 << 22])
def test_each_pixel_is_interpolated_at_its_centre(strip: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pasting, "STRIP", strip)
    random = np.random.RandomState(0)
    for kind in range(4):
        mask = random.uniform(0.4 if kind == 1 else 0, 1, (5, 5)).astype(np.float32)
        box = [[-3.2, 1.3, 9.7, 30.0], [-4.0, -4.0, 20.0, 20.0], [2.5, 3.5, 8.5, 9.5], [1.1, 2.2, 1.4, 2.4]][kind]
        expected = np.array([[likely(mask, box, x, y) >= 0.5 for x in range(11)] for y in range(9)], np.uint8)
        lengths = pasted(mask, box, 9, 11)
        np.testing.assert_array_equal(coco.decode(lengths), expected)
        assert lengths == coco.encode(np.asfortranarray(expected))


def likely(mask: np.ndarray, box: list[float], x: int, y: int) -> float:
    """Return how likely a pixel belongs to a mask's object, by the formula of linear interpolation."""
    across = (x + 0.5 - box[0]) / (box[2] - box[0]) * 5 - 0.5
    down = (y + 0.5 - box[1]) / (box[3] - box[1]) * 5 - 0.5
    return sum(
        mask[row, column] * (1 - abs(down - row)) * (1 - abs(across - column))
        for row in range(5)
        for column in range(5)
        if abs(down - row) < 1 and abs(across - column) < 1
    )


@pytest.mark.parametrize("box", [[5, 5, 5, 9], [9, 9, 4, 4], [30, 0, 40, 8], [float("nan"), 0, 1, 1]])
def test_a_box_without_pixels_has_an_empty_mask(box: list[float]) -> None:
    lengths = pasted(np.ones((28, 28), np.float32), box, 10, 20)
    assert coco.decode(lengths).shape == (10, 20) and coco.area(lengths) == 0


def test_masks_of_a_wide_image_take_little_memory() -> None:
    masks, boxes = np.full((3, 28, 28), 0.9, np.float32), np.tile([[100.0, 50.0, 19900.0, 4950.0]], (3, 1))
    tracemalloc.start()
    found = found_masks(masks, boxes, 5000, 20000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 3 and found[0]["size"] == [5000, 20000]
    assert peak < 90e6  # the pixels of one are 100 MB
    np.testing.assert_allclose([coco.area(one) for one in found], 19800 * 4900, rtol=0.01)


def test_outputs_are_cut_and_what_is_not_finite_is_left_out() -> None:
    rows = np.array([[[1, 0.9, 2, 3, 8, 9], [0, 0.8, np.nan, 1, 4, 5], [-1, 0, 0, 0, 0, 0]], [[-1, 0, 0, 0, 0, 0]] * 3])
    outputs = rows.astype(np.float32), np.array([2, 0], np.int32), np.ones((2, 3, 4, 4), np.float32)
    shape, factor = np.array([[20.0, 32.0], [16, 16]], np.float32), np.array([[2.0, 2.0], [1, 1]], np.float32)
    with pytest.warns(UserWarning, match="gives boxes with numbers that are not finite; they are left out"):
        first, second = found_in(outputs, shape, factor)
    np.testing.assert_array_equal(first.rows, rows[0, :1].astype(np.float32))
    assert first.masks is not None and coco.decode(first.masks[0]).shape == (10, 16)
    assert coco.decode(first.masks[0]).sum() == 36
    assert second.rows.shape == (0, 6) and second.masks == []
