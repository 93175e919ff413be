"""Which frames of a clip are taken, before any is decoded: the first transform of every list."""

from __future__ import annotations

import abc
import math
from typing import Any, Optional

import numpy as np

from core.io.randomness import integer, uniform
from PaddleVideo.data.sources import FrameSource

MOST_FRAMES = 2048
"""Frames that are taken of a video, at most: pictures of 224 x 224 take 300 megabytes, and 1.2 gigabytes as float32."""


class FrameSampler(abc.ABC):
    """A choice of frames: (source, label) to (frames, label)."""

    def __call__(self, sample: tuple[FrameSource, Any]) -> tuple[np.ndarray, Any]:
        """Return the frames, uint8 (T, H, W, 3), or (K, T, H, W, 3) of K clips; and the label."""
        source, label = sample
        return source.read(self.numbers(source.count, source.frames_per_second)), label

    @abc.abstractmethod
    def numbers(self, count: int, frames_per_second: float) -> np.ndarray:
        """Return which frames, int64 (T,), or (K, T) of K clips.

        Args:
            count: how many frames there are, at least one.
            frames_per_second: how fast they follow each other.
        """


class SampleSegments(FrameSampler):
    """Frames from all over the clip, which is cut into segments of equal length: TSN and its relatives.

    Wang et al. 2016, https://arxiv.org/abs/1608.00859. A clip that is too short gives some frames several times.

    Args:
        num_seg: how many segments.
        seg_len: how many frames of each, which follow each other.
        random: take them from a random place of the segment, as training does, in place of its middle.

    Raises:
        ValueError: a number is not positive, frames are more than 2048.
    """

    def __init__(self, num_seg: int, seg_len: int = 1, random: bool = False) -> None:
        _check_frames("SampleSegments", num_seg=num_seg, seg_len=seg_len)
        self.num_seg = num_seg
        self.seg_len = seg_len
        self.random = random

    def numbers(self, count: int, frames_per_second: float) -> np.ndarray:
        """Return which frames, int64 (num_seg * seg_len,)."""
        length = count // self.num_seg
        if length >= self.seg_len:
            room = length - self.seg_len + 1
            inner = [integer(0, room) if self.random else min((length - 1) // 2, room - 1) for _ in range(self.num_seg)]
            starts = np.arange(self.num_seg) * length + np.array(inner)
        else:
            last = max(count - self.seg_len, 0)
            starts = np.rint(np.linspace(0, last, self.num_seg)).astype(np.int64)
        numbers = (starts[:, None] + np.arange(self.seg_len)).reshape(-1)
        return np.minimum(numbers, count - 1).astype(np.int64)


class SampleUniform(FrameSampler):
    """Frames at equal distances, the first and the last one among them, as TimeSformer takes them.

    Args:
        num_seg: how many.

    Raises:
        ValueError: it is not positive, or more than 2048.
    """

    def __init__(self, num_seg: int) -> None:
        _check_frames("SampleUniform", num_seg=num_seg)
        self.num_seg = num_seg

    def numbers(self, count: int, frames_per_second: float) -> np.ndarray:
        """Return which frames, int64 (num_seg,)."""
        return np.linspace(0, count - 1, self.num_seg).astype(np.int64)


class SampleDense(FrameSampler):
    """Frames from a part of the clip, at equal distances; after the last one the clip begins anew.

    Lin et al. 2019, https://arxiv.org/abs/1811.08383, "dense sampling".

    Args:
        num_seg: how many frames.
        span: how many frames of the clip the part has.
        clips: how many parts, at equal distances; 1: one, in the middle unless ``random``.
        random: take the part from a random place, as training does.

    Raises:
        ValueError: a number is not positive, frames are more than 2048, or ``random`` asks for several parts.
    """

    def __init__(self, num_seg: int, span: int = 64, clips: int = 1, random: bool = False) -> None:
        _check_positive("SampleDense", span=span)
        _check_frames("SampleDense", num_seg=num_seg, clips=clips)
        _check_one("SampleDense", clips, random)
        self.num_seg = num_seg
        self.span = span
        self.clips = clips
        self.random = random

    def numbers(self, count: int, frames_per_second: float) -> np.ndarray:
        """Return which frames, int64 (num_seg,) or (clips, num_seg)."""
        last = max(count - self.span, 0)
        inner = np.arange(self.num_seg) * max(self.span // self.num_seg, 1)
        if self.clips == 1:
            start = integer(0, last + 1) if self.random else last // 2
            return (start + inner) % count
        starts = np.linspace(0, last, self.clips).astype(np.int64)
        return (starts[:, None] + inner) % count


class SampleClips(FrameSampler):
    """Frames at a fixed distance, as networks with convolutions over time take them.

    Args:
        num_frames: how many frames.
        interval: the distance of one to the next, frames.
        clips: how many times, at equal distances over the clip; 1: once, in the middle unless ``random``.
        random: take them from a random place, as training does.
        rate: frames per second for which ``interval`` is meant, as the official reader of SlowFast has it (there the
            last of several clips ends before the video does); null: those of the clip itself.

    Raises:
        ValueError: a number is not positive, frames are more than 2048, or ``random`` asks for several clips.
    """

    def __init__(
        self, num_frames: int, interval: int = 1, clips: int = 1, random: bool = False, rate: Optional[float] = None
    ) -> None:
        _check_positive("SampleClips", interval=interval)
        _check_frames("SampleClips", num_frames=num_frames, clips=clips)
        _check_one("SampleClips", clips, random)
        if rate is not None and not rate > 0:
            raise ValueError(f"SampleClips: rate must be positive, not {rate}")
        self.num_frames = num_frames
        self.interval = interval
        self.clips = clips
        self.random = random
        self.rate = rate

    def numbers(self, count: int, frames_per_second: float) -> np.ndarray:
        """Return which frames, int64 (num_frames,) or (clips, num_frames); past the end the last one is repeated."""
        if self.rate is None:
            inner = np.arange(self.num_frames, dtype=np.float64) * self.interval
            room = float(max(count - int(inner[-1]) - 1, 0))
        else:
            length = self.num_frames * self.interval * frames_per_second / self.rate
            inner = np.linspace(0, max(length - 1, 0), self.num_frames)
            room = max(count - length, 0.0)
        if self.clips > 1:
            starts = np.arange(self.clips) * (room / (self.clips - 1 if self.rate is None else self.clips))
        else:
            starts = np.array([uniform(0.0, room) if self.random else room / 2])
        if self.rate is None:
            starts = np.rint(starts)
        numbers = np.clip(starts[:, None] + inner, 0, count - 1).astype(np.int64)
        return numbers[0] if self.clips == 1 else numbers


def _check_positive(owner: str, **numbers: int) -> None:
    for name, value in numbers.items():
        if value < 1:
            raise ValueError(f"{owner}: {name} must be at least 1, not {value}")


def _check_frames(owner: str, **numbers: int) -> None:
    _check_positive(owner, **numbers)
    frames = math.prod(numbers.values())
    if frames > MOST_FRAMES:
        factors = " times ".join(f"{name} {value}" for name, value in numbers.items())
        raise ValueError(f"{owner}: {factors} gives {frames} frames; lower it to {MOST_FRAMES} at most")


def _check_one(owner: str, clips: int, random: bool) -> None:
    if random and clips > 1:
        raise ValueError(f"{owner}: random places are for one clip; leave out clips, or random")
