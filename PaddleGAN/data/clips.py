"""Windows of frames from clips, for the restoration of video."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from core.io import Dataset
from core.io.randomness import integer, uniform
from core.vision.datasets.face_drawing import draw_face
from core.vision.datasets.face_factors import draw_factors
from core.vision.image import image_files, read_image
from PaddleGAN.data.faces import DrawnFaces
from PaddleGAN.data.images import Transform, transformed
from PaddleGAN.data.super_resolution import check_scale, check_sizes, reduced, shrunk

REDS4 = ("000", "011", "015", "020")
"""Clips of REDS that are tested on, and left out of training."""


LONGEST_WINDOW = 99
"""Frames of a window, at most."""


class Place(NamedTuple):
    """A frame of a clip.

    Attributes:
        clip: number of the clip.
        frame: number of the frame in it.
    """

    clip: int
    frame: int


def window(center: int, frames: int, length: int) -> list[int]:
    """Return the numbers of the frames around one; where the clip ends, frames from the other side stand in.

    Args:
        center: the number of the frame in the middle, from 0.
        frames: of the window, an odd number.
        length: frames of the clip, at least ``frames``.

    Example:
        >>> window(0, 5, 100)
        [4, 3, 0, 1, 2]
    """
    half = frames // 2
    numbers = []
    for number in range(center - half, center + half + 1):
        if number < 0:
            number = center + half - number
        elif number >= length:
            number = center - half - (number - length + 1)
        numbers.append(number)
    return numbers


class REDSDataset(Dataset):
    """Windows of frames: the small frames in order, (frames, H, W, 3), and the large one of the middle; uint8.

    A clip is a folder of frames, in the alphabetical order of their names, as in REDS.

    Args:
        gt_folder: the clips in large.
        lq_folder: the small ones, with the same names; None: they are made, bicubic.
        scale: how many times larger the large ones are; 1 for deblurring.
        number_frames: of a window, an odd number.
        interval_list: by how many frames those of a window are apart; one is drawn for each sample.
        random_reverse: whether a window may be turned round in time.
        training: draw intervals and directions, and a middle that has the window around it; else the windows are those
            of every frame in order, with :func:`window` at the ends of a clip.
        only: names of clips to take; None: all.
        without: names of clips to leave out.
        transform: a function of a tuple of all these pictures; it must draw once for all.

    Raises:
        NotADirectoryError: there is no such folder.
        FileNotFoundError: a small frame is missing.
        ValueError: there are no clips, one has fewer frames than a window, or an argument is out of range.
    """

    images_together = LONGEST_WINDOW + 1  # as many of them as there are

    def __init__(
        self,
        gt_folder: str,
        lq_folder: Optional[str] = None,
        scale: int = 4,
        number_frames: int = 5,
        interval_list: Sequence[int] = (1,),
        random_reverse: bool = False,
        training: bool = False,
        only: Optional[list[str]] = None,
        without: Optional[list[str]] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        check_scale("REDSDataset", scale)
        check_frames("REDSDataset", number_frames)
        if not interval_list or min(interval_list) < 1:
            raise ValueError(f"REDSDataset: interval_list must have positive numbers, not {list(interval_list)}")
        self.scale, self.number_frames, self.training = scale, number_frames, training
        self.interval_list, self.random_reverse = list(interval_list), random_reverse
        self.transform = transform
        self.clips: list[list[tuple[str, Optional[str]]]] = []
        for name in _clips(gt_folder, only, without or []):
            frames = image_files(os.path.join(gt_folder, name))
            if len(frames) < number_frames:
                raise ValueError(
                    f"REDSDataset: the clip {os.path.join(gt_folder, name)!r} has {len(frames)} frames, fewer than the "
                    f"{number_frames} of a window"
                )
            self.clips.append([(frame, _small(frame, gt_folder, lq_folder)) for frame in frames])
        self.places = [Place(clip, frame) for clip, frames in enumerate(self.clips) for frame in range(len(frames))]

    def __getitem__(self, index: int) -> Any:
        place = self.places[index]
        frames = self.clips[place.clip]
        numbers = (
            self._drawn(place.frame, len(frames))
            if self.training
            else window(place.frame, self.number_frames, len(frames))
        )
        pairs = {
            number: self._read(*frames[number], large=number == numbers[len(numbers) // 2]) for number in set(numbers)
        }
        middle = numbers[len(numbers) // 2]
        pictures = (*(pairs[number][0] for number in numbers), pairs[middle][1])
        return stacked(transformed(self.transform, pictures, [frames[middle][0]]))

    def _drawn(self, center: int, length: int) -> list[int]:
        """Return the numbers of a window whose frames are all there."""
        fitting = [apart for apart in self.interval_list if apart * (self.number_frames - 1) < length]
        apart = fitting[integer(0, len(fitting))] if fitting else 1
        reach = self.number_frames // 2 * apart
        if not reach <= center < length - reach:
            center = integer(reach, length - reach)
        numbers = list(range(center - reach, center + reach + 1, apart))
        return numbers[::-1] if self.random_reverse and uniform() < 0.5 else numbers

    def _read(self, path: str, small: Optional[str], large: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return a frame small, and large where that is wanted."""
        if small is None:
            return shrunk(read_image(path), self.scale, path)
        little = read_image(small)
        if not large:
            return little, little
        whole = read_image(path)
        check_sizes(little, whole, self.scale, (small, path))
        return little, whole

    def __len__(self) -> int:
        return len(self.places)


