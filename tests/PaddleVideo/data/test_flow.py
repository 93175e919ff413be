"""Optical flow as pictures: what moves by how much is seen in their colours."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from PaddleVideo.data.flow import OpticalFlow
from PaddleVideo.data.pipeline import TRANSFORMS


def moving(right: int, down: int, frames: int = 3, side: int = 64) -> np.ndarray:
    """Return a texture that moves by so many pixels a frame, (T, side, side, 3)."""
    noise = np.random.RandomState(0).randint(0, 256, (side + 40, side + 40)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 2.0)
    texture = np.rint((smooth - smooth.min()) * (255 / np.ptp(smooth))).astype(np.uint8)
    corners = [(20 - number * down, 20 - number * right) for number in range(frames)]
    cuts = [texture[row : row + side, column : column + side] for row, column in corners]
    return np.repeat(np.stack(cuts)[..., None], 3, axis=3)


@pytest.mark.parametrize(("right", "down"), [(3, 0), (0, -2), (2, 1)])
def test_colours_say_how_far_pixels_move(right: int, down: int) -> None:
    found, label = OpticalFlow(bound=10.0)((moving(right, down), 5))
    assert found.shape == (3, 64, 64, 3) and found.dtype == np.uint8 and label == 5
    middle = np.median(found[:, 16:-16, 16:-16].reshape(3, -1, 3), axis=1)
    expected = [128 + 12.7 * right, 128 + 12.7 * down, 25.5 * np.hypot(right, down)]
    np.testing.assert_allclose(middle, np.tile(expected, (3, 1)), atol=3)
    np.testing.assert_array_equal(found[1], found[2])  # nothing follows the last frame


def test_one_frame_stands_still_and_clips_are_alone() -> None:
    still = OpticalFlow()((moving(3, 0, 1), 0))[0]
    assert (still == [128, 128, 0]).all()
    clips = np.stack([moving(3, 0), moving(0, 2)])
    both = OpticalFlow()((clips, 0))[0]
    np.testing.assert_array_equal(both[1], OpticalFlow()((clips[1], 0))[0])


def test_settings_and_sizes_are_checked() -> None:
    assert "OpticalFlow" in TRANSFORMS.entries
    with pytest.raises(ValueError, match="OpticalFlow: bound must be more than 0, not 0"):
        OpticalFlow(0)
    with pytest.raises(ValueError, match="OpticalFlow: the 8x64 frames have less than 16 pixels; resize them"):
        OpticalFlow()((moving(1, 0)[:, :8], 0))
