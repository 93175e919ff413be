"""ResNets whose kernels reach over time, inflated from those of images: the backbone of I3D and of Non-local networks.

Papers: Carreira and Zisserman, "Quo vadis, action recognition? A new model and the Kinetics dataset", CVPR 2017,
https://arxiv.org/abs/1705.07750; Wang et al., "Non-local neural networks", CVPR 2018, https://arxiv.org/abs/1711.07971.
Source of parameter names: PaddleVideo 2.3, ResNet3d.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

import core
from core import nn
from core.nn import functional as F
from PaddleVideo.models.resnet import FrameResNet, fluid_block_names, fluid_names, of_classifier
from PaddleVideo.models.volumes import ConvBatchNorm3D

BLOCKS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
"""Number of residual blocks in each of the four stages, by the number of layers with weights."""

_PARTS = {"conv0": "conv1", "conv1": "conv2", "conv2": "conv3", "short": "downsample"}
"""What the layers of a block are called in :class:`FrameResNet`, and here."""


class Bottleneck3D(nn.Layer):
    """Convolutions over time, over pixels and over channels, plus a shortcut: (N, C, T, H, W) to (N, 4 * width, ...).

    Args:
        in_channels: C.
        width: channels within the branch.
        length: kernel size along time.
        strides: steps along time and along pixels.
    """

    def __init__(self, in_channels: int, width: int, length: int = 1, strides: tuple[int, int] = (1, 1)) -> None:
        super().__init__()
        time, pixels = strides
        self.conv1 = ConvBatchNorm3D(in_channels, width, (length, 1, 1))
        self.conv2 = ConvBatchNorm3D(width, width, (1, 3, 3), (time, pixels, pixels))
        self.conv3 = ConvBatchNorm3D(width, 4 * width, (1, 1, 1), relu=False, scale=0.0)
        self.downsample: Optional[ConvBatchNorm3D] = None
        if pixels != 1 or in_channels != 4 * width:
            self.downsample = ConvBatchNorm3D(in_channels, 4 * width, (1, 1, 1), (time, pixels, pixels), relu=False)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        short = x if self.downsample is None else self.downsample(x)
        return F.relu(self.conv3(self.conv2(self.conv1(x))) + short)


class ResNet3D(nn.Layer):
    """A stem and four stages of blocks: clips (N, 3, T, H, W) to maps (N, 32 * base_channels, T', H / 32, W / 32).

    Args:
        depth: 50, 101 or 152 layers with weights.
        stem_length: kernel size along time of the first convolution.
        lengths: kernel sizes along time, of each block of each stage; one number for all blocks of a stage.
        base_channels: of the stem.
        strides: steps along time of the first block of each stage.
        pool_padding: pixels around the maps that are pooled after the stem.
        halve_time: whether a pooling after the first stage halves T.
        after_block: makes a layer that follows a block, of the stage, the block's number and its channels; or None.
        blocks: number of blocks of each stage, in place of the depth's.

    Raises:
        ValueError: there is no such depth.
    """

    def __init__(
        self,
        depth: int,
        stem_length: int,
        lengths: Sequence[Any],
        base_channels: int = 64,
        strides: Sequence[int] = (1, 1, 1, 1),
        pool_padding: int = 1,
        halve_time: bool = True,
        after_block: Callable[[int, int, int], Optional[nn.Layer]] = lambda stage, number, channels: None,
        blocks: Optional[Sequence[int]] = None,
    ) -> None:
        super().__init__()
        if depth not in BLOCKS:
            raise ValueError(f"a ResNet of clips has {', '.join(map(str, BLOCKS))} layers, not {depth}")
        self.depth = depth
        self.pool_padding = pool_padding
        self.halve_time = halve_time
        self.counts = tuple(blocks or BLOCKS[depth])
        self.conv1 = ConvBatchNorm3D(3, base_channels, (stem_length, 7, 7), (1, 2, 2))
        received = base_channels
        for stage, count in enumerate(self.counts):
            width = base_channels * 2**stage
            sizes = [lengths[stage]] * count if isinstance(lengths[stage], int) else lengths[stage]
            layers: list[nn.Layer] = []
            for number, length in zip(range(count), sizes):
                first = (strides[stage], 2 if stage else 1)
                layers.append(Bottleneck3D(received, width, length, (1, 1) if number else first))
                received = 4 * width
                further = after_block(stage, number, received)
                if further is not None:
                    layers[-1].add_sublayer("non_local_block", further)
            self.add_sublayer(f"layer{stage + 1}", nn.Sequential(*layers))
        self.out_channels = received

    def forward(self, x: Any) -> Any:
        """Return the feature maps of the last stage."""
        pad = self.pool_padding
        x = F.max_pool3d(self.conv1(x), (1, 3, 3), (1, 2, 2), (0, pad, pad))
        for stage in range(len(self.counts)):
            for block in getattr(self, f"layer{stage + 1}"):
                x = block(x)
                if hasattr(block, "non_local_block"):
                    x = block.non_local_block(x)
            if stage == 0 and self.halve_time:
                x = F.max_pool3d(x, (2, 1, 1), (2, 1, 1))
        return x

    def frame_names(self) -> dict[str, str]:
        """Return the names of :class:`FrameResNet`'s layers, and what they are called here, without the last parts."""
        names = {"conv": "conv1"}
        blocks = [(stage, number) for stage, count in enumerate(BLOCKS[self.depth]) for number in range(count)]
        for older, (stage, number) in zip(fluid_block_names(self.depth), blocks):
            if number < self.counts[stage]:
                names.update({f"{older}.{part}": f"layer{stage + 1}.{number}.{ours}" for part, ours in _PARTS.items()})
        return names

    def older_names(self) -> dict[str, str]:
        """Return the variables of an image ResNet in files of Fluid 1.x, and what they are called here."""
        return _renamed(self.frame_names(), {name: older for older, name in fluid_names(self.depth).items()}, True)

    def of_classifier(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the weights of an image ResNet, spread over time; {} of another network.

        A kernel of three frames holds a third of the image kernel in each, so that a clip whose frames are equal gives
        what the image gives.

        Args:
            values: arrays by their names in PaddleClas, or by :meth:`older_names` of this network.
        """
        with core.LazyGuard():
            frames = FrameResNet(self.depth)
        found = _renamed(self.frame_names(), of_classifier(self.depth, frames, values)) or dict(values)
        kernel = found.get("conv1._conv.weight")
        if kernel is None or kernel.ndim != 4:
            return {}
        shapes = {name: tuple(tensor.shape) for name, tensor in self.state_dict().items()}
        return {name: inflated(found[name], shape) for name, shape in shapes.items() if name in found}


def _renamed(names: Mapping[str, str], values: Mapping[str, Any], turned: bool = False) -> dict[str, Any]:
    """Return values by the names of this file; turned, values that are names, and the names they stand for."""
    found = {}
    for name, value in values.items():
        layer, _, last = name.rpartition(".")
        layer, _, part = layer.rpartition(".")
        if layer in names:
            ours = f"{names[layer]}.{part}.{last}"
            found[value if turned else ours] = ours if turned else value
    return found


def inflated(value: Any, shape: Sequence[int]) -> Any:
    """Return the kernel of an image network spread over time, so that its sum over time is the kernel.

    Args:
        value: a kernel (out, in, height, width), or an array that stays as it is.
        shape: of the result; of a kernel (out, in, time, height, width).
    """
    if len(shape) != 5 or value.ndim != 4:
        return value
    return np.repeat(np.asarray(value)[:, :, None] / np.float32(shape[2]), shape[2], axis=2)
