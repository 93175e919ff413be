"""Transforms of clips: the same for all frames, views in order, and what a mirrored action is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.io.randomness import sample_scope
from core.train.config.table import Component
from core.vision import transforms as T
from PaddleVideo.data.clips import (
    MultiScaleCrop,
    OverFrames,
    RandomFlipClip,
    RandomResizeShort,
    ResizeShort,
    TenCrops,
    ThreeCrops,
)
from PaddleVideo.data.pipeline import SplitSection
from PaddleVideo.data.sources import ArrayFrames

CLIP = np.random.RandomState(0).randint(0, 256, (5, 20, 30, 3)).astype(np.uint8)


@pytest.mark.parametrize(
    "transform",
    [T.RandomCrop(12), T.RandomResizedCrop(9), T.ColorJitter(0.4, 0.4, 0.4, 0.1), MultiScaleCrop(10)],
)
def test_random_numbers_are_the_same_for_all_frames(transform: Any) -> None:
    """A clip of one frame five times stays so; another draw gives another clip."""
    same = np.stack([CLIP[0]] * 5)
    found = []
    for index in range(2):
        with sample_scope(0, 0, index):
            clip, label = OverFrames([transform])((same, 2))
        assert label == 2 and all(np.array_equal(frame, clip[0]) for frame in clip)
        found.append(clip)
    assert found[0].shape != found[1].shape or not np.array_equal(found[0], found[1])


def test_images_and_clips_are_prepared_alike() -> None:
    parts = [T.Resize((16, 16)), T.ToTensor(), T.Normalize([0.4, 0.5, 0.6], [0.2, 0.3, 0.4])]
    expected = [T.Compose(parts)(frame) for frame in CLIP]
    clip, _ = OverFrames(parts)((CLIP, 0))
    assert clip.shape == (5, 3, 16, 16) and clip.dtype == np.float32
    np.testing.assert_array_equal(clip, np.stack(expected))
    views, _ = OverFrames(parts)((np.stack([CLIP, CLIP[::-1]]), 0))
    np.testing.assert_array_equal(views, np.stack([clip, clip[::-1]]))
    one, _ = OverFrames(parts)((CLIP[:1], 0))
    np.testing.assert_array_equal(one, clip[:1])


@pytest.mark.parametrize(
    ("shape", "force", "expected"),
    [((20, 30), False, (10, 15)), ((30, 20), False, (15, 10)), ((20, 33), False, (10, 16)), ((20, 30), True, (10, 13))],
)
def test_the_shorter_side(shape: tuple[int, int], force: bool, expected: tuple[int, int]) -> None:
    """The kit of release 1.5 gave every video the shape 4:3; here that is an option."""
    assert ResizeShort(10, force_ratio=force)(np.zeros((*shape, 3), np.uint8)).shape[:2] == expected


def test_a_random_shorter_side() -> None:
    sides = set()
    for index in range(60):
        with sample_scope(0, 0, index):
            clip, _ = OverFrames([RandomResizeShort(8, 12)])((CLIP, 0))
        sides.add(clip.shape[1:3])
    assert sides == {(side, side * 3 // 2) for side in range(8, 13)}
    with pytest.raises(ValueError, match="RandomResizeShort: shortest and longest must rise from 1, not 9 and 8"):
        RandomResizeShort(9, 8)


def test_crops_of_several_scales() -> None:
    """Each corner lies on a grid of quarters of the room, sides are shares of the shorter one, at most a step apart."""
    crop, seen = MultiScaleCrop(8), set()
    for index in range(400):
        with sample_scope(0, 0, index):
            top, left, height, width = crop._get_params((CLIP[0],))
        assert {height, width} <= {20, 17, 15, 13}
        assert abs([20, 17, 15, 13].index(height) - [20, 17, 15, 13].index(width)) <= 1
        assert 0 <= top <= 20 - height and 0 <= left <= 30 - width
        seen.add((height, width))
    assert len(seen) == 10
    assert crop(CLIP[0]).shape == (8, 8, 3)


def test_a_mirrored_action_may_be_another_one() -> None:
    flip = RandomFlipClip(prob=1.0, swapped=[[0, 1]])
    for label, expected in ((0, 1), (1, 0), (2, 2)):
        clip, found = flip((CLIP, label))
        assert found == expected
        np.testing.assert_array_equal(clip, CLIP[:, :, ::-1])
    assert RandomFlipClip(prob=0.0)((CLIP, 0))[0] is CLIP


def test_three_crops() -> None:
    views, label = ThreeCrops(20)((CLIP, 4))
    assert views.shape == (3, 5, 20, 20, 3) and label == 4
    for view, left in zip(views, (0, 5, 10)):
        np.testing.assert_array_equal(view, CLIP[:, :, left : left + 20])
    high, _ = ThreeCrops(16)((CLIP.transpose(0, 2, 1, 3), 4))
    for view, top in zip(high, (0, 7, 14)):
        np.testing.assert_array_equal(view, CLIP.transpose(0, 2, 1, 3)[:, top : top + 16, 2:18])


def test_ten_crops_are_five_and_their_mirror_images() -> None:
    views, _ = TenCrops(16)((CLIP, 0))
    assert views.shape == (10, 5, 16, 16, 3)
    for number, (top, left) in enumerate([(0, 0), (0, 14), (4, 0), (4, 14), (2, 7)]):
        expected = CLIP[:, top : top + 16, left : left + 16]
        np.testing.assert_array_equal(views[number], expected)
        np.testing.assert_array_equal(views[5 + number], expected[:, :, ::-1])


def test_thirty_views_are_those_of_each_clip_in_turn() -> None:
    parts = [
        {"name": "SampleClips", "num_frames": 2, "clips": 10},
        {"name": "ThreeCrops", "size": 16},
        {"name": "ToTensor"},
    ]
    transform = SplitSection.composed([Component.model_validate(part) for part in parts])
    clip, _ = transform((ArrayFrames(np.resize(CLIP, (40, 20, 30, 3))), -1))
    assert clip.shape == (30, 2, 3, 16, 16) and clip.dtype == np.float32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ThreeCrops(21)((CLIP, 0)), "ThreeCrops: the 20x30 frames are smaller than 21x21; resize them first"),
        (lambda: TenCrops(0)((CLIP, 0)), "TenCrops: the 20x30 frames are smaller than 0x0"),
        (lambda: RandomFlipClip(1.5), "RandomFlipClip: prob must lie between 0 and 1, not 1.5"),
        (lambda: RandomFlipClip(0.5, [[1]]), r"RandomFlipClip: swapped holds pairs of classes, not \[1\]"),
        (lambda: MultiScaleCrop(0), "MultiScaleCrop: size must be at least 1, not 0"),
        (lambda: MultiScaleCrop(8, [1.5]), r"MultiScaleCrop: scales must lie between 0 and 1, not \[1.5\]"),
        (lambda: ResizeShort(0), "ResizeShort: size must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
