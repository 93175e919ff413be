"""What all data sets of long videos can do: features step by step, and when actions begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from core.io import Dataset
from PaddleVideo.data.intervals.features import checked

BACKGROUND = "background"

Damaged = Literal["refuse", "repair"]
"""What becomes of an interval that does not lie within its video: an error, or it is cut, and left out if empty."""


class FeatureVideos(Dataset):
    """Sample i is the features of a video, float32 (T, D). Subclasses write ``read``, ``name``, ``duration``.

    Args:
        feature_dim: D.

    Raises:
        ValueError: it is not positive.
    """

    def __init__(self, feature_dim: int) -> None:
        if feature_dim < 1:
            raise ValueError(f"{type(self).__name__}: feature_dim must be at least 1, not {feature_dim}")
        self.feature_dim = feature_dim

    def read(self, index: int) -> np.ndarray:
        """Return the features of a video, (T, D), not yet checked."""
        raise NotImplementedError(f"{type(self).__name__} must define read(index)")

    def name(self, index: int) -> str:
        """Return what a video is called."""
        raise NotImplementedError(f"{type(self).__name__} must define name(index)")

    def duration(self, index: int) -> float:
        """Return how long a video is, seconds."""
        raise NotImplementedError(f"{type(self).__name__} must define duration(index)")

    def labels(self, index: int, steps: int) -> np.ndarray:
        """Return the number of the class of each step of a video, int64 (steps,)."""
        raise NotImplementedError(f"{type(self).__name__} must define labels(index, steps)")

    @property
    def step_classes(self) -> list[str]:
        """The classes that a step may have, in the order of their numbers."""
        raise NotImplementedError(f"{type(self).__name__} must define step_classes")

    def __getitem__(self, index: int) -> np.ndarray:
        return checked(self.read(index), f"video {self.name(index)!r}", self.feature_dim)


class IntervalDataset(FeatureVideos):
    """Videos with intervals of time, each of which has a class. Subclasses write ``actions`` besides, and ``__len__``.

    Args:
        class_names: the classes, in the order of their numbers; background is none of them.
        feature_dim: as of :class:`FeatureVideos`.
    """

    def __init__(self, class_names: Sequence[str], feature_dim: int) -> None:
        super().__init__(feature_dim)
        self.class_names = list(class_names)

    def actions(self, index: int) -> np.ndarray:
        """Return the actions of a video, float64 (G, 3): class, begin and end in seconds."""
        raise NotImplementedError(f"{type(self).__name__} must define actions(index)")

    @property
    def step_classes(self) -> list[str]:
        """Background, and the classes."""
        return [BACKGROUND, *self.class_names]

    def labels(self, index: int, steps: int) -> np.ndarray:
        """Return the number of the class at the middle of each step, int64 (steps,): 0 is background.

        Raises:
            ValueError: actions of two classes overlap there.
        """
        middles = (np.arange(steps) + 0.5) / steps * self.duration(index)
        found, owner = np.zeros(steps, np.int64), np.full(steps, -1)
        rows = self.actions(index)
        for number, (kind, begin, end) in enumerate(rows):
            inside = (middles >= begin) & (middles < end)
            others = np.unique(owner[inside & (owner >= 0) & (found != kind + 1)])
            if len(others):
                one, other = (_shown(rows[place], self.class_names) for place in (int(others[0]), number))
                raise ValueError(
                    f"video {self.name(index)!r}: the actions {one} and {other} overlap, but a step has one class"
                )
            found[inside], owner[inside] = int(kind) + 1, number
        return found


def within(
    actions: np.ndarray, duration: float, where: str, class_names: Sequence[str], damaged: Damaged
) -> np.ndarray:
    """Return the actions of a video, each of which ends after its begin, within the video.

    Args:
        actions: class, begin and end in seconds, (G, 3).
        duration: of the video, seconds.
        where: names video and file.
        class_names: the classes.
        damaged: what becomes of others.

    Raises:
        ValueError: there are others, and they are refused; says which, and how long the video is.
    """
    rows = np.asarray(actions, np.float64).reshape(-1, 3)
    for row in rows if damaged == "refuse" else ():
        _, begin, end = row
        problem = ""
        if not np.isfinite(row).all():
            problem = "is not given by numbers"
        elif end == begin:
            problem = "has no length"
        elif end < begin:
            problem = "ends before it begins"
        elif begin < 0 or end > duration:
            when = "begins before" if begin < 0 else "begins after" if begin >= duration else "ends after"
            problem = f"{when} the video, which has {duration:g} s"
        if problem:
            raise ValueError(
                f"{where}: the action {_shown(row, class_names)} {problem}; correct it, or say damaged: repair, which "
                "cuts intervals at the video's ends and leaves out those without length"
            )
    rows = rows[np.isfinite(rows).all(axis=1)].copy()
    rows[:, 1:] = rows[:, 1:].clip(0.0, duration)
    return rows[rows[:, 2] > rows[:, 1]]


def _shown(row: np.ndarray, class_names: Sequence[str]) -> str:
    """Return an action in words: its class, and from when to when."""
    return f"{class_names[int(row[0])]!r} from {row[1]:g} to {row[2]:g} s"
