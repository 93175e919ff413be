"""Features of YouTube-8M's videos: TFRecord files of frames or of whole videos, and the pickles made of them.

Abu-El-Haija et al. 2016, https://arxiv.org/abs/1609.08675; https://research.google.com/youtube8m/download.html.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import Any, Literal, Optional

import numpy as np

from core.io import Dataset
from core.io.tfrecord import Record, find_records, parse_example, read_record
from core.vision.datasets.lists import listed_path, read_list
from core.weights import read_pickle

LABELS = 3862
"""How many labels there are, in the version of 2018."""

Sample = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Features of the pictures (T, D), of the sound (T, D'), how many frames there are, and the labels, float32 (C,)."""


class FeatureDataset(Dataset):
    """Sample i is (rgb, audio, number of frames, labels): features of a video, padded to a number of frames.

    Subclasses write ``video``, and ``__len__``.

    Args:
        class_num: how many labels there are.
        max_frames: T; longer videos give frames at equal distances.
        feature_dims: features of a frame, of the pictures and of the sound.

    Raises:
        ValueError: a number is not positive.
    """

    def __init__(self, class_num: int, max_frames: int, feature_dims: Sequence[int]) -> None:
        if class_num < 1 or max_frames < 1 or len(feature_dims) != 2 or min(feature_dims) < 1:
            raise ValueError(
                f"{type(self).__name__}: class_num, max_frames and two feature_dims must be at least 1, not "
                f"{class_num}, {max_frames} and {list(feature_dims)}"
            )
        self.class_num = class_num
        self.max_frames = max_frames
        self.feature_dims = tuple(feature_dims)

    def video(self, index: int) -> tuple[str, Sequence[np.ndarray], Sequence[int]]:
        """Return a video's name for messages, its features (T, D) and (T, D'), and the numbers of its labels."""
        raise NotImplementedError(f"{type(self).__name__} must define video(index)")

    def __getitem__(self, index: int) -> Sample:
        name, features, numbers = self.video(index)
        frames = len(features[0])
        for kind, part, size in zip(("pictures", "sound"), features, self.feature_dims):
            if part.ndim != 2 or part.shape[1] != size or not len(part):
                raise ValueError(f"{name} has features of {kind} of shape {part.shape}, not (frames, {size})")
            if part.dtype.kind == "f" and not np.isfinite(part).all():
                raise ValueError(f"{name} has features of {kind} that are no finite numbers")
            frames = min(frames, len(part))
        labels = np.zeros(self.class_num, np.float32)
        for number in numbers:
            if not 0 <= number < self.class_num:
                raise ValueError(f"{name} has label {number}, which is none of {self.class_num}")
            labels[number] = 1.0
        count = min(frames, self.max_frames)
        chosen = np.linspace(0, frames - 1, count).astype(np.int64)
        padded = [np.zeros((self.max_frames, size), part.dtype) for part, size in zip(features, self.feature_dims)]
        for whole, part in zip(padded, features):
            whole[:count] = part[chosen]
        return padded[0], padded[1], np.array(count, np.int64), labels


