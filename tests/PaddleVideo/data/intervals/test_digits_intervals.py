"""Drawn clips with actions: what their features say, and that they are the same everywhere."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from PaddleVideo.data.intervals.moving_digits import FRAMES, GAP, LENGTHS, RATE, MovingDigitsIntervals, motions
from PaddleVideo.data.moving_digits import ACTIONS


def test_clips_and_actions_are_as_told() -> None:
    data, kinds = MovingDigitsIntervals("test"), []
    for index in range(len(data)):
        rows = data.actions(index) * [1, RATE, RATE]
        count = round(data.duration(index) * RATE)
        assert FRAMES[0] <= count <= FRAMES[1] and 1 <= len(rows) <= 3
        lengths = rows[:, 2] - rows[:, 1]
        assert (lengths >= LENGTHS[0] - 1e-9).all() and (lengths <= LENGTHS[1] + 1e-9).all()
        assert (np.diff([0, *rows[:, 1:].ravel(), count])[::2] >= GAP - 1e-9).all()
        kinds += rows[:, 0].astype(int).tolist()
    assert np.bincount(kinds, minlength=len(ACTIONS)).min() >= 15
    clip = data.clip(0)
    assert clip.shape[1:] == (48, 48) and len(clip) == len(data[0]) == round(data.duration(0) * RATE)
    digest = hashlib.sha256(np.round(data.actions(0), 6).tobytes()).hexdigest()
    assert digest.startswith("537ba41b32bff148") and np.array_equal(clip, MovingDigitsIntervals("test").clip(0))


def blobs(matrix: np.ndarray) -> np.ndarray:
    """Return three blobs around the middle after an affine motion of the plane, (48, 48), without interpolation."""
    rows, columns = np.mgrid[:48, :48] - 23.5
    inverse = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))
    x, y = (row[0] * columns + row[1] * rows + row[2] for row in inverse[:2])
    places = ((-6, -4, 3.0, 200), (5, -2, 3.5, 150), (0, 6, 3.0, 220))
    levels = [height * np.exp(-((x - a) ** 2 + (y - b) ** 2) / 2 / size**2) for a, b, size, height in places]
    return np.rint(np.sum(levels, axis=0)).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("action", "matrix", "expected"),
    [
        ("right", [[1, 0, 0.3], [0, 1, 0]], 0.3),
        ("up", [[1, 0, 0], [0, 1, -0.5]], 0.5),
        ("growing", [[1.03, 0, 0], [0, 1.03, 0]], 0.03 / 0.05),
        ("shrinking", [[0.97, 0, 0], [0, 0.97, 0]], 0.03 / 0.05),
        ("clockwise", [[np.cos(0.04), -np.sin(0.04), 0], [np.sin(0.04), np.cos(0.04), 0]], 0.04 / 0.05),
        ("anticlockwise", [[np.cos(0.04), np.sin(0.04), 0], [-np.sin(0.04), np.cos(0.04), 0]], 0.04 / 0.05),
    ],
)
def test_features_are_the_motion_between_frames(action: str, matrix: np.ndarray, expected: float) -> None:
    found = motions(np.stack([blobs(np.eye(3)[:2]), blobs(np.array(matrix))]))
    assert not found[0, :8].any()
    assert found[1, ACTIONS.index(action)] == pytest.approx(expected, rel=0.05)
    assert np.abs(np.delete(found[1, :8], ACTIONS.index(action))).max() < 0.03


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="split must be one of train, valid, test, not 'dev'"):
        MovingDigitsIntervals("dev")
    with pytest.raises(ValueError, match="count must be at least 1, not 0"):
        MovingDigitsIntervals(count=0)
