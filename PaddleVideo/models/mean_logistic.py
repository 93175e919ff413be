"""A linear model of the mean of a video's features: what the other networks of YouTube-8M are compared with.

Paper: Abu-El-Haija et al., "YouTube-8M: a large-scale video classification benchmark", 2016,
https://arxiv.org/abs/1609.08675, section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from PaddleVideo.models.youtube8m import CLASSES, FEATURE_DIMS, FeatureClassifier, dequantized, frame_mask


class MeanLogistic(FeatureClassifier):
    """The mean over frames and a linear layer: see :meth:`FeatureClassifier.forward`.

    Args:
        class_num: how many classes there are.
        feature_dims: features of a frame, of pictures and sound.
    """

    head_names = ("fc",)

    def __init__(self, class_num: int = CLASSES, feature_dims: Sequence[int] = FEATURE_DIMS) -> None:
        super().__init__(class_num, feature_dims)
        self.fc = nn.Linear(sum(feature_dims), class_num)

    def forward(self, rgb: Any, audio: Any, lengths: Any) -> Any:
        """Return the logits, (N, class_num)."""
        self.check_features(rgb, audio)
        mask = frame_mask(rgb, lengths).astype("float32").unsqueeze(2)
        parts = core.concat([dequantized(rgb), dequantized(audio)], axis=2)
        return self.fc((parts * mask).sum(1) / mask.sum(1))


def mean_logistic(**settings: Any) -> MeanLogistic:
    """Return a linear model of averaged features; settings as of :class:`MeanLogistic`."""
    return MeanLogistic(**settings)
