"""What the networks of YouTube-8M have in common: features of frames in, one logit for each class out.

Data set: Abu-El-Haija et al., "YouTube-8M: a large-scale video classification benchmark", 2016,
https://arxiv.org/abs/1609.08675. Features are one byte each: 0 to 255 stand for -2 to 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.base import VideoNetwork

FEATURE_DIMS = (1024, 128)
"""How many features a frame has of the pictures, and of the sound."""

CLASSES = 3862

HALF_A_STEP = 4.0 / 512.0


class FeatureClassifier(VideoNetwork):
    """Tells what a video is about, from features of its frames; a video may be about several things.

    Args:
        class_num: how many classes there are.
        feature_dims: features of a frame, of each kind: pictures, then sound.

    Raises:
        ValueError: a number is not positive.
    """

    def __init__(self, class_num: int = CLASSES, feature_dims: Sequence[int] = FEATURE_DIMS) -> None:
        super().__init__()
        positive_numbers(type(self).__name__, class_num=class_num)
        for size in feature_dims:
            positive_numbers(type(self).__name__, feature_dims=size)
        if len(feature_dims) != 2:
            raise ValueError(f"feature_dims must be two numbers, of pictures and sound, not {list(feature_dims)}")
        self.class_num = class_num
        self.feature_dims = tuple(feature_dims)

    def forward(self, rgb: Any, audio: Any, lengths: Any) -> Any:
        """Return the logits, (N, class_num).

        Args:
            rgb: features of the pictures, (N, T, feature_dims[0]): uint8 as in the files, or float32.
            audio: features of the sound, (N, T, feature_dims[1]), likewise.
            lengths: how many frames each video has, int64 (N,); what lies beyond is not looked at.
        """
        raise NotImplementedError

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the loss of a batch, 0-D: the sum over classes of binary cross-entropies, the mean over videos.

        Args:
            logits: (N, class_num).
            labels: 1.0 for each class that a video is about and 0.0 elsewhere, float32 (N, class_num).
        """
        return F.binary_cross_entropy_with_logits(logits, labels, reduction="none").sum(-1).mean()

    def check_features(self, rgb: Any, audio: Any) -> None:
        """Refuse features of other sizes.

        Raises:
            ValueError: they are not (N, T, feature_dims[0]) and (N, T, feature_dims[1]).
        """
        for kind, features, size in zip(("pictures", "sound"), (rgb, audio), self.feature_dims):
            if features.ndim != 3 or features.shape[2] != size:
                raise ValueError(
                    f"{type(self).__name__} takes features of {kind} (N, T, {size}), not {list(features.shape)}"
                )


def dequantized(features: Any, half_step: bool = True) -> Any:
    """Return features as numbers from -2 to 2, float32; what is no bytes comes back as it is.

    Args:
        features: of any shape; uint8 as in the files.
        half_step: whether a byte stands for the middle of its step, 4 / 512 above the lower end.
    """
    if features.dtype != core.uint8:
        return features
    return features.astype("float32") * (4.0 / 255.0) + (HALF_A_STEP - 2.0 if half_step else -2.0)


def frame_mask(features: Any, lengths: Any) -> Any:
    """Return which frames a video has, bool (N, T).

    Args:
        features: (N, T, ...).
        lengths: int64 (N,).
    """
    return core.arange(features.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)


def attention_over_frames(scores: Any, mask: Any, axis: int = 1) -> Any:
    """Return weights of the frames, which add up to 1 over those that a video has and are 0 beyond.

    Args:
        scores: such as (N, T).
        mask: bool, of a shape that fits.
        axis: of the frames.
    """
    return F.softmax(core.where(mask.expand_as(scores), scores, core.full_like(scores, -1e30)), axis=axis)
