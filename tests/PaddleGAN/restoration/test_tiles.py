"""Tiles and windows against the whole picture and the whole video."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from PaddleGAN.data.clips import window
from PaddleGAN.restoration.tiles import spans, tiled
from PaddleGAN.restoration.windows import chunks, windows

RADIUS = 3


def blurred_and_doubled(pictures: np.ndarray) -> np.ndarray:
    """Return what a network with a known reach makes: means of 7 x 7 pixels, beyond the border 0, each four times."""
    size = (2 * RADIUS + 1, 2 * RADIUS + 1)
    means = [cv2.blur(channel, size, borderType=cv2.BORDER_CONSTANT) for channel in pictures[0]]
    return np.stack(means)[None].repeat(2, -2).repeat(2, -1)


@pytest.mark.parametrize("shape", [(3, 30, 41), (3, 16, 50), (3, 9, 11), (3, 16, 16), (3, 2 * RADIUS, 2 * RADIUS)])
def test_tiles_that_see_far_enough_give_the_whole_picture(shape: tuple[int, ...]) -> None:
    picture = np.random.default_rng(0).uniform(0, 1, shape).astype(np.float32)
    sizes = set()

    def run(part: np.ndarray) -> np.ndarray:
        sizes.add(part.shape)
        return blurred_and_doubled(part)

    found = tiled(run, picture, 2, 16, RADIUS)
    np.testing.assert_allclose(found, blurred_and_doubled(picture[None])[0], atol=1e-6)
    assert len(sizes) == 1 and max(next(iter(sizes))[-2:]) <= 16  # one program, however large the picture
    if shape == (3, 30, 41):
        assert np.abs(tiled(run, picture, 2, 16, RADIUS - 2) - found).max() > 1e-3


def test_a_picture_is_widened_to_a_multiple() -> None:
    picture = np.arange(2 * 3, dtype=np.float32).reshape(1, 2, 3)
    seen = []

    def run(part: np.ndarray) -> np.ndarray:
        seen.append(part[0, 0].tolist())
        return part

    np.testing.assert_array_equal(tiled(run, picture, 1, 8, 1, multiple=4), picture)
    assert seen == [[[0, 1, 2, 2], [3, 4, 5, 5], [3, 4, 5, 5], [0, 1, 2, 2]]]


@pytest.mark.parametrize(("length", "tile", "overlap"), [(100, 20, 4), (21, 20, 4), (20, 20, 9), (37, 16, 0)])
def test_every_pixel_is_answered_for_once(length: int, tile: int, overlap: int) -> None:
    found = spans(length, tile, overlap)
    assert [pixel for span in found for pixel in range(span.first, span.last)] == list(range(length))
    for span in found:
        assert span.stop - span.start == tile and 0 <= span.start and span.stop <= length
        assert span.first - span.start >= overlap or span.first == 0
        assert span.stop - span.last >= overlap or span.last == length


def test_an_overlap_that_leaves_nothing() -> None:
    with pytest.raises(ValueError, match="tiles of 16 pixels must be larger than twice the overlap of 8"):
        tiled(blurred_and_doubled, np.zeros((3, 30, 30), np.float32), 2, 16, 8)


@pytest.mark.parametrize("length", [5, 6, 11])
def test_windows_of_a_stream_are_those_of_the_whole_video(length: int) -> None:
    frames = [np.full((1, 1, 3), number) for number in range(length)]
    found = [[int(frame[0, 0, 0]) for frame in several] for several in windows(iter(frames), 5)]
    assert found == [window(center, 5, length) for center in range(length)]


@pytest.mark.parametrize(("length", "expected"), [(2, [2]), (3, [3]), (4, [2, 2]), (5, [3, 2]), (7, [3, 2, 2])])
def test_chunks_have_two_frames_or_more(length: int, expected: list[int]) -> None:
    found = list(chunks(iter([np.full(1, number) for number in range(length)]), 3))
    assert [int(frame[0]) for several in found for frame in several] == list(range(length))
    assert list(map(len, found)) == expected


def test_a_video_of_too_few_frames() -> None:
    frames = [np.zeros((2, 2, 3), np.uint8)]
    with pytest.raises(ValueError, match="the video has 3 frames, fewer than the 5 that the network looks at together"):
        list(windows(frames * 3, 5))
    with pytest.raises(ValueError, match="the video has 1 frames, fewer than the 2 that the network looks at together"):
        list(chunks(frames, 10))
