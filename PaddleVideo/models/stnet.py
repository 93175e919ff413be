"""StNet: images of several frames through a ResNet, with convolutions over time after two of its stages and at its end.

Paper: He et al., "StNet: local and global spatial-temporal modeling for action recognition", AAAI 2019,
https://arxiv.org/abs/1811.01549.
PaddleVideo 1.5 has the network and 2.x does not: parameter names of the backbone are those of PaddleVideo 2.3's ResNet,
the others this project's own; files of 1.x load by :meth:`StNet.older_names`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.nn.layer.checks import positive_numbers
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm, fully_connected
from PaddleClas.models.resnet import BLOCKS, positions
from PaddleVideo.models.base import ClipClassifier
from PaddleVideo.models.resnet import FrameResNet, fluid_names, of_classifier

TEMPORAL_STAGES = (1, 2)
"""After which stages of the ResNet a convolution over time comes."""

_FLUID_NORM = {"w_0": "weight", "b_0": "bias", "w_1": "_mean", "w_2": "_variance"}


class TemporalBlock(nn.Layer):
    """A convolution over three segments whose activation comes before its normalisation, plus a shortcut.

    Args:
        channels: of the maps.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv3D(channels, channels, (3, 1, 1), padding=(1, 0, 0))
        self.bn = nn.BatchNorm3D(channels)

    def forward(self, x: Any, segments: Any) -> Any:
        """Return the feature maps.

        Args:
            x: of the segments of all clips, (N * segments, C, H, W).
            segments: of each clip.
        """
        _, channels, height, width = x.shape
        volume = x.reshape([-1, segments, channels, height, width]).transpose([0, 2, 1, 3, 4])
        volume = self.bn(F.relu(self.conv(volume))) + volume
        return volume.transpose([0, 2, 1, 3, 4]).reshape([-1, channels, height, width])