class YouTube8M(FeatureDataset):
    """TFRecord files of YouTube-8M, of frames (uint8) or of whole videos (means, float32, as videos of one frame).

    Args:
        file_path: the files, as a pattern: train*.tfrecord.
        class_num: how many labels there are.
        max_frames: as of :class:`FeatureDataset`.
        feature_dims: likewise.
        damaged: what a record is that does not fit its check sums: an error that names it, or left out; to know which
            are, all files are read once.

    Raises:
        FileNotFoundError: the pattern matches no file.
        ValueError: a record's length is damaged, or a number is not positive.
    """

    def __init__(
        self,
        file_path: str,
        class_num: int = LABELS,
        max_frames: int = 300,
        feature_dims: Sequence[int] = (1024, 128),
        damaged: Literal["refuse", "skip"] = "refuse",
        transform: Optional[Any] = None,
    ) -> None:
        super().__init__(class_num, max_frames, feature_dims)
        paths = sorted(glob.glob(file_path, recursive=True))
        if not paths:
            raise FileNotFoundError(f"no file matches {file_path!r}")
        self.records: list[Record] = []
        for path in paths:
            found = find_records(path, skip_damaged=damaged == "skip")
            self.records += [record for record in found if damaged == "refuse" or _is_whole(record)]

    def video(self, index: int) -> tuple[str, Sequence[np.ndarray], Sequence[int]]:
        """Return a video's name for messages, its features (T, D) and (T, D'), and the numbers of its labels."""
        record = self.records[index]
        example = parse_example(read_record(record), record.name)
        labels = example.context.get("labels", [])
        if isinstance(labels, list) and labels:
            raise ValueError(f"{record.name} should have the numbers of labels in 'labels'")
        if example.sequences:
            features = [_frames(example.sequences.get(name, []), name, record) for name in ("rgb", "audio")]
        else:
            features = [_mean(example.context.get(f"mean_{name}"), name, record) for name in ("rgb", "audio")]
        return record.name, features, np.asarray(labels, np.int64).tolist()

    def __len__(self) -> int:
        return len(self.records)


def _is_whole(record: Record) -> bool:
    try:
        read_record(record)
    except ValueError:
        return False
    return True


def _frames(steps: Sequence[Any], name: str, record: Record) -> np.ndarray:
    """Return the bytes of each frame, uint8 (T, D)."""
    rows = [step[0] for step in steps if isinstance(step, list) and len(step) == 1]
    if len(rows) != len(steps) or len({len(row) for row in rows}) > 1:
        raise ValueError(f"{record.name} should have one string of bytes, of one length, for each frame in {name!r}")
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1 if rows and len(rows[0]) else 0)


def _mean(values: Any, name: str, record: Record) -> np.ndarray:
    if not isinstance(values, np.ndarray) or values.dtype != np.float32:
        raise ValueError(f"{record.name} has neither frames of {name!r} nor 'mean_{name}'")
    return values[None]


class YouTube8MPickles(FeatureDataset):
    """The pickles that the official kits make of YouTube-8M: each a list of {feature, audio, label, video, nframes}.

    They are read without running what is in them.

    Args:
        file_path: a list file with the path of a pickle on each line.
        data_prefix: the folder that the paths are relative to.
        class_num: how many labels there are.
        max_frames: as of :class:`FeatureDataset`.
        feature_dims: likewise.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: the list is empty, a pickle holds something else, or a number is not positive.
    """

    def __init__(
        self,
        file_path: str,
        data_prefix: str = ".",
        class_num: int = LABELS,
        max_frames: int = 300,
        feature_dims: Sequence[int] = (1024, 128),
        transform: Optional[Any] = None,
    ) -> None:
        super().__init__(class_num, max_frames, feature_dims)
        self.places: list[tuple[str, int]] = []
        for listed, _ in read_list(file_path, ()):
            path = listed_path(data_prefix, listed)
            self.places += [(path, number) for number in range(len(_videos(path)))]

    def video(self, index: int) -> tuple[str, Sequence[np.ndarray], Sequence[int]]:
        """Return a video's name for messages, its features (T, D) and (T, D'), and the numbers of its labels."""
        path, number = self.places[index]
        found, name = _videos(path)[number], f"video {number} of {path!r}"
        try:
            frames = int(found["nframes"])
            features = [np.asarray(found[key])[:frames] for key in ("feature", "audio")]
            labels = np.asarray(found["label"]).reshape(-1)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{name} should have nframes, feature, audio and label: {error!r}") from None
        if labels.size and labels.dtype.kind not in "iu":
            raise ValueError(f"{name} should have the numbers of its labels, not {labels.dtype}")
        return name, features, labels.astype(np.int64).tolist()

    def __len__(self) -> int:
        return len(self.places)


def _videos(path: str) -> Sequence[Any]:
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no pickle of features {path!r}")
    found: Any = read_pickle(path)
    if not isinstance(found, list) or not all(isinstance(video, dict) for video in found):
        raise ValueError(f"{path!r} should hold a list of videos, each a mapping")
    return found
