"""NeXtVLAD: descriptors of clusters, which the frames' features are assigned to in groups of channels.

Paper: Lin, Xiao and Fan, "NeXtVLAD: an efficient neural network to aggregate frame-level features for large-scale video
classification", ECCV 2018 workshops, https://arxiv.org/abs/1811.05014. Widths are those of PaddleVideo 1.5; PaddleVideo
2.x does not have the network, so parameter names are this project's own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

import core
from core import nn
from core.io.array_file import read_array
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.youtube8m import (
    CLASSES,
    FEATURE_DIMS,
    FeatureClassifier,
    dequantized,
    frame_mask,
)


class FrameBatchNorm(nn.BatchNorm1D):
    """Batch normalisation over the frames that there are: (N, T, C) to the same shape.

    Frames beyond a video's end move no statistics, so that the padding of a batch changes nothing.
    """

    def forward(self, x: Any, mask: Any = None) -> Any:
        """Return the normalised features.

        Args:
            x: (N, T, C).
            mask: which frames there are, of x's dtype, (N, T, 1); None: all.
        """
        mean: Any = self._mean
        variance: Any = self._variance
        scale, bias = self.weight, self.bias
        if not self.training:
            return (x - mean) * (core.rsqrt(variance + self._epsilon) * scale) + bias
        mask = core.ones_like(x[:, :, 0]) if mask is None else mask.squeeze(2)
        return F.masked_batch_norm(x, mask, mean, variance, scale, bias, self._momentum, self._epsilon)


class NeXtVLADLayer(nn.Layer):
    """Features of frames (N, T, F) to descriptors (N, F * expansion / groups * clusters).

    Args:
        features: F.
        clusters: how many cluster centres there are.
        groups: groups of channels, each assigned by itself and weighed by an attention.
        expansion: how much wider the features are made first.
    """

    def __init__(self, features: int, clusters: int, groups: int, expansion: int) -> None:
        super().__init__()
        self.clusters = clusters
        self.groups = groups
        self.width = features * expansion // groups
        self.fc_expansion = nn.Linear(features, features * expansion)
        self.fc_attention = nn.Linear(features * expansion, groups)
        self.cluster_weights = self.create_parameter(
            [features * expansion, groups * clusters], default_initializer=KaimingNormal()
        )
        self.cluster_bn = FrameBatchNorm(groups * clusters)
        self.cluster_weights2 = self.create_parameter([1, self.width, clusters], default_initializer=KaimingNormal())
        self.vlad_bn = nn.BatchNorm1D(self.width * clusters)

    def forward(self, x: Any, mask: Any) -> Any:
        """Return the descriptors, for each channel of a group those of all clusters.

        Args:
            x: float32 (N, T, F).
            mask: which frames there are, float32 (N, T, 1).
        """
        wide = self.fc_expansion(x)
        many = self.training and x.shape[0] * x.shape[1] > 2 * x.shape[2]
        attention, scores = self._scores(x) if many else self._scores_of_wide(wide)
        attention = (F.sigmoid(attention) * mask).reshape([0, -1, 1])
        scores = self.cluster_bn(scores, mask).reshape([x.shape[0], -1, self.clusters])
        assignment = F.softmax(scores, axis=2) * core.matmul(attention, core.ones_like(scores[:1, :1]))
        grouped = wide.reshape([x.shape[0], -1, self.width])
        sums = core.matmul(grouped, assignment, transpose_x=True)
        total = core.matmul(core.ones_like(attention), assignment, transpose_x=True)
        vlad = sums - total * self.cluster_weights2
        return self.vlad_bn(F.normalize(vlad, axis=1).flatten(1))

    def _scores_of_wide(self, wide: Any) -> tuple[Any, Any]:
        """Return what attention and assignment are made of, (N, T, groups) and (N, T, groups * clusters)."""
        return self.fc_attention(wide), core.matmul(wide, self.cluster_weights)

    def _scores(self, x: Any) -> tuple[Any, Any]:
        """Return the same from the features themselves, by products of the weights.

        Where frames are many more than features, each product with them, forward and backward, is half as large, and
        the widened features get one gradient less.
        """
        bias: Any = self.fc_expansion.bias
        weights, bias = self.fc_expansion.weight, bias.unsqueeze(0)
        attention, clusters = self.fc_attention.weight, self.cluster_weights
        shift = core.matmul(bias, attention).flatten() + self.fc_attention.bias
        scores = F.linear(x, core.matmul(weights, clusters), core.matmul(bias, clusters).flatten())
        return F.linear(x, core.matmul(weights, attention), shift), scores


class NeXtVLAD(FeatureClassifier):
    """Features of frames to logits: see :meth:`FeatureClassifier.forward`.

    Args:
        class_num: how many classes there are.
        feature_dims: features of a frame, of pictures and of sound.
        cluster_size: cluster centres of each of the two.
        groups: of channels.
        expansion: how much wider the features are made first.
        hidden_size: of the layer after the descriptors.
        gating_reduction: how much narrower the layer within the gate is.
        drop_ratio: how much of the descriptors is dropped in training.
        eigenvalues: the path of YouTube-8M's ``eigenvals.npy``, or the numbers, one for each feature of the pictures:
            features that are bytes are multiplied with their square roots, which undoes the whitening that the data
            set's authors did. Weight files hold them.

    Raises:
        ValueError: a number is not positive, groups do not divide the widths, or there are not as many eigenvalues.
        FileNotFoundError: there is no such file of eigenvalues.
    """

    head_names = ("logistic",)

    def __init__(
        self,
        class_num: int = CLASSES,
        feature_dims: Sequence[int] = FEATURE_DIMS,
        cluster_size: int = 128,
        groups: int = 8,
        expansion: int = 2,
        hidden_size: int = 2048,
        gating_reduction: int = 8,
        drop_ratio: float = 0.5,
        eigenvalues: Optional[Union[str, os.PathLike[str], Sequence[float]]] = None,
    ) -> None:
        super().__init__(class_num, feature_dims)
        positive_numbers(
            "NeXtVLAD", cluster_size=cluster_size, groups=groups, expansion=expansion, hidden_size=hidden_size
        )
        positive_numbers("NeXtVLAD", gating_reduction=gating_reduction)
        for size in feature_dims:
            if size * expansion % groups:
                raise ValueError(f"NeXtVLAD: {groups} groups do not divide {size} x {expansion} channels")
        self.register_buffer("rgb_scale", core.to_tensor(_scale(eigenvalues, feature_dims[0])))
        self.rgb_vlad = NeXtVLADLayer(feature_dims[0], cluster_size, groups, expansion)
        self.audio_vlad = NeXtVLADLayer(feature_dims[1], cluster_size, groups, expansion)
        self.dropout = nn.Dropout(drop_ratio)
        width = cluster_size * (self.rgb_vlad.width + self.audio_vlad.width)
        narrow = max(hidden_size // gating_reduction, 1)
        self.fc_hidden = nn.Linear(width, hidden_size, bias_attr=False)
        self.hidden_bn = nn.BatchNorm1D(hidden_size)
        self.fc_gate1 = nn.Linear(hidden_size, narrow, bias_attr=False)
        self.gate_bn = nn.BatchNorm1D(narrow)
        self.fc_gate2 = nn.Linear(narrow, hidden_size, bias_attr=False)
        self.logistic = nn.Linear(hidden_size, class_num)

    def forward(self, rgb: Any, audio: Any, lengths: Any) -> Any:
        """Return the logits, (N, class_num)."""
        self.check_features(rgb, audio)
        if rgb.dtype == core.uint8:  # without half a step here and with it below, as the published weights saw them
            rgb = dequantized(rgb, half_step=False) * self.rgb_scale
        audio = dequantized(audio)
        mask = frame_mask(rgb, lengths).astype(rgb.dtype).unsqueeze(2)
        x = core.concat([self.rgb_vlad(rgb, mask), self.audio_vlad(audio, mask)], axis=1)
        x = self.hidden_bn(self.fc_hidden(self.dropout(x)))
        gate = F.sigmoid(self.fc_gate2(F.relu(self.gate_bn(self.fc_gate1(x)))))
        return self.logistic(x * gate)


def _scale(eigenvalues: Optional[Union[str, os.PathLike[str], Sequence[float]]], count: int) -> np.ndarray:
    """Return what each feature of the pictures is multiplied with, float32 (count,)."""
    if eigenvalues is None:
        return np.ones(count, np.float32)
    if isinstance(eigenvalues, (str, os.PathLike)):
        numbers = np.asarray(read_array(eigenvalues))
    else:
        numbers = np.asarray(eigenvalues)
    numbers = np.ravel(numbers)
    if numbers.size != count or not (numbers >= 0).all():
        raise ValueError(f"NeXtVLAD: eigenvalues must be {count} numbers from 0, one for each feature of the pictures")
    return (np.sqrt(numbers) + 1e-4).astype(np.float32)


def nextvlad(**settings: Any) -> NeXtVLAD:
    """Return a NeXtVLAD; settings as of :class:`NeXtVLAD`."""
    return NeXtVLAD(**settings)
