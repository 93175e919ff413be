"""ActivityNet's annotations, or others in its form, with a file of features for each video.

Heilbron et al., "ActivityNet: a large-scale video benchmark for human activity understanding", CVPR 2015. Two forms are
read: that of the challenge, ``{"database": {NAME: {"duration", "subset", "annotations"}}}``, and that of the official
kits for BMN, ``{NAME: {"duration_second", "subset", "annotations"}}``; THUMOS is often kept in the first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

import numpy as np

from PaddleVideo.data.intervals.dataset import Damaged, IntervalDataset, within
from PaddleVideo.data.intervals.features import ENDINGS, read_features


class _Video(NamedTuple):
    name: str
    path: str
    duration: float
    actions: np.ndarray


class ActivityNetFeatures(IntervalDataset):
    """The videos of a subset, by name.

    Args:
        file_path: the annotations, JSON.
        feat_path: the folder of features, NAME.npy or NAME.pkl, (steps, features) each.
        subset: "training" or "validation"; a part of the name is enough.
        feature_dim: features of a step.
        damaged: what becomes of intervals that do not lie within their video, and of videos without a file of
            features: an error that names them; or intervals are cut, and left out if empty, and such videos are too.

    Raises:
        FileNotFoundError: the annotations are missing, or features of a video.
        ValueError: the annotations hold something else, no video is of the subset, or an interval is refused.
    """

    def __init__(
        self,
        file_path: str,
        feat_path: str,
        subset: str,
        feature_dim: int = 400,
        damaged: Damaged = "refuse",
        transform: Optional[Any] = None,
    ) -> None:
        entries = _entries(file_path)
        labels = {str(row.get("label")) for entry in entries.values() for row in _annotations(entry) or ()}
        super().__init__(sorted(labels), feature_dim)
        self.videos: list[_Video] = []
        missing = []
        for name in sorted(entries):
            entry, where = entries[name], f"{file_path}, video {name!r}"
            rows = _annotations(entry)
            if rows is None:
                raise ValueError(f"{where} should have annotations, each with a label and a segment of two numbers")
            if subset not in str(entry.get("subset")):
                continue
            duration = entry.get("duration_second", entry.get("duration"))
            if not isinstance(duration, (int, float)) or not 0 < duration < float("inf"):
                raise ValueError(f"{where} should have a positive number of seconds, not {duration!r}")
            path = _path(feat_path, name)
            if path is None:
                missing.append(name)
                continue
            actions = np.array([[self.class_names.index(str(row.get("label"))), *row["segment"]] for row in rows])
            actions = within(actions, float(duration), where, self.class_names, damaged)
            self.videos.append(_Video(name, path, float(duration), actions))
        if missing and damaged == "refuse":
            raise FileNotFoundError(
                f"{len(missing)} of {len(missing) + len(self.videos)} videos of {file_path} have no features in "
                f"{feat_path!r}, such as {missing[0]}.npy; damaged: repair leaves them out"
            )
        if not self.videos:
            subsets = sorted({str(entry.get("subset")) for entry in entries.values()})
            raise ValueError(f"{file_path}: no video is of the subset {subset!r}; there are {', '.join(subsets[:5])}")

    def read(self, index: int) -> np.ndarray:
        """Return the features of a video, (T, D)."""
        return read_features(self.videos[index].path).values

    def name(self, index: int) -> str:
        """Return what a video is called."""
        return self.videos[index].name

    def duration(self, index: int) -> float:
        """Return how long a video is, seconds."""
        return self.videos[index].duration

    def actions(self, index: int) -> np.ndarray:
        """Return the actions of a video, float64 (G, 3): class, begin and end in seconds."""
        return self.videos[index].actions

    def __len__(self) -> int:
        return len(self.videos)


def _entries(file_path: str) -> Mapping[str, Mapping[str, Any]]:
    """Return what a file says of each video."""
    if not os.path.isfile(file_path):
        raise FileNotFoundError(f"no file of annotations {file_path!r}")
    try:
        with open(file_path, encoding="utf-8") as stream:
            found = json.load(stream)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"{file_path}: no JSON: {error}") from None
    found = found.get("database", found) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping) or not all(isinstance(entry, Mapping) for entry in found.values()):
        raise ValueError(f"{file_path} should hold a mapping for each video, by its name")
    return found


def _annotations(entry: Mapping[str, Any]) -> Optional[list[Mapping[str, Any]]]:
    """Return the rows of annotations of a video; None where they are something else."""
    rows = entry.get("annotations")
    if not isinstance(rows, list):
        return None
    for row in rows:
        segment = row.get("segment") if isinstance(row, Mapping) else None
        if not isinstance(segment, list) or len(segment) != 2 or not isinstance(row.get("label"), (str, int)):
            return None
        if not all(isinstance(time, (int, float)) for time in segment):
            return None
    return rows


def _path(folder: str, name: str) -> Optional[str]:
    """Return the file of features of a video; the challenge's names lack the files' ``v_``."""
    for stem in (name, f"v_{name}"):
        for ending in ENDINGS:
            path = os.path.join(folder, stem + ending)
            if os.path.isfile(path):
                return path
    return None
