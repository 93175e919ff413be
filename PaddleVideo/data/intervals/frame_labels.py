"""Videos every frame of which has a class: 50Salads, Breakfast and GTEA as MS-TCN's authors prepare them.

Stein and McKenna 2013; Kuehne et al. 2014; Fathi et al. 2011; the files are those of
https://github.com/yabufarha/ms-tcn.
"""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np

from PaddleVideo.data.intervals.dataset import FeatureVideos
from PaddleVideo.data.intervals.features import read_features


class SegmentedFeatures(FeatureVideos):
    """Features of frames, (features, frames), and a text file with the name of each frame's class on a line.

    Args:
        file_path: a list with the name of such a text file on each line, NAME.txt.
        feature_path: the folder of features, NAME.npy.
        gt_path: the folder of these text files.
        actions_map_file_path: a file with number and name of a class on each line.
        feature_dim: features of a frame.
        sample_rate: take every so-manieth frame.
        frames_per_second: of the videos.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a file holds something else, or a number is not positive.
    """

    def __init__(
        self,
        file_path: str,
        feature_path: str,
        gt_path: str,
        actions_map_file_path: str,
        feature_dim: int = 2048,
        sample_rate: int = 1,
        frames_per_second: float = 15.0,
        transform: Optional[Any] = None,
    ) -> None:
        super().__init__(feature_dim)
        if sample_rate < 1 or not frames_per_second > 0:
            raise ValueError(
                "SegmentedFeatures: sample_rate must be at least 1 and frames_per_second more than 0, not "
                f"{sample_rate} and {frames_per_second}"
            )
        self.sample_rate = sample_rate
        self.frames_per_second = frames_per_second
        self._numbers = _classes(actions_map_file_path)
        self.names = [os.path.splitext(line)[0] for line in _lines(file_path)]
        if not self.names:
            raise ValueError(f"{file_path}: the list is empty")
        self.feature_path, self.gt_path = feature_path, gt_path
        for name in self.names:
            for path in (self._features(name), self._truth(name)):
                if not os.path.isfile(path):
                    raise FileNotFoundError(f"{file_path} names {name!r}, but there is no file {path!r}")

    @property
    def step_classes(self) -> list[str]:
        """The classes, in the order of their numbers."""
        return list(self._numbers)

    def read(self, index: int) -> np.ndarray:
        """Return the features of the frames that are taken, (T, D)."""
        values = read_features(self._features(self.names[index]), features_first=True).values
        return values[: len(self._words(index))][:: self.sample_rate]

    def labels(self, index: int, steps: int) -> np.ndarray:
        """Return the number of the class of each frame that is taken, int64 (steps,).

        Raises:
            ValueError: a class is unknown, or there are fewer frames with a class.
        """
        words = self._words(index)[:: self.sample_rate]
        unknown = [word for word in words if word not in self._numbers]
        path = self._truth(self.names[index])
        if unknown:
            raise ValueError(f"{path}: {unknown[0]!r} is none of the {len(self._numbers)} classes")
        if len(words) < steps:
            raise ValueError(f"{path} has classes of {len(words)} frames, of {steps} with features")
        return np.array([self._numbers[word] for word in words[:steps]], np.int64)

    def name(self, index: int) -> str:
        """Return what a video is called."""
        return self.names[index]

    def duration(self, index: int) -> float:
        """Return how long a video is, seconds."""
        return len(self._words(index)) / self.frames_per_second

    def _words(self, index: int) -> list[str]:
        return _lines(self._truth(self.names[index]))

    def _features(self, name: str) -> str:
        return os.path.join(self.feature_path, f"{name}.npy")

    def _truth(self, name: str) -> str:
        return os.path.join(self.gt_path, f"{name}.txt")

    def __len__(self) -> int:
        return len(self.names)


def _lines(path: str) -> list[str]:
    """Return the lines of a text file that are not blank."""
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no file {path!r}")
    try:
        with open(path, encoding="utf-8-sig") as stream:
            return [line.strip() for line in stream if line.strip()]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save it as UTF-8 text") from None


def _classes(path: str) -> dict[str, int]:
    """Return the numbers of the classes by name, in their order."""
    rows = [line.split(maxsplit=1) for line in _lines(path)]
    if not rows or any(len(row) != 2 for row in rows) or [row[0] for row in rows] != [str(n) for n in range(len(rows))]:
        raise ValueError(f"{path}: each line should hold the number of a class, from 0 on, a space and its name")
    return {name: int(number) for number, name in rows}
