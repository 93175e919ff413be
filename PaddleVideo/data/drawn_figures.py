"""Drawn stick figures with NTU RGB+D's 25 joints; their motions are pairs, each the other one played backwards."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from PaddleVideo.data.skeletons import SkeletonDataset

MOTIONS = (
    *("raise arms", "lower arms", "sit down", "stand up"),
    *("turn left", "turn right", "spread arms", "fold arms"),
)
"""What a figure does; each is the reverse of its neighbour."""

SPLITS = ("train", "valid", "test")

_ARMS = ((4, (5, 6, 7, 21, 22), 1.0), (8, (9, 10, 11, 23, 24), -1.0))
"""Shoulder, the joints that hang from it, and the side."""


def standing() -> np.ndarray:
    """Return a figure that stands with hanging arms: to its left, up and forward, float64 (25, 3)."""
    joints = np.zeros((25, 3))
    for number, height in ((0, 1.0), (1, 1.25), (20, 1.5), (2, 1.6), (3, 1.75)):
        joints[number, 1] = height
    for shoulder, (elbow, wrist, hand, tip, thumb), side in _ARMS:
        joints[[shoulder, elbow, wrist, hand, tip, thumb], 0] = 0.2 * side
        for number, height in ((shoulder, 1.48), (elbow, 1.2), (wrist, 0.95), (hand, 0.88), (tip, 0.8), (thumb, 0.86)):
            joints[number, 1] = height
        joints[thumb, 2] = 0.04
    for (hip, knee, ankle, foot), side in (((12, 13, 14, 15), 1.0), ((16, 17, 18, 19), -1.0)):
        joints[[hip, knee, ankle, foot], 0] = 0.12 * side
        for number, height in ((hip, 0.95), (knee, 0.5), (ankle, 0.08), (foot, 0.0)):
            joints[number, 1] = height
        joints[foot, 2] = 0.12
    return joints


def poses(kind: int, shares: np.ndarray) -> np.ndarray:
    """Return a figure at moments of a motion, (T, 25, 3).

    Args:
        kind: of the pair of motions: arms up, sitting, turning, arms apart.
        shares: how far it has come at each moment, 0 to 1, (T,).
    """
    joints = np.repeat(standing()[None], len(shares), axis=0)
    if kind == 0:
        for shoulder, arm, side in _ARMS:
            _swing(joints, shoulder, arm, (0, 1), 2.7 * shares * side)
    if kind == 1:
        above = [number for number in range(25) if number not in (13, 14, 15, 17, 18, 19)]
        joints[:, above, 1] -= 0.42 * shares[:, None]
        joints[:, [13, 17], 2] += 0.4 * shares[:, None]
    if kind == 2:
        joints = _turned(joints, 2, 0, 1.6 * shares[:, None])
    if kind == 3:
        for shoulder, arm, side in _ARMS:
            _swing(joints, shoulder, arm, (2, 1), np.full_like(shares, 1.4))
            _swing(joints, shoulder, arm, (2, 0), 1.5 * shares * side)
    return joints


def _swing(
    joints: np.ndarray, shoulder: int, arm: tuple[int, ...], axes: tuple[int, int], angles: np.ndarray
) -> None:
    """Turn an arm around its shoulder, from one axis towards another, in place."""
    middle = joints[:, [shoulder]]
    joints[:, list(arm)] = middle + _turned(joints[:, list(arm)] - middle, *axes, angles[:, None])


def _turned(points: np.ndarray, first: int, second: int, angle: Union[float, np.ndarray]) -> np.ndarray:
    """Return points turned from one axis towards another."""
    turned = points.copy()
    turned[..., first] = np.cos(angle) * points[..., first] - np.sin(angle) * points[..., second]
    turned[..., second] = np.sin(angle) * points[..., first] + np.cos(angle) * points[..., second]
    return turned


class DrawnFigures(SkeletonDataset):
    """Stick figures of eight motions; half of the time a second one is beside it, and some joints are missing.

    Args:
        split: "train", "valid" or "test".
        count: how many.
        frames: how many frames each has.
        centred: as of :class:`PaddleVideo.data.skeletons.SkeletonDataset`.

    Raises:
        ValueError: ``split`` is unknown, or a number is too small.
    """

    def __init__(
        self,
        split: str = "train",
        count: int = 800,
        frames: int = 32,
        centred: bool = False,
        transform: Optional[Any] = None,
    ) -> None:
        super().__init__(list(MOTIONS), frames, centred=centred)
        if split not in SPLITS:
            raise ValueError(f"DrawnFigures: split must be one of {', '.join(SPLITS)}, not {split!r}")
        if count < 1 or frames < 2:
            raise ValueError(f"DrawnFigures: count must be at least 1 and frames 2, not {count} and {frames}")
        self.stream = SPLITS.index(split)
        self.count = count
        self.length = frames

    def skeleton(self, index: int) -> np.ndarray:
        """Return the coordinates, (3, T, 25, 2)."""
        draw = np.random.RandomState([self.stream, index])  # its stream is frozen, whatever numpy's version
        motion = self.label(index)
        shares = np.linspace(draw.uniform(0, 0.25), draw.uniform(0.75, 1), self.length)
        shares = shares if motion % 2 == 0 else shares[::-1]
        places = np.zeros((2, self.length, 25, 3))
        for person in range(1 + draw.randint(2)):
            size, way = draw.uniform(0.8, 1.2), draw.uniform(0, 2 * np.pi)
            aside = draw.uniform(-0.5, 0.5) + 1.5 * person
            figures = poses(motion // 2, shares) if person == 0 else standing()
            places[person] = size * _turned(figures, 2, 0, way) + [aside, 0, 3]
            places[person] += draw.normal(0, 0.01, places[person].shape)
            places[person][:, draw.permutation(25)[: draw.randint(4)]] = 0
        return places.transpose(3, 1, 2, 0).astype(np.float32)

    def label(self, index: int) -> int:
        """Return the number of the motion; the motions take turns."""
        return index % len(MOTIONS)

    def __len__(self) -> int:
        return self.count
