"""What networks of intervals learn to say of a video: its features at their steps, and what is true of them."""

from __future__ import annotations

import numpy as np

from core.io import Dataset
from PaddleVideo.data.intervals.augmentation import cropped, moved
from PaddleVideo.data.intervals.dataset import FeatureVideos, IntervalDataset
from PaddleVideo.data.intervals.features import resampled
from PaddleVideo.models.localizers.anchors import match
from PaddleVideo.models.localizers.bmn_targets import bmn_targets, bsn_targets


class DetectionTargets(Dataset):
    """Sample i: features (1, length, D), offsets (K, 2) and classes (K,) of C-TCN's anchors, and i.

    Args:
        videos: where they come from.
        length: steps that the network takes.
        augmented: move actions and cut parts out, as training may.
    """

    def __init__(self, videos: IntervalDataset, length: int, augmented: bool = False) -> None:
        self.videos = videos
        self.length = length
        self.augmented = augmented

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        values = self.videos[index]
        actions = self.videos.actions(index).copy()
        actions[:, 1:] *= len(values) / self.videos.duration(index)
        if self.augmented:
            values, actions = cropped(*moved(values, actions))
        offsets, classes = match(self.length, actions[:, 1:] * (self.length / len(values)), actions[:, 0] + 1)
        return resampled(values, self.length)[None], offsets, classes, np.array(index)

    def __len__(self) -> int:
        return len(self.videos)


class ProposalTargets(Dataset):
    """Sample i: features (D, tscale), what the loss of BMN or BSN compares with, and i.

    Args:
        videos: where they come from.
        tscale: steps that the network takes.
        dscale: longest duration.
        bsn: whether the network is BSN.
    """

    def __init__(self, videos: IntervalDataset, tscale: int, dscale: int, bsn: bool = False) -> None:
        self.videos = videos
        self.tscale = tscale
        self.dscale = dscale
        self.make = bsn_targets if bsn else bmn_targets

    def __getitem__(self, index: int) -> tuple[np.ndarray, ...]:
        actions, duration = self.videos.actions(index), self.videos.duration(index)
        targets = self.make(actions[:, 1:], duration, self.tscale, self.dscale)
        return np.ascontiguousarray(resampled(self.videos[index], self.tscale).T), *targets, np.array(index)

    def __len__(self) -> int:
        return len(self.videos)


class StepTargets(Dataset):
    """Sample i: features (D, T), the class of each step (T,), how many there are, and i.

    Args:
        videos: where they come from.
    """

    def __init__(self, videos: FeatureVideos) -> None:
        self.videos = videos

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        values = self.videos[index]
        labels = self.videos.labels(index, len(values))
        return np.ascontiguousarray(values.T), labels, np.array(len(values)), np.array(index)

    def __len__(self) -> int:
        return len(self.videos)
