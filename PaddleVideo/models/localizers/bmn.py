"""BMN: scores for every begin and duration in a video at once, from features sampled along each of these intervals.

Paper: Lin et al., "BMN: boundary-matching network for temporal action proposal generation", ICCV 2019,
https://arxiv.org/abs/1907.09702.
Source of parameter names: PaddleVideo 2.3, BMN. What becomes of the scores is in proposals.py, the loss in bmn_loss.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.base import VideoNetwork, along_time
from PaddleVideo.models.localizers.bmn_loss import BMNLoss

_FLUID = {
    **{"b_conv1": "Base_1", "b_conv2": "Base_2", "ts_conv1": "TEM_s1", "ts_conv2": "TEM_s2", "te_conv1": "TEM_e1"},
    **{"te_conv2": "TEM_e2", "p_conv1": "PEM_1d", "p_conv3d1": "PEM_3d1", "p_conv2d1": "PEM_2d1"},
    **{"p_conv2d2": "PEM_2d2", "p_conv2d3": "PEM_2d3", "p_conv2d4": "PEM_2d4"},
}
"""Layers, and the beginnings of their variables' names in files of Fluid 1.x."""


def intervals(tscale: int, dscale: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the intervals that lie within a video: first steps and durations - 1, int64 (K,) each, durations first."""
    durations, starts = np.mgrid[:dscale, :tscale]
    within = starts + durations < tscale
    return starts[within], durations[within]


def sampling_weights(tscale: int, dscale: int, ratio: float, samples: int, per_bin: int) -> np.ndarray:
    """Return how much each step of a video counts in each sample of each interval, float32 (samples, tscale, K).

    An interval and ``ratio`` of its length on both sides are cut into equal parts. Each sample is the mean of so many
    places, and the features at a place are those of the steps around it, interpolated linearly. What lies outside of
    the video counts as 0, but within one step before it as the first step.

    Args:
        tscale: steps of a video.
        dscale: longest duration.
        ratio: how much is looked at around an interval.
        samples: number of samples.
        per_bin: places of each.
    """
    starts, durations = intervals(tscale, dscale)
    lengths = durations + 1.0
    first, last = starts - lengths * ratio, starts + durations + lengths * ratio
    step = (last - first) / (samples * per_bin - 1.0)
    weights = np.zeros((samples, tscale, len(starts)))
    sample, column = np.mgrid[:samples, : len(starts)]
    for number in range(per_bin):
        places = first + step * (np.arange(samples)[:, None] * per_bin + number)
        share, lower = np.modf(places)
        for index, part in ((lower, 1.0 - share), (np.ceil(places), share)):
            valid = (index >= 0) & (index < tscale)
            np.add.at(weights, (sample[valid], index[valid].astype(np.int64), column[valid]), part[valid] / per_bin)
    return weights.astype(np.float32)


class BMNBackbone(nn.Layer):
    """Features (N, feat_dim, tscale) to maps and boundary scores; arguments as of :class:`BMN`."""

    def __init__(
        self, tscale: int, dscale: int, ratio: float, samples: int, per_bin: int, feat_dim: int, width: int
    ) -> None:
        super().__init__()
        self.tscale, self.dscale, self.samples, self.width = tscale, dscale, samples, width
        half = width // 2
        self.b_conv1 = along_time(feat_dim, width, 3, 4)
        self.b_conv2 = along_time(width, width, 3, 4)
        self.ts_conv1, self.ts_conv2 = along_time(width, width, 3, 4), along_time(width, 1, 1)
        self.te_conv1, self.te_conv2 = along_time(width, width, 3, 4), along_time(width, 1, 1)
        self.p_conv1 = along_time(width, half, 3)
        self.p_conv3d1: Any = nn.Conv3D(half, 2 * width, (samples, 1, 1), (samples, 1, 1))
        self.p_conv2d1 = nn.Conv2D(2 * width, half, 1)
        self.p_conv2d2 = nn.Conv2D(half, half, 3, padding=1)
        self.p_conv2d3 = nn.Conv2D(half, half, 3, padding=1)
        self.p_conv2d4 = nn.Conv2D(half, 2, 1)
        weights = sampling_weights(tscale, dscale, ratio, samples, per_bin)
        self.register_buffer("weights", core.to_tensor(weights.reshape(samples * tscale, -1)), persistable=False)
        places = np.full((dscale, tscale), weights.shape[2], np.int64)  # the last column is of no interval
        starts, durations = intervals(tscale, dscale)
        places[durations, starts] = np.arange(weights.shape[2])
        self.register_buffer("places", core.to_tensor(places.ravel()), persistable=False)

    def sampled(self, x: Any) -> Any:
        """Return what the samples of every interval add up to, (N, 2 * width, dscale, tscale).

        The official network samples first and sums with a 3-D convolution, which has one kernel for each sample. Sums
        may change places: here each kernel is applied to all steps before they are sampled, for intervals within the
        video alone, with a third of the multiplications and without samples in memory.
        """
        channels = 2 * self.width
        kernel = self.p_conv3d1.weight.flatten(2).transpose([0, 2, 1]).reshape([channels * self.samples, -1])
        summed = core.matmul(kernel, x).reshape([-1, channels, self.samples * self.tscale])
        found = core.matmul(summed, self.weights)
        found = core.concat([found, core.zeros_like(found[:, :, :1])], axis=2)
        found = core.index_select(found, self.places, axis=2) + self.p_conv3d1.bias.unsqueeze(1)
        return found.reshape([-1, channels, self.dscale, self.tscale])

    def forward(self, features: Any) -> tuple[Any, Any, Any]:
        """Return the boundary-matching maps and the scores of begins and ends; see :class:`BMN`."""
        x = F.relu(self.b_conv2(F.relu(self.b_conv1(features))))
        starts = F.sigmoid(self.ts_conv2(F.relu(self.ts_conv1(x)))).squeeze(1)
        ends = F.sigmoid(self.te_conv2(F.relu(self.te_conv1(x)))).squeeze(1)
        maps = F.relu(self.p_conv2d1(F.relu(self.sampled(F.relu(self.p_conv1(x))))))
        maps = F.relu(self.p_conv2d3(F.relu(self.p_conv2d2(maps))))
        return F.sigmoid(self.p_conv2d4(maps)), starts, ends


class BMN(VideoNetwork):
    """Features of a video to scores of intervals, all between 0 and 1.

    Args:
        tscale: steps of a video; longer and shorter ones are resampled to it.
        dscale: longest duration, steps.
        prop_boundary_ratio: how much is looked at around an interval, of its length.
        num_sample: samples taken of each interval.
        num_sample_perbin: places of each sample.
        feat_dim: features of a step.
        width: channels of the base module, 256 in the published network; of the layer that sums the samples up twice
            as many, and of the maps half as many.

    Raises:
        ValueError: a number is not positive, a duration is longer than the video, or groups do not divide channels.
    """

    def __init__(
        self,
        tscale: int = 100,
        dscale: int = 100,
        prop_boundary_ratio: float = 0.5,
        num_sample: int = 32,
        num_sample_perbin: int = 3,
        feat_dim: int = 400,
        width: int = 256,
    ) -> None:
        super().__init__()
        positive_numbers(
            "BMN", tscale=tscale, dscale=dscale, num_sample=num_sample, num_sample_perbin=num_sample_perbin
        )
        positive_numbers("BMN", feat_dim=feat_dim, width=width)
        if dscale > tscale:
            raise ValueError(f"BMN: dscale {dscale} is longer than a video, tscale {tscale}")
        for name, number in (("feat_dim", feat_dim), ("width", width)):
            if number % 4:
                raise ValueError(f"BMN: {name} must be a multiple of 4, as convolutions have 4 groups, not {number}")
        self.feat_dim, self.tscale, self.dscale = feat_dim, tscale, dscale
        self.backbone = BMNBackbone(tscale, dscale, prop_boundary_ratio, num_sample, num_sample_perbin, feat_dim, width)
        self.loss = BMNLoss(tscale, dscale)

    def forward(self, features: Any) -> tuple[Any, Any, Any]:
        """Return what is found.

        Args:
            features: float32 (N, feat_dim, tscale).

        Returns:
            Maps (N, 2, dscale, tscale): of the interval of d + 1 steps that begins with step t its overlap with an
            action, once as a number and once as a class; how likely an action begins, (N, tscale), and ends at a step.

        Raises:
            ValueError: the features have another size.
        """
        if list(features.shape[1:]) != [self.feat_dim, self.tscale]:
            raise ValueError(f"BMN takes features (N, {self.feat_dim}, {self.tscale}), not {list(features.shape)}")
        return self.backbone(features)

    def older_names(self) -> Mapping[str, str]:
        """Return the names of variables in files of Fluid 1.x, and what they are called here."""
        kinds = {"w": "weight", "b": "bias"}
        return {
            f"{older}_{letter}": f"backbone.{layer}.{kind}"
            for layer, older in _FLUID.items()
            for letter, kind in kinds.items()
        }


def bmn(**settings: Any) -> BMN:
    """Return a BMN; settings as of :class:`BMN`."""
    return BMN(**settings)
