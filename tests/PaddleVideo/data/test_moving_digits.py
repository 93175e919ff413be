"""Drawn clips: a clip played backwards is a clip of the partner class, as likely, and splits share no digit."""

from __future__ import annotations

import numpy as np
import pytest

from PaddleVideo.data.moving_digits import ACTIONS, REVERSED, MovingDigits


def test_a_reversed_clip_is_one_of_its_partner() -> None:
    data = MovingDigits("test", frames=6, count=16)
    for index in range(16):
        np.testing.assert_array_equal(data.clip(index, backwards=True), data.clip(index)[::-1])
        assert REVERSED[REVERSED[data.label(index)]] == data.label(index)
    assert [(ACTIONS[n], ACTIONS[REVERSED[n]]) for n in (0, 2, 4, 6)] == [
        ("left", "right"), ("up", "down"), ("clockwise", "anticlockwise"), ("growing", "shrinking"),
    ]  # fmt: skip


def middles(clip: np.ndarray) -> np.ndarray:
    """Return where the light of each frame is, row and column."""
    weight = clip[..., 0].astype(float)
    rows = (weight.sum(2) * np.arange(clip.shape[1])).sum(1) / weight.sum((1, 2))
    columns = (weight.sum(1) * np.arange(clip.shape[2])).sum(1) / weight.sum((1, 2))
    return np.stack([rows, columns], 1)


def test_actions_do_what_they_are_called() -> None:
    data = MovingDigits("train", frames=8, count=64)
    for index in range(64):
        clip, action = data.clip(index), ACTIONS[data.label(index)]
        (rows, columns), light = (middles(clip)[-1] - middles(clip)[0]), clip.astype(float).sum((1, 2, 3))
        if action in ("left", "right"):
            assert abs(rows) < 1 and columns * (1 if action == "right" else -1) > 10
        if action in ("up", "down"):
            assert abs(columns) < 1 and rows * (1 if action == "down" else -1) > 10
        if action in ("growing", "shrinking"):
            assert (light[-1] > 2.5 * light[0]) == (action == "growing")
            assert (light[-1] < light[0] / 2.5) == (action == "shrinking")


def test_where_tracks_lie_says_nothing_about_their_direction() -> None:
    """First and last frames of right-going digits together are as far to the right as those of left-going ones."""
    data = MovingDigits("train", frames=2, count=1600)
    means = []
    for action in (0, 1):
        clips = [data.clip(index) for index in range(action, 800, 8)]
        means.append(np.mean([middles(clip)[:, 1].mean() for clip in clips]))
    assert abs(means[0] - means[1]) < 2


def test_splits_and_settings() -> None:
    splits = {split: {image.tobytes() for image in MovingDigits(split).images} for split in ("train", "valid", "test")}
    assert not splits["train"] & splits["test"] and not splits["valid"] & splits["test"]
    assert [len(MovingDigits(split)) for split in splits] == [1600, 200, 400]
    data = MovingDigits("test", count=5)
    np.testing.assert_array_equal(data.clip(3), data.clip(3))
    assert data.clip(0).shape == (16, 48, 48, 3) and data.image(0).shape == (48, 6 * 48 + 5, 3)
    for arguments, message in (
        ({"split": "none"}, "split must be one of train, valid, test, not 'none'"),
        ({"frames": 1}, "frames must be at least 2, size 32 and count 1, not 1, 48 and None"),
    ):
        with pytest.raises(ValueError, match=message):
            MovingDigits(**arguments)  # type: ignore[arg-type]  # the mistake
