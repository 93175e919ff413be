"""Which frames are taken, counted by hand and beside the formulas of the official readers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.io.randomness import sample_scope
from PaddleVideo.data.sampling import SampleClips, SampleDense, SampleSegments, SampleUniform
from PaddleVideo.data.sources import ArrayFrames


def official_segments(count: int, num_seg: int, seg_len: int) -> list[int]:
    """Return the frames of a validation by ppvideo 2.3.1's Sampler, for clips that are long enough."""
    length = count // num_seg
    starts = [(length - 1) // 2 + number * length for number in range(num_seg)]
    return [(start + inner) % count for start in starts for inner in range(seg_len)]


def test_segments_give_their_middle() -> None:
    assert SampleSegments(4).numbers(20, 25).tolist() == [2, 7, 12, 17]
    assert SampleSegments(2, seg_len=3).numbers(20, 25).tolist() == [4, 5, 6, 14, 15, 16]
    for count in (8, 16, 23, 300):
        assert SampleSegments(8).numbers(count, 25).tolist() == official_segments(count, 8, 1)
    for count in (70, 150, 301):
        assert SampleSegments(7, seg_len=5).numbers(count, 25).tolist() == official_segments(count, 7, 5)


def test_random_segments_stay_within_their_segment_and_reach_all_of_it() -> None:
    sampler, seen = SampleSegments(3, seg_len=2, random=True), []
    for index in range(200):
        with sample_scope(0, 0, index):
            numbers = sampler.numbers(31, 25).reshape(3, 2)
        assert (numbers[:, 1] == numbers[:, 0] + 1).all()
        assert (numbers // 10 == [[0, 0], [1, 1], [2, 2]]).all()
        seen.append(numbers[:, 0])
    assert [sorted(set(column.tolist())) for column in np.array(seen).T] == [
        list(range(10 * segment, 10 * segment + 9)) for segment in range(3)
    ]


@pytest.mark.parametrize(
    "sampler",
    [
        SampleSegments(8), SampleSegments(8, 5), SampleSegments(8, 5, random=True), SampleUniform(8), SampleDense(8),
        SampleDense(8, clips=10), SampleDense(8, random=True), SampleClips(8, 8), SampleClips(8, 8, clips=10),
        SampleClips(8, 8, random=True), SampleClips(8, 2, rate=30.0), SampleClips(8, 2, clips=3, rate=30.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("count", [1, 2, 7, 9, 64, 500])
def test_clips_of_any_length_have_the_frames(sampler: Any, count: int) -> None:
    numbers = sampler.numbers(count, 24.0)
    clips = numbers.reshape(-1, numbers.shape[-1])
    assert numbers.dtype == np.int64 and clips.shape[1] in (8, 40)
    assert ((numbers >= 0) & (numbers < count)).all()
    if not isinstance(sampler, SampleDense):  # which begins anew at the end
        assert (np.diff(clips[:, :: getattr(sampler, "seg_len", 1)], axis=1) >= 0).all()


def test_short_clips_are_spread_evenly() -> None:
    assert SampleSegments(8).numbers(4, 25).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert SampleSegments(4).numbers(1, 25).tolist() == [0] * 4


def test_uniform_frames_begin_and_end_with_the_clip() -> None:
    assert SampleUniform(5).numbers(9, 25).tolist() == [0, 2, 4, 6, 8]
    assert SampleUniform(8).numbers(100, 25).tolist() == np.linspace(0, 99, 8).astype(int).tolist()


def test_dense_frames_are_apart_by_the_span() -> None:
    assert SampleDense(8).numbers(100, 25).tolist() == [18 + 8 * number for number in range(8)]
    several = SampleDense(8, clips=10).numbers(100, 25)
    assert several.shape == (10, 8) and several[:, 0].tolist() == [4 * number for number in range(10)]
    assert SampleDense(8).numbers(20, 25).tolist() == [0, 8, 16, 4, 12, 0, 8, 16]  # after the last one from the first


def test_clips_follow_at_an_interval_and_are_spread() -> None:
    assert SampleClips(4, 3).numbers(20, 25).tolist() == [5, 8, 11, 14]
    assert SampleClips(4, 3, clips=3).numbers(20, 25).tolist() == [[0, 3, 6, 9], [5, 8, 11, 14], [10, 13, 16, 19]]
    assert SampleClips(4, 3).numbers(6, 25).tolist() == [0, 3, 5, 5]
    # as SlowFast's official reader: a clip of 4 frames 2 apart at 30 a second is 16 frames of a video of 60
    whole = SampleClips(4, 2, clips=2, rate=30.0).numbers(32, 60.0)
    assert whole.tolist() == [[0, 5, 10, 15], [8, 13, 18, 23]]


def test_only_chosen_frames_are_read() -> None:
    class Counting(ArrayFrames):
        read_numbers: list[int] = []

        def _frames(self, numbers: Any) -> list[np.ndarray]:
            self.read_numbers = list(numbers)
            return super()._frames(numbers)

    source = Counting(np.arange(20, dtype=np.uint8)[:, None, None, None] * np.ones((1, 4, 4, 3), np.uint8))
    frames, label = SampleSegments(4)((source, 3))
    assert source.read_numbers == [2, 7, 12, 17] and label == 3
    assert frames[:, 0, 0, 0].tolist() == [2, 7, 12, 17]
    views, _ = SampleClips(2, 5, clips=3)((source, 3))
    assert views.shape == (3, 2, 4, 4, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SampleSegments(0), "SampleSegments: num_seg must be at least 1, not 0"),
        (lambda: SampleDense(8, span=0), "SampleDense: span must be at least 1, not 0"),
        (lambda: SampleDense(8, clips=2, random=True), "random places are for one clip; leave out clips, or random"),
        (lambda: SampleClips(8, rate=0.0), "SampleClips: rate must be positive, not 0.0"),
        (lambda: SampleUniform(10000), "SampleUniform: num_seg 10000 gives 10000 frames; lower it to 2048 at most"),
        (lambda: SampleSegments(1000, 5), "num_seg 1000 times seg_len 5 gives 5000 frames; lower it to 2048 at most"),
        (lambda: SampleDense(4000), "num_seg 4000 times clips 1 gives 4000 frames; lower it to 2048 at most"),
        (lambda: SampleClips(8, clips=500), "num_frames 8 times clips 500 gives 4000 frames; lower it to 2048 at most"),
        (lambda: SampleUniform(-1), "SampleUniform: num_seg must be at least 1, not -1"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
