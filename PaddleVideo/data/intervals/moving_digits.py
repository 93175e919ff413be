"""Long clips of a handwritten digit that now and then does something, and features of how each frame differs.

The actions are those of :class:`PaddleVideo.data.moving_digits.MovingDigits`; between them the digit trembles where it
is. The features are computed from the drawn frames, by least squares and without learning: see :func:`motions`.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, Optional

import cv2
import numpy as np

from core.vision.datasets.digits import SPLITS, read_digits, split_indices
from PaddleVideo.data.intervals.dataset import IntervalDataset
from PaddleVideo.data.moving_digits import ACTIONS

RATE = 12.5
"""Frames a second."""

SIZE = 48
"""Height and width of a frame, pixels."""

FRAMES = (96, 160)
"""The fewest and the most frames of a clip."""

LENGTHS = (12, 36)
"""The fewest and the most frames of an action."""

GAP = 5
"""Frames of background around an action, at least."""

WAYS = ((7.0, 14.0), (7.0, 14.0), (0.45, 0.7), (90.0, 180.0))
"""How far an action goes: pixels to the right and down, the logarithm of the size, and degrees clockwise."""

ROOM = (14.0, 14.0, 0.7, np.inf)
"""How far a digit may come from the middle of the frame and from its usual size."""

TREMBLING = np.array([0.15, 0.15, 0.008, 1.0])
"""The deviation of a digit's place in each frame, of position, logarithm of the size, and angle."""

COUNTS = {"train": 400, "valid": 60, "test": 120}
"""Clips in each split."""

FEATURES = 12
"""Numbers of a step."""


class MovingDigitsIntervals(IntervalDataset):
    """Clips of 96 to 160 frames with one to three actions of 12 to 36; digits of the splits are others.

    A clip has a step for each frame.

    Args:
        split: "train", "valid" or "test".
        count: how many clips; null: 400 to train, 60 to validate, 120 to test.
        noise: the deviation of the pixels' noise, of 255.

    Raises:
        ValueError: ``split`` is unknown, or ``count`` is less than 1.
    """

    def __init__(
        self, split: str = "train", count: Optional[int] = None, noise: float = 12.0, transform: Optional[Any] = None
    ) -> None:
        super().__init__(ACTIONS, FEATURES)
        if split not in SPLITS:
            raise ValueError(f"MovingDigitsIntervals: split must be one of {', '.join(SPLITS)}, not {split!r}")
        if count is not None and count < 1:
            raise ValueError(f"MovingDigitsIntervals: count must be at least 1, not {count}")
        images, labels = read_digits()
        self.images = images[split_indices(labels)[split]]
        self.split = split
        self.stream = 10 + SPLITS.index(split)
        self.count = COUNTS[split] if count is None else count
        self.noise = noise
        self._known: dict[int, np.ndarray] = {}

    def read(self, index: int) -> np.ndarray:
        """Return the features of a clip, float32 (T, 12); those of a clip are computed once."""
        if index not in self._known:
            self._known[index] = motions(self.clip(index))
        return self._known[index]

    def name(self, index: int) -> str:
        """Return what a clip is called."""
        return f"{self.split}_{index:04d}"

    def duration(self, index: int) -> float:
        """Return how long a clip is, seconds."""
        return len(planned(self.stream, index).path) / RATE

    def actions(self, index: int) -> np.ndarray:
        """Return the actions of a clip, float64 (G, 3): class, begin and end in seconds."""
        rows = np.array(planned(self.stream, index).actions, np.float64)
        rows[:, 1:] /= RATE
        return rows

    def clip(self, index: int) -> np.ndarray:
        """Return the frames of a clip, uint8 (T, 48, 48), white on black."""
        plan = planned(self.stream, index)
        draw = np.random.RandomState([self.stream, index, 1])  # its stream is frozen, whatever numpy's version
        digit = self.images[draw.randint(len(self.images))]
        path = plan.path + TREMBLING * draw.standard_normal(plan.path.shape)
        frames = np.stack([_drawn(digit, *row) for row in path]).astype(np.float32)
        frames += self.noise * draw.standard_normal(frames.shape).astype(np.float32)
        return frames.clip(0, 255).astype(np.uint8)

    def __len__(self) -> int:
        return self.count


class Plan(NamedTuple):
    """What happens in a clip.

    Attributes:
        actions: class, first frame and the frame after the last one of each.
        path: x, y, logarithm of the size and angle in each frame, (T, 4).
    """

    actions: list[tuple[int, int, int]]
    path: np.ndarray