class TemporalXception(nn.Layer):
    """Separable convolutions over segments, plus a shortcut: (N, C, S) to (N, C / 2, S).

    Args:
        channels: C.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        half = channels // 2
        self.bn = nn.BatchNorm2D(channels)
        self.att_conv = nn.Conv2D(channels, channels, (3, 1), padding=(1, 0), groups=channels)
        self.att_2 = nn.Conv2D(channels, half, 1)
        self.bndw = nn.BatchNorm2D(half)
        self.att1 = nn.Conv2D(half, half, (3, 1), padding=(1, 0), groups=half)
        self.att1_2 = nn.Conv2D(half, half, 1)
        self.dw = nn.Conv2D(channels, half, 1)
        self.bn2 = nn.BatchNorm2D(half)

    def forward(self, x: Any) -> Any:
        """Return the features of the segments."""
        x = self.bn(x.unsqueeze(3))
        branch = self.att1_2(self.att1(F.relu(self.bndw(self.att_2(self.att_conv(x))))))
        return F.relu(self.bn2(self.dw(x) + branch)).squeeze(3)


class StNetBackbone(FrameResNet):
    """A ResNet of images with ``3 * seglen`` channels, and two convolutions over time.

    Args:
        depth: 50, 101 or 152 layers with weights.
        seglen: frames of an image.
        width: channels of the first stage.
    """

    def __init__(self, depth: int, seglen: int, width: int) -> None:
        super().__init__(depth, width=width)
        self.conv = ConvBatchNorm(
            3 * seglen, width, 7, 2, activation=F.relu, names=EARLIER_NAMES, initializer=KaimingNormal()
        )
        last = {stage: number for number, (stage, _, _) in enumerate(positions(depth))}
        self.temporal_names = {self.block_names[last[stage]]: f"temporal{stage + 2}" for stage in TEMPORAL_STAGES}
        for stage, name in zip(TEMPORAL_STAGES, self.temporal_names.values()):
            self.add_sublayer(name, TemporalBlock(4 * width * 2**stage))

    def maps(self, x: Any, segments: Any) -> Any:
        """Return the feature maps of the segments, (N * segments, C, H / 32, W / 32)."""
        x = F.max_pool2d(self.conv(x), 3, 2, padding=1)
        for name in self.block_names:
            x = getattr(self, name)(x)
            if name in self.temporal_names:
                x = getattr(self, self.temporal_names[name])(x, segments)
        return x


class StNetHead(nn.Layer):
    """A :class:`TemporalXception`, the maximum over segments and a linear layer: maps to logits (N, class_num)."""

    def __init__(self, in_channels: int, class_num: int) -> None:
        super().__init__()
        self.xception = TemporalXception(in_channels)
        self.fc = fully_connected(in_channels // 2, class_num)

    def forward(self, maps: Any, segments: Any) -> Any:
        """Return the logits."""
        features = maps.mean([2, 3]).reshape([-1, segments, maps.shape[1]]).transpose([0, 2, 1])
        return self.fc(self.xception(features).max(2))


class StNet(ClipClassifier):
    """Clips to logits: (N, segments * seglen, 3, H, W) to (N, class_num).

    A clip may have any number of segments: the published network was trained with 7 and tested with 25.

    Args:
        depth: 50, 101 or 152 layers with weights.
        class_num: number of classes.
        seglen: frames of a segment, which follow each other.
        width: channels of the first stage; 64 in the published network.

    Raises:
        ValueError: there is no such depth, or a number is not positive.
    """

    def __init__(self, depth: int = 50, class_num: int = 400, seglen: int = 5, width: int = 64) -> None:
        super().__init__()
        positive_numbers("StNet", class_num=class_num, seglen=seglen)
        if depth not in (50, 101, 152):
            raise ValueError(f"StNet has 50, 101 or 152 layers, not {depth}")
        self.depth, self.class_num, self.seglen = depth, class_num, seglen
        self.backbone = StNetBackbone(depth, seglen, width)
        self.head = StNetHead(self.backbone.out_channels, class_num)

    def forward(self, clips: Any) -> Any:
        """Return the logits, (N, class_num).

        Raises:
            ValueError: the number of frames is no multiple of ``seglen``.
        """
        _, frames, channels, height, width = clips.shape
        if frames % self.seglen:
            raise ValueError(f"StNet takes clips whose frames are a multiple of {self.seglen}, not {frames}")
        segments = frames // self.seglen
        images = clips.reshape([-1, self.seglen * channels, height, width])
        return self.head(self.backbone.maps(images, segments), segments)

    def older_names(self) -> Mapping[str, str]:
        """Return the names of variables in files of Fluid 1.x, and what they are called here.

        Those of the convolutions over time have no names of their own there: they are numbered as the program makes
        them, normalisations counted with those of the ResNet.
        """
        names = {older: f"backbone.{name}" for older, name in fluid_names(self.depth).items()}
        counts = [3 * blocks + 1 for blocks in BLOCKS[self.depth]]  # of normalisations in each stage
        number = 1 + counts[0]
        for index, stage in enumerate(TEMPORAL_STAGES):
            number += counts[stage]
            ours = f"backbone.temporal{stage + 2}"
            names.update({f"conv3d_{index}.w_0": f"{ours}.conv.weight", f"conv3d_{index}.b_0": f"{ours}.conv.bias"})
            names.update({f"batch_norm_{number}.{kind}": f"{ours}.bn.{name}" for kind, name in _FLUID_NORM.items()})
            number += 1
        for layer in ("att_conv", "att_2", "att1", "att1_2", "dw"):
            for kind, name in (("w_0", "weight"), ("b_0", "bias")):
                names[f"xception_{layer}.{kind}"] = f"head.xception.{layer}.{name}"
        for layer in ("bn", "bndw", "bn2"):
            names.update({f"xception_{layer}.{k}": f"head.xception.{layer}.{name}" for k, name in _FLUID_NORM.items()})
        return {**names, "fc_0.w_0": "head.fc.weight", "fc_0.b_0": "head.fc.bias"}

    def of_classifier(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the weights of a ResNet of PaddleClas under the names of the backbone.

        The first kernel is the mean over colours, repeated for all channels of all frames and divided by the frames.
        """
        prefix, kernel = "backbone.", "conv._conv.weight"
        bare = {name[len(prefix) :] if name.startswith(prefix) else name: value for name, value in values.items()}
        if any(name.startswith("temporal") for name in bare):
            return {}
        with core.LazyGuard():
            frames = FrameResNet(self.depth)
        found = of_classifier(self.depth, frames, bare)
        if found:
            mean = np.asarray(found[kernel]).mean(axis=1, keepdims=True) / self.seglen
            found[kernel] = np.repeat(mean.astype(np.float32), 3 * self.seglen, axis=1)
        return {f"{prefix}{name}": value for name, value in found.items()}


def stnet_r50(**settings: Any) -> StNet:
    """Return StNet on ResNet-50; settings as of :class:`StNet`."""
    return StNet(50, **settings)


def stnet_r101(**settings: Any) -> StNet:
    """Return StNet on ResNet-101; settings as of :class:`StNet`."""
    return StNet(101, **settings)
