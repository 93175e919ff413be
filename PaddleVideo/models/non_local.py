"""Non-local networks: C2D and I3D ResNets, some blocks of which are followed by an attention over space and time.

Paper: Wang et al., "Non-local neural networks", CVPR 2018, https://arxiv.org/abs/1711.07971.
PaddleVideo 1.5 has the networks and 2.x does not: parameter names are those of ResNet3d in PaddleVideo 2.3, of the
attentions this project's own; files of 1.x load by :meth:`NonLocalNetwork.older_names`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Constant, Normal
from core.nn.layer.checks import positive_numbers
from core.regularizer import L2Decay
from PaddleVideo.models.base import ClipClassifier
from PaddleVideo.models.resnet3d import BLOCKS, ResNet3D
from PaddleVideo.models.volumes import over_positions

EVERY = {50: {1: 2, 2: 2}, 101: {1: 2, 2: 7}}
"""By depth and stage, after which block of how many an attention follows."""

_FLUID_NORM = {"scale": "weight", "offset": "bias", "mean": "_mean", "variance": "_variance"}


def time_lengths(depth: int, inflate: bool) -> tuple[int, list[Any]]:
    """Return kernel sizes along time: of the stem, and of the blocks of each stage.

    Args:
        depth: layers with weights.
        inflate: whether kernels reach over time (I3D) or see one frame (C2D).
    """
    if not inflate:
        return 1, [1, 1, 1, 1]
    alternating = [3 - number % 2 * 2 for number in range(BLOCKS[depth][2])]
    return 5, [3, [3, 1] * (BLOCKS[depth][1] // 2), alternating, [1, 3, 1]]


class NonLocalBlock(nn.Layer):
    """Adds to every position what it finds in all others, weighed by likeness: (N, C, T, H, W) to the same shape.

    Args:
        channels: C; half as many are compared and summed.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        inner = channels // 2
        self.inner = inner
        kernel = ParamAttr(initializer=Normal(0.0, 0.01))
        self.theta = nn.Conv3D(channels, inner, 1, weight_attr=kernel)
        self.phi = nn.Conv3D(channels, inner, 1, weight_attr=kernel)
        self.g = nn.Conv3D(channels, inner, 1, weight_attr=kernel)
        self.out = nn.Conv3D(inner, channels, 1, weight_attr=kernel)
        no_decay = L2Decay(0.0)
        self.bn = nn.BatchNorm3D(
            channels,
            weight_attr=ParamAttr(initializer=Constant(0.0), regularizer=no_decay),
            bias_attr=ParamAttr(regularizer=no_decay),
        )

    def forward(self, x: Any) -> Any:
        """Return the feature maps plus the attention."""
        theta = self.theta(x)
        pooled = F.max_pool3d(x, (1, 2, 2), (1, 2, 2))
        phi, g = self.phi(pooled).flatten(2), self.g(pooled).flatten(2)
        likeness = core.matmul(theta.flatten(2), phi, transpose_x=True) * self.inner**-0.5
        found = core.matmul(g, F.softmax(likeness, axis=2), transpose_y=True)
        return self.bn(self.out(found.reshape(theta.shape))) + x


class WindowHead(nn.Layer):
    """Averages of windows and a linear layer: maps (N, C, T, H, W) to logits (N, class_num).

    Args:
        in_channels: C.
        class_num: number of classes.
        window: sizes along time, height and width.
        dropout: the share of features that training drops.
    """

    def __init__(self, in_channels: int, class_num: int, window: Sequence[int], dropout: float) -> None:
        super().__init__()
        self.window = window
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(in_channels, class_num, weight_attr=ParamAttr(initializer=Normal(0.0, 0.01)))

    def forward(self, maps: Any) -> Any:
        """Return the logits."""
        pooled = F.avg_pool3d(maps, self.window, 1).transpose([0, 2, 3, 4, 1])
        return over_positions(self.fc(self.dropout(pooled)), self.training)