@functools.lru_cache(maxsize=4096)
def planned(stream: int, index: int) -> Plan:
    """Return what happens in a clip.

    Args:
        stream: of the split.
        index: which clip.
    """
    draw = np.random.RandomState([stream, index])  # its stream is frozen, whatever numpy's version
    count, number = draw.randint(FRAMES[0], FRAMES[1] + 1), draw.randint(1, 4)
    longest = min(LENGTHS[1], count // number - 2 * GAP)
    lengths = draw.randint(LENGTHS[0], longest + 1, number)
    free = np.sort(draw.randint(0, count - lengths.sum() - GAP * (number + 1) + 1, number))
    place = np.array([draw.uniform(-7, 7), draw.uniform(-7, 7), draw.uniform(-0.3, 0.3), draw.uniform(0, 360)])
    actions, steps, passed = [], np.zeros((count, 4)), 0
    for turn, length in enumerate(lengths.tolist()):
        begin = int(free[turn]) + passed + GAP * (turn + 1)
        passed += length
        kind = draw.randint(len(ACTIONS))
        axis = (0, 1, 3, 2)[kind // 2]
        way = draw.uniform(*WAYS[axis])
        if abs(place[axis] + _sign(kind) * way) > ROOM[axis]:
            kind ^= 1  # the other way there is room
        place[axis] += _sign(kind) * way
        steps[begin : begin + length, axis] = _sign(kind) * way / length
        actions.append((kind, begin, begin + length))
    return Plan(actions, place - steps.sum(axis=0) + np.cumsum(steps, axis=0))


def _sign(kind: int) -> int:
    """Return which way an action goes: to the right, down, clockwise and larger are 1."""
    return 1 if ACTIONS[kind] in ("right", "down", "clockwise", "growing") else -1


def _drawn(digit: np.ndarray, x: float, y: float, size: float, angle: float) -> np.ndarray:
    """Return a frame with a digit: pixels to the right and down of the middle, logarithm of the size, degrees."""
    matrix = np.asarray(cv2.getRotationMatrix2D((3.5, 3.5), -angle, 1.9 * np.exp(size)), np.float64)
    matrix[:, 2] += (SIZE - 1) / 2 - 3.5 + x, (SIZE - 1) / 2 - 3.5 + y
    return cv2.warpAffine(digit, matrix, (SIZE, SIZE), flags=cv2.INTER_LINEAR)


SCALES = np.array([1.0, 1.0, 0.05, 0.05])
"""Of motions to the right and down, pixels, clockwise, radians, and apart, by which they are divided."""


def motions(frames: np.ndarray) -> np.ndarray:
    """Return how each frame differs from the one before: how much it moves in each of eight ways, and more.

    Of all affine motions that one is taken that explains the change of brightness best, by least squares over the
    pixels (Lucas and Kanade 1981), around the centre of brightness. Its motions to the left, right, up, down,
    clockwise, anticlockwise, apart and together are as many features, of which one of a pair is 0. Beside them are its
    shear, the mean change of brightness, what of it the motion does not explain, and the logarithm of the spread.

    Args:
        frames: uint8 (T, H, W).

    Returns:
        float32 (T, 12), scaled to about 1.
    """
    smooth = np.stack([cv2.GaussianBlur(frame.astype(np.float32), (0, 0), 1.5) for frame in frames])
    mass = (smooth - 12.0).clip(0.0)
    total = mass.sum(axis=(1, 2)) + 1e-3
    rows, columns = np.mgrid[: frames.shape[1], : frames.shape[2]].astype(np.float32)
    centres = [(mass * axis).sum(axis=(1, 2)) / total for axis in (columns, rows)]
    x, y = (axis - centre[:, None, None] for axis, centre in zip((columns, rows), centres))
    spread = np.sqrt((mass * (x * x + y * y)).sum(axis=(1, 2)) / total + 1e-3)
    change = np.diff(smooth, axis=0, prepend=smooth[:1])
    middle = smooth - change / 2
    along, down = np.gradient(middle, axis=2), np.gradient(middle, axis=1)
    basis = np.stack(
        [along, down, along * x + down * y, down * x - along * y, along * x - down * y, along * y + down * x], axis=1
    ).reshape(len(frames), 6, -1)
    flat = change.reshape(len(frames), -1, 1)
    square = basis @ basis.transpose(0, 2, 1)
    square += np.eye(6, dtype=np.float32) * (1e-3 * np.trace(square, axis1=1, axis2=2)[:, None, None] / 6 + 1e-3)
    motion = -np.linalg.solve(square, basis @ flat)
    left = flat + basis.transpose(0, 2, 1) @ motion
    ways = motion[:, [0, 1, 3, 2], 0] / SCALES
    pairs = np.stack([-ways, ways], axis=2)
    pairs[:, 2:] = pairs[:, 2:, ::-1]  # clockwise and growing are the first of their pairs
    features = [np.linalg.norm(motion[:, 4:, 0], axis=1) / 0.05, np.abs(flat).mean(axis=(1, 2)) / 5.0]
    features += [np.abs(left).mean(axis=(1, 2)) / 5.0, np.log(spread / 6.0) / 0.4]
    return np.concatenate([pairs.reshape(-1, 8).clip(0.0), np.stack(features, axis=1)], axis=1).astype(np.float32)
