"""BasicVSR: the frames of a video, four times as large, by features that travel through it in both directions.

Paper: Chan et al., "BasicVSR: The search for essential components in video super-resolution and beyond", CVPR 2021,
https://arxiv.org/abs/2012.02181
Source of parameter names: ppgan 2.1 (BasicVSRNet). A video that is its own mirror image in time has its flow computed
once there; here in both directions, as for any other.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.restoration.edvr_alignment import conv3, rectified
from PaddleGAN.models.restoration.residual import residual_blocks
from PaddleGAN.models.restoration.spynet import SPyNet, flow_warp

UPSAMPLED = 64
"""Channels of the largest feature maps, whatever the width of the others."""


class ResidualBlocksWithInputConv(nn.Layer):
    """A convolution and residual blocks: (N, in_channels, H, W) to (N, out_channels, H, W).

    Args:
        in_channels: of the input.
        out_channels: of the blocks.
        num_blocks: how many.
    """

    def __init__(self, in_channels: int, out_channels: int, num_blocks: int) -> None:
        super().__init__()
        self.covn1 = conv3(in_channels, out_channels)
        self.ResidualBlocks = residual_blocks(out_channels, num_blocks)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return self.ResidualBlocks(rectified(self.covn1(x)))


class PixelShufflePack(nn.Layer):
    """A convolution whose channels become pixels: (N, received, H, W) to (N, returned, 2 H, 2 W).

    Args:
        received: channels of the input.
        returned: channels of the result.
    """

    def __init__(self, received: int, returned: int) -> None:
        super().__init__()
        self.upsample_conv = conv3(received, 4 * returned)

    def forward(self, x: Any) -> Any:
        """Return the larger feature maps."""
        return F.pixel_shuffle(self.upsample_conv(x), 2)


class BasicVSRNet(nn.Layer):
    """Videos to larger ones: (N, frames, 3, H, W) to (N, frames, 3, 4 H, 4 W), 0 to 1.

    Args:
        mid_channels: channels of the feature maps.
        num_blocks: residual blocks of each direction.

    Attributes:
        scale: 4.
        reads_clips: that it takes any number of frames, and restores all of them.
        smallest: pixels of a side of the frames, at least.

    Raises:
        ValueError: a number is not positive.
    """

    scale = 4
    reads_clips = True
    smallest = 64

    def __init__(self, mid_channels: int = 64, num_blocks: int = 30) -> None:
        super().__init__()
        positive_numbers("BasicVSRNet", mid_channels=mid_channels, num_blocks=num_blocks)
        self.mid_channels = mid_channels
        self.spynet = SPyNet()
        self.backward_resblocks = ResidualBlocksWithInputConv(mid_channels + 3, mid_channels, num_blocks)
        self.forward_resblocks = ResidualBlocksWithInputConv(mid_channels + 3, mid_channels, num_blocks)
        self.fusion = nn.Conv2D(2 * mid_channels, mid_channels, 1)
        self.upsample1 = PixelShufflePack(mid_channels, mid_channels)
        self.upsample2 = PixelShufflePack(mid_channels, UPSAMPLED)
        self.conv_hr = conv3(UPSAMPLED, UPSAMPLED)
        self.conv_last = conv3(UPSAMPLED, 3)

    def forward(self, x: Any) -> Any:
        """Return the larger videos; their numbers may leave 0 to 1 a little."""
        shape = list(x.shape)
        if len(shape) != 5 or shape[2] != 3 or shape[1] < 2 or min(shape[3:]) < self.smallest:
            raise ValueError(
                f"BasicVSRNet takes videos (N, frames, 3, H, W) of two frames or more, of {self.smallest} x "
                f"{self.smallest} pixels or more, not {shape}"
            )
        count = shape[1]
        frames = [x[:, number] for number in range(count)]
        earlier, later = core.concat(frames[:-1], axis=0), core.concat(frames[1:], axis=0)
        to_later = core.split(self.spynet(earlier, later), count - 1, axis=0)
        to_earlier = core.split(self.spynet(later, earlier), count - 1, axis=0)

        nothing = core.zeros_like(frames[0][:, :1]).expand([-1, self.mid_channels, -1, -1])
        carried, backward = nothing, []
        for number in reversed(range(count)):
            if number < count - 1:
                carried = flow_warp(carried, to_later[number])
            carried = self.backward_resblocks(core.concat([frames[number], carried], axis=1))
            backward.append(carried)
        backward.reverse()

        carried, results = nothing, []
        for number, frame in enumerate(frames):
            if number:
                carried = flow_warp(carried, to_earlier[number - 1])
            carried = self.forward_resblocks(core.concat([frame, carried], axis=1))
            out = rectified(self.fusion(core.concat([backward[number], carried], axis=1)))
            out = rectified(self.upsample2(rectified(self.upsample1(out))))
            out = self.conv_last(rectified(self.conv_hr(out)))
            results.append(out + F.interpolate(frame, scale_factor=4, mode="bilinear", align_corners=False))
        return core.stack(results, axis=1)
