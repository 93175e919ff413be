"""ResNet, its variants a to d, ResNeXt and SENet as detectors look through them, and the fifth stage alone as a head.

Paper: He et al., "Deep residual learning for image recognition", arXiv 1512.03385; residual.py names the others.
Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import nn
from core.nn import functional as F
from PaddleClas.models.resnet import BLOCKS, WIDTHS
from PaddleDetection.models.backbones.conv_norm import ConvNorm
from PaddleDetection.models.backbones.residual import BasicBlock, Blocks, BottleNeck, ResidualBlock
from PaddleDetection.models.norms import Norm

STRIDES = (4, 8, 16, 32)
"""Pixels of the image for each cell of the four stages' feature maps."""

NONLOCAL_EVERY = {50: 2, 101: 5, 152: 8, 200: 12}
"""Depth to how many blocks of the third stage lie between two non-local ones; two in the other stages."""


class ResNet(nn.Layer):
    """A stem and up to four stages of residual blocks.

    Args:
        depth: 18, 34, 50, 101, 152 or 200 layers with weights.
        ch_in: channels of the stem's output.
        variant: as of :class:`ResidualBlock`; "c" and "d" have three 3 x 3 convolutions as their stem.
        lr_mult_list: factors on the learning rate of the four stages.
        groups: number of groups of the bottlenecks' 3 x 3 convolutions; more than 1: ResNeXt.
        base_width: channels of each group, where a stage's width is 64.
        norm_type: "bn", "sync_bn" or "gn".
        norm_decay: weight decay of the normalisations, in place of the optimizer's.
        freeze_norm: whether the normalisations keep scale, offset and running statistics, in training too.
        freeze_at: the stem and the stages up to this one, counted from 0, keep their weights; -1: none does.
        return_idx: the stages whose feature maps are given, counted from 0.
        dcn_v2_stages: the stages whose 3 x 3 convolutions are deformable, counted from 0.
        num_stages: how many stages there are.
        std_senet: whether each block ends with squeeze and excitation.
        nonlocal_stages: the stages with non-local blocks (arXiv 1711.07971), counted from 0.
        scale: factor on the numbers of channels, at least 1/32.

    Attributes:
        channels: of the feature maps.
        strides: pixels of the image for each of their cells.
        own_layers: names of layers that no classifier has: those that move the taps of deformable convolutions, and
            non-local blocks.

    Raises:
        ValueError: an argument is out of its range, or the arguments do not fit together.
    """

    def __init__(
        self,
        depth: int = 50,
        ch_in: int = 64,
        variant: str = "b",
        lr_mult_list: Sequence[float] = (1.0, 1.0, 1.0, 1.0),
        groups: int = 1,
        base_width: int = 64,
        norm_type: str = "bn",
        norm_decay: float = 0.0,
        freeze_norm: bool = True,
        freeze_at: int = 0,
        return_idx: Sequence[int] = (0, 1, 2, 3),
        dcn_v2_stages: Sequence[int] = (),
        num_stages: int = 4,
        std_senet: bool = False,
        nonlocal_stages: Sequence[int] = (),
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        kind = block_type(depth)
        ch_in, widths = int(ch_in * scale), [int(width * scale) for width in WIDTHS]
        if min(ch_in // 2, *widths) < 1:
            raise ValueError(f"scale must be at least 1/32, not {scale}: no channels are left")
        if variant not in ("a", "b", "c", "d"):
            raise ValueError(f"variant must be 'a', 'b', 'c' or 'd', not {variant!r}")
        if kind is BasicBlock and (groups, base_width) != (1, 64):
            raise ValueError(f"ResNet of {depth} layers has no bottlenecks: groups must be 1 and base_width 64")
        if len(lr_mult_list) != 4:
            raise ValueError(f"lr_mult_list must hold 4 numbers, one a stage, not {len(lr_mult_list)}")
        if nonlocal_stages and depth not in NONLOCAL_EVERY:
            known = ", ".join(map(str, NONLOCAL_EVERY))
            raise ValueError(f"ResNet of {depth} layers has no non-local blocks; those of {known} may have some")
        chosen = {"return_idx": return_idx, "dcn_v2_stages": dcn_v2_stages, "nonlocal_stages": nonlocal_stages}
        for name, stages in chosen.items():
            if not set(stages) <= set(range(num_stages)):
                raise ValueError(f"{name} {tuple(stages)} names a stage that is not among 0 to {num_stages - 1}")
        norm = Norm(norm_type, norm_decay, freeze_norm)
        self.return_idx = tuple(return_idx)
        self.channels = tuple(widths[stage] * kind.expansion for stage in self.return_idx)
        self.strides = tuple(STRIDES[stage] for stage in self.return_idx)
        half = ch_in // 2
        stem = {"res_conv1" if groups > 1 else "conv1": (3, ch_in, 7, 2)}
        if variant in ("c", "d"):
            stem = {"conv1_1": (3, half, 3, 2), "conv1_2": (half, half, 3, 1), "conv1_3": (half, ch_in, 3, 1)}
        self.conv1 = nn.Sequential(
            *[(name, ConvNorm(*sizes, activation=F.relu, norm=norm)) for name, sizes in stem.items()]
        )
        self.stages = []
        for stage, (width, count) in enumerate(zip(widths[:num_stages], BLOCKS[depth])):
            blocks = Blocks(
                kind,
                widths[stage - 1] * kind.expansion if stage else ch_in,
                width,
                count,
                stage + 2,
                nonlocal_every=(NONLOCAL_EVERY[depth] if stage == 2 else 2) if stage in nonlocal_stages else 0,
                variant=variant,
                groups=groups,
                base_width=base_width,
                std_senet=std_senet,
                dcn_v2=stage in dcn_v2_stages,
                norm=norm,
                learning_rate=lr_mult_list[stage],
            )
            self.stages.append(self.add_sublayer(f"res{stage + 2}", blocks))
        self.own_layers = tuple(
            name for name, _ in self.named_sublayers() if name.endswith(".conv_offset") or ".nonlocal_" in name
        )
        for part in (self.conv1, *self.stages)[: freeze_at + 2 if freeze_at >= 0 else 0]:
            for parameter in part.parameters():
                parameter.stop_gradient = True

    def forward(self, image: Any) -> list[Any]:
        """Return the feature maps of the chosen stages, the finest first.

        Args:
            image: float32 (N, 3, H, W).
        """
        x, maps = F.max_pool2d(self.conv1(image), 3, 2, 1), []
        for number, stage in enumerate(self.stages):
            x = stage(x)
            if number in self.return_idx:
                maps.append(x)
        return maps


class Res5Head(nn.Layer):
    """The fifth stage of a ResNet as the head of regions: (R, C, H, W) to (R, channels, H / 2, W / 2).

    Args:
        depth: as of :class:`ResNet`.
        **settings: further arguments of the blocks: variant, groups, base_width, std_senet, dcn_v2, learning_rate, and
            norm, which is frozen batch normalisation where it is not given.

    Attributes:
        channels: of the output.
    """

    def __init__(self, depth: int = 50, **settings: Any) -> None:
        super().__init__()
        kind = block_type(depth)
        in_channels, self.channels = WIDTHS[2] * kind.expansion, WIDTHS[3] * kind.expansion
        settings = {"norm": Norm(freeze_norm=True), **settings}
        self.res5 = Blocks(kind, in_channels, WIDTHS[3], 3, 5, **settings)

    def forward(self, regions: Any) -> Any:
        """Return the feature maps of regions."""
        return self.res5(regions)


def block_type(depth: int) -> type[ResidualBlock]:
    """Return the kind of block of a ResNet.

    Raises:
        ValueError: there is no ResNet of this depth.
    """
    if depth not in BLOCKS:
        raise ValueError(f"ResNet has {', '.join(map(str, BLOCKS))} layers, not {depth}")
    return BottleNeck if depth >= 50 else BasicBlock
