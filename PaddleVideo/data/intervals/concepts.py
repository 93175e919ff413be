"""C-TCN's data: a list of videos and their actions, and pickles with scores of snippets, of one network or of two.

Source: the reader of PaddleVideo 1.5.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from core.io.files import read_bytes
from core.vision.datasets.lists import MOST_CLASSES
from PaddleVideo.data.intervals.dataset import Damaged, IntervalDataset, within
from PaddleVideo.data.intervals.features import read_features


class _Video(NamedTuple):
    name: str
    steps: float
    actions: np.ndarray


class ConceptFeatures(IntervalDataset):
    """Videos of a list, each line of which is: name, steps, number of actions, and of each class, begin and end.

    Classes count from 1, as 0 is background; begins and ends are in steps. The scores of a video are those of all
    ``folders``, in their order, side by side; the shortest says how many steps there are.

    Args:
        file_path: the list.
        folders: of pickles NAME.pkl, such as [rgb, flow], relative to ``root``.
        root: the folder of these folders.
        class_num: how many classes there are.
        feature_dim: scores of a step, of all folders.
        steps_per_second: how fast steps follow each other.
        damaged: what becomes of intervals that do not lie within their video.

    Raises:
        FileNotFoundError: the list is missing.
        ValueError: a line holds something else, or an interval is refused.
    """

    def __init__(
        self,
        file_path: str,
        folders: Sequence[str] = ("rgb", "flow"),
        root: str = ".",
        class_num: int = 200,
        feature_dim: int = 402,
        steps_per_second: float = 1.0,
        damaged: Damaged = "refuse",
        transform: Optional[Any] = None,
    ) -> None:
        super().__init__([str(number) for number in range(1, class_num + 1)], feature_dim)
        if not folders or not steps_per_second > 0:
            raise ValueError(
                f"ConceptFeatures: there must be folders, and steps_per_second more than 0, not {steps_per_second}"
            )
        self.folders = [os.path.join(root, folder) for folder in folders]
        self.steps_per_second = steps_per_second
        self.videos = []
        for place, line in enumerate(_lines(file_path), start=1):
            if line.strip():
                name, steps, rows = _parsed(line, f"{file_path}:{place}", class_num)
                where = f"{file_path}:{place}, video {name!r}"
                rows[:, 1:] /= steps_per_second
                rows = within(rows, steps / steps_per_second, where, self.class_names, damaged)
                self.videos.append(_Video(name, steps, rows))
        if not self.videos:
            raise ValueError(f"{file_path}: the list is empty")

    def read(self, index: int) -> np.ndarray:
        """Return the scores of a video, (T, D)."""
        name = self.videos[index].name
        parts = [read_features(os.path.join(folder, f"{name}.pkl")).values for folder in self.folders]
        shortest = min(map(len, parts))
        return np.concatenate([part[:shortest] for part in parts], axis=1)

    def name(self, index: int) -> str:
        """Return what a video is called."""
        return self.videos[index].name

    def duration(self, index: int) -> float:
        """Return how long a video is, seconds."""
        return self.videos[index].steps / self.steps_per_second

    def actions(self, index: int) -> np.ndarray:
        """Return the actions of a video, float64 (G, 3): class, begin and end in seconds."""
        return self.videos[index].actions

    def __len__(self) -> int:
        return len(self.videos)


def _lines(path: str) -> list[str]:
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no list file {path!r}")
    try:
        return read_bytes(path).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the list as UTF-8 text") from None


def _parsed(line: str, where: str, class_num: int) -> tuple[str, float, np.ndarray]:
    """Return name, steps and actions of a line; classes from 0."""
    name, *words = line.split()
    try:
        numbers = [float(word) for word in words]
        steps, count = numbers[:2]
        rows = np.array(numbers[2:], np.float64).reshape(-1, 3)
    except ValueError:
        steps, count, rows = 0.0, -1.0, np.zeros((0, 3))
    if len(rows) != count or not 0 < steps < MOST_CLASSES:
        wanted = "a name, a number of steps, a number of actions, and of each a class, its begin and its end"
        raise ValueError(f"{where}: a line holds {wanted}, not {line[:200]!r}")
    wrong = (rows[:, 0] < 1) | (rows[:, 0] > class_num) | (rows[:, 0] % 1 != 0)
    if wrong.any():
        raise ValueError(f"{where}: class {rows[wrong][0, 0]:g} is none of 1 to {class_num}")
    rows[:, 0] -= 1
    return name, steps, rows