class MovingFaces(DrawnFaces):
    """Windows of frames in which a drawn face moves by fractions of a small pixel: for trying out without a download.

    A frame is a part of a larger drawing, made small; the next one is that part, moved by a few large pixels.

    Args:
        count: how many windows.
        size: pixels of a side of the large frames, 32 or more, a multiple of the scale.
        scale: how many times larger they are.
        number_frames: of a window, an odd number.
        speed: large pixels that the face moves from one frame to the next, at most, right or left and up or down.
        seed: not negative; different seeds draw different faces and ways.
        keep: keep each window once it is drawn.
        transform: a function of a tuple of all pictures: small frames, and the large one of the middle.

    Raises:
        ValueError: an argument is out of range.
    """

    images_together = LONGEST_WINDOW + 1  # as many of them as there are

    def __init__(
        self,
        count: int,
        size: int = 64,
        scale: int = 4,
        number_frames: int = 5,
        speed: int = 3,
        seed: int = 0,
        keep: bool = False,
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(count, size, seed, transform)
        check_scale("MovingFaces", scale)
        check_frames("MovingFaces", number_frames)
        if size % scale or speed < 0:
            raise ValueError(
                f"MovingFaces: size must be a multiple of the scale {scale} and speed not negative; not {size}, {speed}"
            )
        self.scale, self.number_frames, self.speed = scale, number_frames, speed
        self._kept: Optional[dict[int, tuple[np.ndarray, ...]]] = {} if keep else None

    def __getitem__(self, index: int) -> Any:
        self._check(index)
        pictures = self._kept.get(index) if self._kept is not None else None
        if pictures is None:
            pictures = self._drawn(index)
            if self._kept is not None:
                self._kept[index] = pictures
        return stacked(self._apply(tuple(picture.copy() for picture in pictures)))

    def _drawn(self, index: int) -> tuple[np.ndarray, ...]:
        half = self.number_frames // 2
        reach = half * self.speed
        drawing = draw_face(draw_factors(self.seed, index), self.size + 2 * reach)
        source = np.random.default_rng([self.seed, index])
        step = source.integers(-self.speed, self.speed + 1, 2)
        frames = []
        for number in range(-half, half + 1):
            top, left = reach + number * step
            frames.append(np.ascontiguousarray(drawing[top : top + self.size, left : left + self.size]))
        return (*(reduced(frame, self.scale) for frame in frames), frames[half])


def stacked(pictures: Any) -> Any:
    """Return the small frames of a window as one array, and the large frame.

    Args:
        pictures: what a transform left of them, float32 (3, H, W) or uint8 (H, W, 3).
    """
    return np.stack(pictures[:-1]), pictures[-1]


def check_frames(owner: str, frames: int) -> None:
    """Refuse a window without a middle.

    Raises:
        ValueError: its length is not odd, or out of range.
    """
    if not 1 <= frames <= LONGEST_WINDOW or frames % 2 == 0:
        raise ValueError(f"{owner}: number_frames must be an odd number from 1 to {LONGEST_WINDOW}, not {frames}")


def _clips(folder: str, only: Optional[list[str]], without: Sequence[str]) -> list[str]:
    """Return the names of the folders of clips."""
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"REDSDataset: no folder {folder!r}")
    found = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    missing = [name for name in only or [] if name not in found]
    if missing:
        raise ValueError(f"REDSDataset: there is no clip {missing[0]!r} in {folder!r}")
    chosen = [name for name in found if (only is None or name in only) and name not in without]
    if not chosen:
        raise ValueError(f"REDSDataset: there are no clips, which are folders of frames, in {folder!r}")
    return chosen


def _small(frame: str, gt_folder: str, lq_folder: Optional[str]) -> Optional[str]:
    """Return the path of a small frame."""
    if lq_folder is None:
        return None
    small = os.path.join(lq_folder, os.path.relpath(frame, gt_folder))
    if not os.path.isfile(small):
        raise FileNotFoundError(f"REDSDataset: {frame!r} has no small frame {small!r}")
    return small
