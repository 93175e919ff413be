"""AttentionCluster: many attentions over the frames, each scaled, shifted and normalised by itself.

Paper: Long et al., "Attention clusters: purely attention based local feature integration for video classification",
CVPR 2018, https://arxiv.org/abs/1711.09550.
Source of parameter names: PaddleVideo 1.5, whose variables are called alike; PaddleVideo 2.x does not have the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import KaimingNormal, Normal
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.youtube8m import (
    CLASSES,
    FEATURE_DIMS,
    FeatureClassifier,
    attention_over_frames,
    dequantized,
    frame_mask,
)


class ShiftingAttention(nn.Layer):
    """Attentions over frames: features (N, T, F) to (N, clusters * F), of length 1 / sqrt(clusters) each.

    Args:
        features: F.
        clusters: how many attentions there are.
    """

    def __init__(self, features: int, clusters: int) -> None:
        super().__init__()
        self.clusters = clusters
        self.conv: Any = nn.Conv2D(features, clusters, 1, weight_attr=ParamAttr(initializer=KaimingNormal()))
        shift = Normal(0.0, clusters**-0.25)
        self.shift_w = self.create_parameter([clusters], default_initializer=shift)
        self.shift_b = self.create_parameter([clusters], default_initializer=shift)

    def forward(self, x: Any, mask: Any) -> Any:
        """Return the clusters' vectors, one after the other.

        Args:
            x: float32 (N, T, F).
            mask: which frames there are, bool (N, T).
        """
        scores = F.linear(x, self.conv.weight.flatten(1).t(), self.conv.bias).transpose([0, 2, 1])
        weights = attention_over_frames(scores, mask.unsqueeze(1), axis=2)
        sums = core.bmm(weights, x) * self.shift_w.unsqueeze(1) + self.shift_b.unsqueeze(1)
        return (F.normalize(sums, axis=2) * self.clusters**-0.5).flatten(1)


class AttentionCluster(FeatureClassifier):
    """Features of frames to logits: see :meth:`FeatureClassifier.forward`.

    The published weights saw 100 frames drawn from each video.

    Args:
        class_num: how many classes there are.
        feature_dims: features of a frame, of pictures and of sound.
        cluster_nums: how many attentions each of the two has.
        hidden_sizes: of the two layers before the logits.
        drop_ratio: how much of the clusters' vectors is dropped in training.

    Raises:
        ValueError: a number is not positive, or there are not two.
    """

    head_names = ("logistic",)

    def __init__(
        self,
        class_num: int = CLASSES,
        feature_dims: Sequence[int] = FEATURE_DIMS,
        cluster_nums: Sequence[int] = (32, 32),
        hidden_sizes: Sequence[int] = (1024, 4096),
        drop_ratio: float = 0.5,
    ) -> None:
        super().__init__(class_num, feature_dims)
        for name, numbers in (("cluster_nums", cluster_nums), ("hidden_sizes", hidden_sizes)):
            if len(numbers) != 2:
                raise ValueError(f"AttentionCluster: {name} must be two numbers, not {list(numbers)}")
        for number in (*cluster_nums, *hidden_sizes):
            positive_numbers("AttentionCluster", cluster_nums_and_hidden_sizes=number)
        for kind, (size, clusters) in enumerate(zip(feature_dims, cluster_nums)):
            self.add_sublayer(f"satt{kind}", ShiftingAttention(size, clusters))
        self.dropout = nn.Dropout(drop_ratio)
        width = sum(size * clusters for size, clusters in zip(feature_dims, cluster_nums))
        for name, received, returned in (
            ("fc1", width, hidden_sizes[0]),
            ("fc2", hidden_sizes[0], hidden_sizes[1]),
            ("logistic", hidden_sizes[1], class_num),
        ):
            self.add_sublayer(name, nn.Linear(received, returned, weight_attr=ParamAttr(initializer=KaimingNormal())))

    def forward(self, rgb: Any, audio: Any, lengths: Any) -> Any:
        """Return the logits, (N, class_num)."""
        self.check_features(rgb, audio)
        mask = frame_mask(rgb, lengths)
        parts = [self.satt0(dequantized(rgb), mask), self.satt1(dequantized(audio), mask)]
        x = self.dropout(core.concat(parts, axis=1))
        return self.logistic(core.tanh(self.fc2(core.tanh(self.fc1(x)))))


def attention_cluster(**settings: Any) -> AttentionCluster:
    """Return an AttentionCluster; settings as of :class:`AttentionCluster`."""
    return AttentionCluster(**settings)
