"""EDVR: a frame of a video from a window of frames around it, sharper or four times as large.

Paper: Wang et al., "EDVR: Video restoration with enhanced deformable convolutional networks", CVPR workshops 2019,
https://arxiv.org/abs/1905.02716
Source of parameter names: ppgan 2.1 (EDVRNet). There a loop aligns one frame after the other; here all frames of a
window are aligned at once. The weights start as in the paper; ppgan's training draws those of the residual blocks and
of the offsets anew.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.restoration.edvr_alignment import PCDAlign, conv3, doubled, rectified
from PaddleGAN.models.restoration.residual import ResidualBlockNoBN, residual_blocks

SCALE = 4
UPSAMPLED = 64
"""Channels of the enlarged feature maps, whatever the width of the others."""


class PredeblurResNetPyramid(nn.Layer):
    """Features of blurred frames at three sizes, brought together: (N, in_nf, H, W) to (N, nf, H, W).

    Args:
        in_nf: channels of the frames.
        nf: channels of the feature maps.
        HR_in: whether the features are a quarter of the frames' size.
    """

    def __init__(self, in_nf: int, nf: int, HR_in: bool) -> None:
        super().__init__()
        self.names = ("conv_first_1", "conv_first_2", "conv_first_3") if HR_in else ("conv_first",)
        for number, name in enumerate(self.names):
            setattr(self, name, conv3(in_nf if number == 0 else nf, nf, stride=1 if number == 0 else 2))
        for name in ("L1_1", "L1_2", "L1_3", "L1_4", "L1_5", "L2_1", "L2_2", "L3_1"):
            setattr(self, f"RB_{name}", ResidualBlockNoBN(nf))
        self.deblur_L2_conv = conv3(nf, nf, stride=2)
        self.deblur_L3_conv = conv3(nf, nf, stride=2)

    def forward(self, x: Any) -> Any:
        """Return the features."""
        for name in self.names:
            x = rectified(getattr(self, name)(x))
        half = rectified(self.deblur_L2_conv(x))
        quarter = rectified(self.deblur_L3_conv(half))
        half = self.RB_L2_2(self.RB_L2_1(half) + doubled(self.RB_L3_1(quarter)))
        x = self.RB_L1_2(self.RB_L1_1(x)) + doubled(half)
        return self.RB_L1_5(self.RB_L1_4(self.RB_L1_3(x)))


class TSAFusion(nn.Layer):
    """Temporal and spatial attention: aligned features of the frames of a window to those of one frame.

    Args:
        nf: channels of a frame's features.
        nframes: frames of a window.
        center: the number of the frame that is restored.
    """

    def __init__(self, nf: int, nframes: int, center: int) -> None:
        super().__init__()
        self.center = center
        self.tAtt_2 = conv3(nf, nf)
        self.tAtt_1 = conv3(nf, nf)
        self.fea_fusion = nn.Conv2D(nf * nframes, nf, 1)
        self.sAtt_1 = nn.Conv2D(nf * nframes, nf, 1)
        self.sAtt_2 = nn.Conv2D(2 * nf, nf, 1)
        self.sAtt_3 = conv3(nf, nf)
        self.sAtt_4 = nn.Conv2D(nf, nf, 1)
        self.sAtt_5 = conv3(nf, nf)
        self.sAtt_add_1 = nn.Conv2D(nf, nf, 1)
        self.sAtt_add_2 = nn.Conv2D(nf, nf, 1)
        self.sAtt_L1 = nn.Conv2D(nf, nf, 1)
        self.sAtt_L2 = conv3(2 * nf, nf)
        self.sAtt_L3 = conv3(nf, nf)

    def forward(self, aligned: Any) -> Any:
        """Return (B, nf, H, W).

        Args:
            aligned: (B, nframes, nf, H, W).
        """
        _, frames, channels, height, width = aligned.shape
        wanted = self.tAtt_2(aligned[:, self.center]).unsqueeze(1)
        given = self.tAtt_1(aligned.reshape([-1, channels, height, width]))
        given = given.reshape([-1, frames, channels, height, width])
        likeness = F.sigmoid((given * wanted).sum(axis=2, keepdim=True))
        weighted = (aligned * likeness).reshape([-1, frames * channels, height, width])

        attention = rectified(self.sAtt_2(_pooled(rectified(self.sAtt_1(weighted)))))
        coarse = rectified(self.sAtt_L2(_pooled(rectified(self.sAtt_L1(attention)))))
        coarse = doubled(rectified(self.sAtt_L3(coarse)))
        attention = rectified(self.sAtt_3(attention)) + coarse
        attention = self.sAtt_5(doubled(rectified(self.sAtt_4(attention))))
        added = self.sAtt_add_2(rectified(self.sAtt_add_1(attention)))
        return rectified(self.fea_fusion(weighted)) * F.sigmoid(attention) * 2 + added


def _pooled(x: Any) -> Any:
    """Return the largest and the mean numbers of 3 x 3 places, at half the size."""
    largest = F.max_pool2d(x, 3, stride=2, padding=1)
    return core.concat([largest, F.avg_pool2d(x, 3, stride=2, padding=1, exclusive=False)], axis=1)


class EDVRNet(nn.Layer):
    """Windows of frames to their restored middle frames, 0 to 1.

    (B, nframes, in_nf, H, W) to (B, out_nf, 4 H, 4 W); with ``HR_in`` to (B, out_nf, H, W).

    Args:
        in_nf: channels of the frames received.
        out_nf: channels of the frame returned, as many.
        scale_factor: 4; with ``HR_in`` 1 is meant, whatever it says.
        nf: channels of the feature maps: 64 in EDVR-M, 128 in EDVR-L.
        nframes: frames of a window.
        groups: of channels, each with offsets of its own.
        front_RBs: residual blocks before the alignment.
        back_RBs: residual blocks after it: 10 in EDVR-M, 40 in EDVR-L.
        center: the number of the frame that is restored, from 0; None: the middle one.
        predeblur: whether a pyramid comes first, which takes blurred frames.
        HR_in: whether the frames have the size of the result already; goes with ``predeblur``.
        w_TSA: whether attention fuses the frames; else a convolution does.

    Attributes:
        scale: 4, or 1 with ``HR_in``.
        multiple: what height and width of the frames must be multiples of: 4, or 16 with ``HR_in``.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        in_nf: int = 3,
        out_nf: int = 3,
        scale_factor: int = 4,
        nf: int = 64,
        nframes: int = 5,
        groups: int = 8,
        front_RBs: int = 5,
        back_RBs: int = 10,
        center: Optional[int] = None,
        predeblur: bool = False,
        HR_in: bool = False,
        w_TSA: bool = True,
    ) -> None:
        super().__init__()
        positive_numbers("EDVRNet", in_nf=in_nf, nf=nf, nframes=nframes, groups=groups, front_RBs=front_RBs)
        positive_numbers("EDVRNet", back_RBs=back_RBs)
        self.in_nf, self.nf, self.nframes = in_nf, nf, nframes
        self.center = nframes // 2 if center is None else center
        if not 0 <= self.center < nframes:
            raise ValueError(f"EDVRNet: center must be from 0 to {nframes - 1}, not {center}")
        if scale_factor != SCALE and not HR_in:
            raise ValueError(f"EDVRNet: scale_factor must be {SCALE}, not {scale_factor}")
        if HR_in and not predeblur:
            raise ValueError("EDVRNet: HR_in goes with predeblur: true")
        if nf % groups or out_nf != in_nf:
            raise ValueError(
                f"EDVRNet: groups must divide nf, and out_nf be in_nf; not {groups}, {nf}, {out_nf}, {in_nf}"
            )
        self.scale, self.multiple = (1, 4 * SCALE) if HR_in else (SCALE, SCALE)
        self.predeblur, self.w_TSA = predeblur, w_TSA
        if predeblur:
            self.pre_deblur = PredeblurResNetPyramid(in_nf, nf, HR_in)
            self.cov_1 = nn.Conv2D(nf, nf, 1)
        else:
            self.conv_first = conv3(in_nf, nf)
        self.feature_extractor = residual_blocks(nf, front_RBs)
        self.fea_L2_conv1 = conv3(nf, nf, stride=2)
        self.fea_L2_conv2 = conv3(nf, nf)
        self.fea_L3_conv1 = conv3(nf, nf, stride=2)
        self.fea_L3_conv2 = conv3(nf, nf)
        self.PCDModule = PCDAlign(nf, groups)
        self.TSAModule = TSAFusion(nf, nframes, self.center) if w_TSA else nn.Conv2D(nframes * nf, nf, 1)
        self.reconstructor = residual_blocks(nf, back_RBs)
        self.upconv1 = conv3(nf, 4 * nf)
        self.upconv2 = conv3(nf, 4 * UPSAMPLED)
        self.HRconv = conv3(UPSAMPLED, UPSAMPLED)
        self.conv_last = conv3(UPSAMPLED, out_nf)

    def forward(self, x: Any) -> Any:
        """Return the restored frames; they may leave 0 to 1 a little."""
        self.check(x)
        frames, channels, height, width = x.shape[1:]
        middle = x[:, self.center]
        first = x.reshape([-1, channels, height, width])
        first = self.cov_1(self.pre_deblur(first)) if self.predeblur else rectified(self.conv_first(first))
        first = self.feature_extractor(first)
        half = rectified(self.fea_L2_conv2(rectified(self.fea_L2_conv1(first))))
        quarter = rectified(self.fea_L3_conv2(rectified(self.fea_L3_conv1(half))))
        neighbors = [first, half, quarter]
        aligned = self.PCDModule(neighbors, [self._references(level) for level in neighbors])

        height, width = first.shape[2:]
        if self.w_TSA:
            features = self.TSAModule(aligned.reshape([-1, frames, self.nf, height, width]))
        else:
            features = self.TSAModule(aligned.reshape([-1, frames * self.nf, height, width]))
        out = self.reconstructor(features)
        for convolution in (self.upconv1, self.upconv2):
            out = rectified(F.pixel_shuffle(convolution(out), 2))
        out = self.conv_last(rectified(self.HRconv(out)))
        if self.scale == 1:
            return out + middle
        return out + F.interpolate(middle, scale_factor=SCALE, mode="bilinear", align_corners=False)

    def _references(self, features: Any) -> Any:
        """Return the features of the middle frame once for each frame of its window: (B * nframes, nf, H, W)."""
        _, channels, height, width = features.shape
        windows = features.reshape([-1, self.nframes, channels, height, width])
        middle = windows[:, self.center : self.center + 1]
        return middle.expand([-1, self.nframes, channels, height, width]).reshape([-1, channels, height, width])

    def check(self, x: Any) -> None:
        """Refuse windows that the network cannot take.

        Raises:
            ValueError: they have other axes, frames, channels or sizes.
        """
        shape = list(x.shape)
        if len(shape) != 5 or shape[1:3] != [self.nframes, self.in_nf]:
            raise ValueError(f"EDVRNet takes windows (N, {self.nframes}, {self.in_nf}, H, W), not {shape}")
        if any(side % self.multiple for side in shape[3:]):
            raise ValueError(
                f"EDVRNet takes frames whose height and width are multiples of {self.multiple}, not {shape[3:]}"
            )
