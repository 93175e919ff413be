"""Drawn videos of features: what a video is about shows in a few frames, and leaves no trace in their mean.

Each label has a direction of the features. A video with a label has a frame in that direction and one in the opposite
one, among frames of noise; so the means of all videos are alike, and only what looks at frames one by one can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from PaddleVideo.data.youtube8m import FeatureDataset

SPLITS = ("train", "valid", "test")


class DrawnTopics(FeatureDataset):
    """Drawn videos with features of one byte each, as YouTube-8M's.

    Args:
        split: "train", "valid" or "test".
        count: how many videos.
        class_num: how many labels there are; a video has one to three of them.
        max_frames: how many frames the longest videos have; the shortest have half.
        feature_dims: features of a frame, of the pictures and of the sound.

    Raises:
        ValueError: ``split`` is unknown, or a number is too small.
    """

    def __init__(
        self,
        split: str = "train",
        count: int = 2000,
        class_num: int = 20,
        max_frames: int = 20,
        feature_dims: Sequence[int] = (64, 16),
        transform: Optional[Any] = None,
    ) -> None:
        super().__init__(class_num, max_frames, feature_dims)
        if split not in SPLITS:
            raise ValueError(f"DrawnTopics: split must be one of {', '.join(SPLITS)}, not {split!r}")
        if count < 1 or max_frames < 12 or class_num < 3:
            raise ValueError(
                f"DrawnTopics: count must be at least 1, max_frames 12 and class_num 3, not {count}, {max_frames} and "
                f"{class_num}"
            )
        self.count = count
        self.stream = SPLITS.index(split)
        shared = np.random.RandomState(7)  # the directions are those of all splits
        self.directions = [np.sign(shared.randn(class_num, size)) for size in self.feature_dims]

    def video(self, index: int) -> tuple[str, Sequence[np.ndarray], Sequence[int]]:
        """Return a video's name for messages, its features (T, D) and (T, D'), and the numbers of its labels."""
        draw = np.random.RandomState([self.stream, index])  # its stream is frozen, whatever numpy's version
        frames = draw.randint(self.max_frames // 2, self.max_frames + 1)
        labels = draw.choice(self.class_num, draw.randint(1, 4), replace=False)
        places = draw.permutation(frames)[: 2 * len(labels)].reshape(-1, 2)
        features = []
        for directions in self.directions:
            values = 0.35 * draw.randn(frames, directions.shape[1])
            for label, (first, second) in zip(labels, places):
                values[first] += directions[label]
                values[second] -= directions[label]
            features.append(np.rint((values + 2) * 63.75).clip(0, 255).astype(np.uint8))
        return f"video {index}", features, labels.tolist()

    def __len__(self) -> int:
        return self.count
