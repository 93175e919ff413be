"""What is done to the frames of a clip, to all of them alike."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.io.randomness import integer, uniform
from core.vision.transforms import BaseTransform
from core.vision.transforms import functional as F

Sample = tuple[np.ndarray, Any]
"""Frames (..., T, H, W, C), or (..., T, C, H, W) after ToTensor, and a label."""


class OverFrames:
    """Transforms of images, one after another, each of them with the same random numbers for all frames.

    Args:
        transforms: of :mod:`core.vision.transforms`, which nothing else shares.
    """

    def __init__(self, transforms: Sequence[BaseTransform]) -> None:
        self.transforms = list(transforms)

    def __call__(self, sample: Sample) -> Sample:
        """Return the transformed frames, and the label."""
        clip, label = sample
        leading = clip.shape[:-3]
        frames = list(clip.reshape(-1, *clip.shape[-3:]))
        position = 0
        while position < len(self.transforms):
            transform, both = self.transforms[position], None
            if position + 1 < len(self.transforms):
                both = transform._together_with(self.transforms[position + 1], frames[0])
            if both is not None:
                frames = [both(frame) for frame in frames]
                position += 2
                continue
            transform.keys = ("image",) * len(frames)
            out = transform(tuple(frames))
            frames = list(out) if len(frames) > 1 else [out]
            position += 1
        whole = np.stack([np.asarray(frame) for frame in frames])
        return whole.reshape(*leading, *whole.shape[1:]), label


class ResizeShort(BaseTransform):
    """Resize so that the shorter side has some length.

    Args:
        size: pixels.
        force_ratio: give the other side 4/3 of it, whatever the shape, as the reader of release 1.5 did.

    Raises:
        ValueError: ``size`` is not positive.
    """

    def __init__(self, size: int, force_ratio: bool = False) -> None:
        super().__init__()
        if size < 1:
            raise ValueError(f"ResizeShort: size must be at least 1, not {size}")
        self.size = size
        self.force_ratio = force_ratio

    def _apply_image(self, image: np.ndarray) -> np.ndarray:
        rows, columns = F.image_size(image)
        wide = columns >= rows
        long = self.size * 4 // 3 if self.force_ratio else int(max(rows, columns) * self.size / min(rows, columns))
        return F.resize(image, (self.size, long) if wide else (long, self.size))


class RandomResizeShort(BaseTransform):
    """Resize so that the shorter side has a random length.

    Args:
        shortest: the least, pixels.
        longest: the most.

    Raises:
        ValueError: they are not positive, or do not rise.
    """

    def __init__(self, shortest: int, longest: int) -> None:
        super().__init__()
        if not 1 <= shortest <= longest:
            raise ValueError(f"RandomResizeShort: shortest and longest must rise from 1, not {shortest} and {longest}")
        self.shortest = shortest
        self.longest = longest

    def _get_params(self, inputs: tuple[Any, ...]) -> ResizeShort:
        return ResizeShort(integer(self.shortest, self.longest + 1))

    def _apply_image(self, image: np.ndarray) -> np.ndarray:
        resized: np.ndarray = self.params(image)
        return resized


class MultiScaleCrop(BaseTransform):
    """Cut out a rectangle whose sides are drawn from a few shares of the shorter side, at one of 13 places; resize it.

    Wang et al., "Towards good practices for very deep two-stream ConvNets", 2015, https://arxiv.org/abs/1507.02159.

    Args:
        size: of the result, pixels.
        scales: the shares.
        max_distort: how many steps of ``scales`` height and width may be apart.

    Raises:
        ValueError: ``size`` is not positive, or a share is not between 0 and 1.
    """

    def __init__(self, size: int, scales: Sequence[float] = (1.0, 0.875, 0.75, 0.66), max_distort: int = 1) -> None:
        super().__init__()
        if size < 1:
            raise ValueError(f"MultiScaleCrop: size must be at least 1, not {size}")
        if not scales or not all(0 < scale <= 1 for scale in scales):
            raise ValueError(f"MultiScaleCrop: scales must lie between 0 and 1, not {list(scales)}")
        self.size = size
        self.scales = tuple(scales)
        self.max_distort = max_distort

    def _get_params(self, inputs: tuple[Any, ...]) -> tuple[int, int, int, int]:
        rows, columns = F.image_size(inputs[0])
        sides = [max(int(min(rows, columns) * scale), 1) for scale in self.scales]
        steps = range(len(sides))
        pairs = [(sides[i], sides[j]) for i in steps for j in steps if abs(i - j) <= self.max_distort]
        height, width = pairs[integer(0, len(pairs))]
        down, right = (rows - height) / 4, (columns - width) / 4
        even, odd = (0, 2, 4), (1, 3)
        places = [*itertools.product(even, even), *itertools.product(odd, odd)]
        row, column = places[integer(0, len(places))]
        return int(row * down), int(column * right), height, width

    def _apply_image(self, image: np.ndarray) -> np.ndarray:
        return F.resize(F.crop(image, *self.params), (self.size, self.size))


class RandomFlipClip:
    """Mirror all frames left to right, or none; and the class, where a mirrored action is another one.

    Args:
        prob: the probability of mirroring.
        swapped: pairs of class numbers that mirroring turns into each other, such as [[0, 1]].

    Raises:
        ValueError: ``prob`` is no probability, or a pair is none.
    """

    def __init__(self, prob: float = 0.5, swapped: Optional[list[list[int]]] = None) -> None:
        if not 0 <= prob <= 1:
            raise ValueError(f"RandomFlipClip: prob must lie between 0 and 1, not {prob}")
        self.prob = prob
        self.other: dict[int, int] = {}
        for pair in swapped or []:
            if len(pair) != 2:
                raise ValueError(f"RandomFlipClip: swapped holds pairs of classes, not {pair}")
            self.other.update({pair[0]: pair[1], pair[1]: pair[0]})

    def __call__(self, sample: Sample) -> Sample:
        """Return frames and label, mirrored or not."""
        clip, label = sample
        if uniform() >= self.prob:
            return sample
        return np.ascontiguousarray(clip[..., ::-1, :]), self.other.get(label, label)


class ThreeCrops:
    """Cut out three squares along the longer side, its ends and its middle: a view for each.

    Args:
        size: the squares' side, pixels.
    """

    def __init__(self, size: int) -> None:
        self.size = size

    def __call__(self, sample: Sample) -> Sample:
        """Return the views, (V, T, size, size, C): the three of the first clip, then of the next."""
        rows, columns = sample[0].shape[-3:-1]
        down, right = rows - self.size, columns - self.size
        if columns >= rows:
            return _cropped("ThreeCrops", sample, self.size, [(down // 2, n * right // 2) for n in range(3)])
        return _cropped("ThreeCrops", sample, self.size, [(n * down // 2, right // 2) for n in range(3)])


class TenCrops:
    """Cut out squares at the four corners and the middle, and their mirror images: a view for each.

    Args:
        size: the squares' side, pixels.
    """

    def __init__(self, size: int) -> None:
        self.size = size

    def __call__(self, sample: Sample) -> Sample:
        """Return the views, (V, T, size, size, C): the ten of the first clip, then of the next."""
        rows, columns = sample[0].shape[-3:-1]
        down, right = rows - self.size, columns - self.size
        places = [(0, 0), (0, right), (down, 0), (down, right), (down // 2, right // 2)]
        views, label = _cropped("TenCrops", sample, self.size, places)
        clips = views.reshape(-1, 5, *views.shape[1:])
        both = np.concatenate([clips, clips[..., ::-1, :]], axis=1)
        return both.reshape(-1, *views.shape[1:]), label


def _cropped(owner: str, sample: Sample, size: int, places: Sequence[tuple[int, int]]) -> Sample:
    clip, label = sample
    rows, columns = clip.shape[-3:-1]
    if not 0 < size <= min(rows, columns):
        raise ValueError(f"{owner}: the {rows}x{columns} frames are smaller than {size}x{size}; resize them first")
    clips = clip.reshape(-1, *clip.shape[-4:])
    views = [clips[:, :, top : top + size, left : left + size] for top, left in places]
    return np.stack(views, axis=1).reshape(-1, *views[0].shape[1:]), label