class NonLocalNetwork(ClipClassifier):
    """Clips to logits: (N, num_frames, 3, H, W) to (N, class_num).

    In evaluation, frames larger than ``crop_size`` are looked at in all places that a window of that size may take, 32
    pixels apart, and the result is the logarithm of the average probability, whose softmax is that average.

    Args:
        depth: 50 or 101 layers with weights.
        inflate: whether kernels reach over time: I3D, or C2D.
        class_num: number of classes.
        non_local: whether blocks are followed by attentions; without them this is the baseline.
        num_frames: of a clip.
        crop_size: height and width of the frames in training.
        dropout: the share of features that training drops.
        base_channels: channels of the stem; 64 in all published networks.
        blocks: number of blocks of each stage, in place of the depth's.

    Raises:
        ValueError: there is no such depth, or numbers do not fit each other.
    """

    def __init__(
        self,
        depth: int,
        inflate: bool,
        class_num: int = 400,
        non_local: bool = True,
        num_frames: int = 8,
        crop_size: int = 224,
        dropout: float = 0.5,
        base_channels: int = 64,
        blocks: Optional[Sequence[int]] = None,
    ) -> None:
        super().__init__()
        positive_numbers("NonLocalNetwork", num_frames=num_frames, crop_size=crop_size, base_channels=base_channels)
        if depth not in EVERY:
            raise ValueError(f"NonLocalNetwork has {' or '.join(map(str, EVERY))} layers, not {depth}")
        if num_frames % 2:
            raise ValueError(f"NonLocalNetwork: num_frames must be even, as a pooling halves it, not {num_frames}")
        if crop_size < 32:
            raise ValueError(f"NonLocalNetwork: crop_size must be 32 or more, not {crop_size}")
        self.class_num = class_num
        self.num_seg = num_frames

        def attention(stage: int, number: int, channels: int) -> Optional[nn.Layer]:
            every = EVERY[depth].get(stage) if non_local else None
            return NonLocalBlock(channels) if every and number % every == every - 1 else None

        self.backbone = ResNet3D(
            depth,
            *time_lengths(depth, inflate),
            base_channels=base_channels,
            pool_padding=0,
            after_block=attention,
            blocks=blocks,
        )
        window = (num_frames // 2, crop_size // 32, crop_size // 32)
        self.head = WindowHead(self.backbone.out_channels, class_num, window, dropout)

    def forward(self, clips: Any) -> Any:
        """Return the logits, (N, class_num).

        Raises:
            ValueError: the clips have another number of frames than ``num_frames``.
        """
        if clips.shape[1] != self.num_seg:
            raise ValueError(f"the network is made for clips of {self.num_seg} frames, not {clips.shape[1]}")
        return self.head(self.backbone(clips.transpose([0, 2, 1, 3, 4])))

    def older_names(self) -> Mapping[str, str]:
        """Return the names of variables in files of Fluid 1.x, and what they are called here."""
        names = {}
        for older, ours in self.backbone.older_names().items():
            names[older] = f"backbone.{ours}"
        if self.backbone.depth == 101:  # whose 23 blocks have letters in this family's files
            for older, ours in list(names.items()):
                _, layer, block = ours.split(".")[:3]
                if layer == "layer3":
                    branch = older.partition("_")[2]
                    prefix = "bn4" if older.startswith("bn") else "res4"
                    names[f"{prefix}{chr(97 + int(block))}_{branch}"] = ours
        for stage, every in EVERY[self.backbone.depth].items():
            for number in range(every - 1, self.backbone.counts[stage], every):
                older = f"nonlocal_conv{stage + 2}_{number}"
                ours = f"backbone.layer{stage + 1}.{number}.non_local_block"
                for part in ("theta", "phi", "g", "out"):
                    for kind in ("weight", "bias"):
                        names[f"{older}_{part}_{kind[0]}"] = f"{ours}.{part}.{kind}"
                names.update({f"{older}_bn_{kind}": f"{ours}.bn.{name}" for kind, name in _FLUID_NORM.items()})
        state = self.state_dict()
        names = {older: ours for older, ours in names.items() if ours in state}
        return {**names, "pred_w": "head.fc.weight", "pred_b": "head.fc.bias"}

    def of_classifier(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the weights of an image ResNet of PaddleClas, spread over time, under the names of the backbone."""
        prefix = "backbone."
        bare = {name[len(prefix) :] if name.startswith(prefix) else name: value for name, value in values.items()}
        return {f"backbone.{name}": value for name, value in self.backbone.of_classifier(bare).items()}


def non_local_c2d_r50(**settings: Any) -> NonLocalNetwork:
    """Return a non-local C2D on ResNet-50; settings as of :class:`NonLocalNetwork`."""
    return NonLocalNetwork(50, False, **settings)


def non_local_c2d_r101(**settings: Any) -> NonLocalNetwork:
    """Return a non-local C2D on ResNet-101; settings as of :class:`NonLocalNetwork`."""
    return NonLocalNetwork(101, False, **settings)


def non_local_i3d_r50(**settings: Any) -> NonLocalNetwork:
    """Return a non-local I3D on ResNet-50; settings as of :class:`NonLocalNetwork`."""
    return NonLocalNetwork(50, True, **settings)


def non_local_i3d_r101(**settings: Any) -> NonLocalNetwork:
    """Return a non-local I3D on ResNet-101; settings as of :class:`NonLocalNetwork`."""
    return NonLocalNetwork(101, True, **settings)
