"""Residual networks for the frames of a clip: the backbones of TSN, TSM, PP-TSN and PP-TSM.

Papers: He et al., "Deep residual learning for image recognition", CVPR 2016, https://arxiv.org/abs/1512.03385; Lin,
Gan, Han, "TSM: temporal shift module for efficient video understanding", ICCV 2019, https://arxiv.org/abs/1811.08383.
Source of parameter names: PaddleVideo 2.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm
from PaddleClas.models.resnet import BasicBlock, BottleneckBlock, ResidualBlock, positions


class Shifted(ResidualBlock):
    """A residual block whose branch sees, in part of its channels, the frames before and after; a mixin.

    Of each clip's frames the first channels are those of the frame before, as many further ones those of the frame
    after, and the rest stays. (The code of the paper's authors has the two directions the other way round.)

    Args:
        num_seg: how many frames a clip has.
        shift_ratio: the share of the channels that comes from either side.
    """

    def __init__(self, *args: Any, num_seg: int, shift_ratio: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.num_seg = num_seg
        self.shift_ratio = shift_ratio

    def branch(self, x: Any) -> Any:
        """Return what is added to the shortcut."""
        return super().branch(F.temporal_shift(x, self.num_seg, self.shift_ratio))


class ShiftedBasicBlock(Shifted, BasicBlock):
    """Two 3 x 3 convolutions behind a temporal shift."""


class ShiftedBottleneckBlock(Shifted, BottleneckBlock):
    """1 x 1, 3 x 3 and 1 x 1 convolutions behind a temporal shift."""


class FrameResNet(nn.Layer):
    """A stem and four stages of residual blocks: frames (N, 3, H, W) to feature maps (N, C, H / 32, W / 32).

    Args:
        depth: 18, 34, 50, 101, 152 or 200 layers with weights.
        shift: frames in a clip, and the share of channels that each block takes from the frame before, and from that
            after; None for blocks that see one frame.
        deep_stem: three convolutions of 3 x 3 pixels in place of one of 7 x 7.
        pooled: whether stages 2 to 4 begin with a shortcut that averages 2 x 2 pixels.
        block_names: the names of the blocks, stage by stage; those of Fluid 1.x by default.
        activation: the function of all activations.
        decay_norm: whether weight decay reaches scales and offsets of normalisations.
        width: channels of the first stage; official weights have 64.

    Attributes:
        out_channels: C.
    """

    def __init__(
        self,
        depth: int,
        shift: Optional[tuple[int, float]] = None,
        deep_stem: bool = False,
        pooled: bool = False,
        block_names: Optional[Sequence[str]] = None,
        activation: Callable[[Any], Any] = F.relu,
        decay_norm: bool = True,
        width: int = 64,
    ) -> None:
        super().__init__()
        if width < 8 or width % 2:
            raise ValueError(f"width must be an even number of channels, at least 8, not {width}")
        common: dict[str, Any] = {"names": EARLIER_NAMES, "initializer": KaimingNormal(), "decay_norm": decay_norm}
        stem = {"conv": (3, width, 7, 2)}
        if deep_stem:
            half = width // 2
            stem = {"conv1_1": (3, half, 3, 2), "conv1_2": (half, half, 3, 1), "conv1_3": (half, width, 3, 1)}
        for name, sizes in stem.items():
            self.add_sublayer(name, ConvBatchNorm(*sizes, activation=activation, **common))
        self.stem_names = tuple(stem)
        self.block_names = tuple(block_names or fluid_block_names(depth))
        bottleneck = depth >= 50
        kind: type[ResidualBlock] = BottleneckBlock if bottleneck else BasicBlock
        options = {**common, "activation": activation}
        if shift is not None:
            kind = ShiftedBottleneckBlock if bottleneck else ShiftedBasicBlock
            options.update(num_seg=shift[0], shift_ratio=shift[1])
        for name, (stage, number, in_channels) in zip(self.block_names, positions(depth)):
            first = "pool" if pooled and stage else "conv"
            stride = 2 if stage and not number else 1
            shortcut = "identity" if number else first
            block = kind(in_channels * width // 64, width * 2**stage, stride, shortcut, **options)
            self.add_sublayer(name, block)
            self.out_channels = block.out_channels

    def forward(self, x: Any) -> Any:
        """Return the feature maps of the last stage."""
        for name in self.stem_names:
            x = getattr(self, name)(x)
        x = F.max_pool2d(x, 3, 2, padding=1)
        for name in self.block_names:
            x = getattr(self, name)(x)
        return x


def fluid_block_names(depth: int) -> list[str]:
    """Return the names of a ResNet's blocks in files of Fluid 1.x: res2a, res2b, ... res5c.

    Args:
        depth: layers with weights.
    """
    long = depth >= 101  # whose third stage has more blocks than there are letters
    return [
        f"res{stage + 2}{f'b{number}' if long and stage == 2 and number else chr(97 + number)}"
        for stage, number, _ in positions(depth)
    ]


_FLUID_NORM = {"weight": "scale", "bias": "offset", "_mean": "mean", "_variance": "variance"}


def fluid_names(depth: int) -> dict[str, str]:
    """Return the variables of a ResNet in files of Fluid 1.x, and their names in :class:`FrameResNet`.

    Args:
        depth: layers with weights; the stem is that of one convolution.
    """
    branches = {"conv0": "branch2a", "conv1": "branch2b", "conv2": "branch2c", "short": "branch1"}
    layers = {"conv": ("conv1", "bn_conv1")}
    for block, (_, number, _) in zip(fluid_block_names(depth), positions(depth)):
        for part, branch in branches.items():
            if (depth >= 50 or part != "conv2") and (number == 0 or part != "short"):
                layers[f"{block}.{part}"] = (f"{block}_{branch}", f"bn{block[3:]}_{branch}")
    names = {}
    for layer, (convolution, norm) in layers.items():
        names[f"{convolution}_weights"] = f"{layer}._conv.weight"
        names.update({f"{norm}_{older}": f"{layer}._batch_norm.{ours}" for ours, older in _FLUID_NORM.items()})
    return names


def of_classifier(depth: int, network: FrameResNet, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the weights of a ResNet of PaddleClas under the names of the backbone; {} of another network.

    Args:
        depth: of the backbone.
        network: the backbone.
        values: arrays by their names in PaddleClas, either those of its release 2.2 or those before.
    """
    layers = {f"stem.{number}": name for number, name in enumerate(network.stem_names)}
    layers.update({name: name for name in network.stem_names})
    earlier = [f"bb_{stage}_{number}" for stage, number, _ in positions(depth)]
    for number, name in enumerate(network.block_names):
        layers.update({f"blocks.{number}": name, earlier[number]: name, name: name})
    found = {}
    for name, value in values.items():
        for layer, ours in layers.items():
            if name.startswith(f"{layer}."):
                inner = name[len(layer) + 1 :].replace("bn.", "_batch_norm.")
                inner = re.sub(r"(^|\.)conv\.", r"\1_conv.", inner)
                found[f"{ours}.{inner}"] = value
    return found if found.keys() >= network.state_dict().keys() else {}


