"""Handwritten digits that move: clips drawn from scikit-learn's digits, with actions that only the order of time tells.

The classes are pairs; a clip of one, played backwards, is a clip of the other, just as likely: where a track may lie is
uniform, and so are angles and sizes. What does not see the order of the frames is right about a pair by chance alone.
"""

from __future__ import annotations

from typing import Optional

import cv2
import numpy as np

from core.vision.datasets.digits import SPLITS, read_digits, split_indices
from PaddleVideo.data.dataset import ClipDataset, Transform
from PaddleVideo.data.sources import ArrayFrames

ACTIONS = ("left", "right", "up", "down", "clockwise", "anticlockwise", "growing", "shrinking")
"""What a digit does; each is the reverse of its neighbour."""

REVERSED = (1, 0, 3, 2, 5, 4, 7, 6)
"""The class of a clip of each class that is played backwards."""

COUNTS = {"train": 1600, "valid": 200, "test": 400}
"""Clips in each split."""


class MovingDigits(ClipDataset):
    """Clips of a digit that moves, turns, grows or shrinks; classes alternate, digits of the splits are others.

    Args:
        split: "train", "valid" or "test"; each draws from its own digits.
        frames: how many frames a clip has.
        size: height and width of a frame, pixels.
        count: how many clips; null: 1600 to train, 200 to validate, 400 to test.
        transform: what to do with a clip.

    Raises:
        ValueError: ``split`` is unknown, or a number is too small.
    """

    def __init__(
        self,
        split: str = "train",
        frames: int = 16,
        size: int = 48,
        count: Optional[int] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(list(ACTIONS), transform)
        if split not in SPLITS:
            raise ValueError(f"MovingDigits: split must be one of {', '.join(SPLITS)}, not {split!r}")
        if frames < 2 or size < 32 or (count is not None and count < 1):
            raise ValueError(
                f"MovingDigits: frames must be at least 2, size 32 and count 1, not {frames}, {size} and {count}"
            )
        images, labels = read_digits()
        self.images = images[split_indices(labels)[split]]
        self.stream = SPLITS.index(split)
        self.frames = frames
        self.size = size
        self.count = COUNTS[split] if count is None else count

    def source(self, index: int) -> ArrayFrames:
        """Return a clip of ``frames`` frames, the same at every call."""
        return ArrayFrames(self.clip(index), name=f"clip {index}")

    def clip(self, index: int, backwards: bool = False) -> np.ndarray:
        """Return a clip, uint8 (frames, size, size, 3), white on black.

        Args:
            index: which one.
            backwards: draw what the reversed class does along the same track.
        """
        draw = np.random.RandomState([self.stream, index])  # its stream is frozen, whatever numpy's version
        digit = self.images[draw.randint(len(self.images))]
        times = np.arange(self.frames) - (self.frames - 1) / 2
        action = self.label(index)
        forwards = (action % 2 == 0) != backwards
        steps = -times if forwards else times
        scale, angle = np.full(self.frames, 2.0 * self.size / 48), np.full(self.frames, draw.uniform(-15, 15))
        if action < 4:
            way = draw.uniform(0.3, 0.45) * self.size / (self.frames - 1)
            along = draw.uniform(-1, 1) * (0.28 * self.size - way * (self.frames - 1) / 2) + steps * way
            across = np.full(self.frames, draw.uniform(-0.08, 0.08) * self.size)
            x, y = (along, across) if action < 2 else (across, along)
        else:
            x, y = (np.full(self.frames, draw.uniform(-0.15, 0.15) * self.size) for _ in range(2))
            if action < 6:
                angle = draw.uniform(0, 360) + steps * draw.uniform(90, 180) / (self.frames - 1)
            else:
                scale = scale * np.exp(-steps * np.log(draw.uniform(2, 2.6)) / (self.frames - 1))
        return np.stack([self._frame(digit, *place) for place in zip(x, y, scale, angle)])

    def _frame(self, digit: np.ndarray, x: float, y: float, scale: float, angle: float) -> np.ndarray:
        """Return a digit drawn at a place: pixels from the middle to the right and down, times its size, degrees."""
        matrix = np.asarray(cv2.getRotationMatrix2D((3.5, 3.5), angle, scale), np.float64)
        middle = (self.size - 1) / 2 - 3.5
        matrix[:, 2] += middle + x, middle + y
        grey = cv2.warpAffine(digit, matrix, (self.size, self.size), flags=cv2.INTER_LINEAR)
        return np.repeat(grey[:, :, None], 3, axis=2)

    def label(self, index: int) -> int:
        """Return the number of the action; the actions take turns."""
        return index % len(ACTIONS)

    def __len__(self) -> int:
        return self.count
