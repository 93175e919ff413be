"""Networks of clips as one writes them in plain PyTorch, with our names of parameters, for comparisons."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

BLOCKS = {18: (2, 2, 2, 2), 50: (3, 4, 6, 3)}


class ConvNorm(nn.Module):
    """A convolution without bias and batch normalisation, of images or of clips."""

    def __init__(self, in_channels: int, out_channels: int, kernel: Any, stride: Any = 1) -> None:
        super().__init__()
        clips = isinstance(kernel, tuple)
        convolution, norm = (nn.Conv3d, nn.BatchNorm3d) if clips else (nn.Conv2d, nn.BatchNorm2d)
        padding = tuple(size // 2 for size in kernel) if clips else kernel // 2
        self._conv = convolution(in_channels, out_channels, kernel, stride, padding, bias=False)
        self._batch_norm = norm(out_channels)

    def forward(self, x: Any) -> Any:
        """Return the normalised feature maps."""
        return self._batch_norm(self._conv(x))


def shifted(x: Any, frames: int) -> Any:
    """Return frames (N * T, C, H, W) with a T-th of the channels of the frame before, and one of that after.

    A tensor of zeros is filled part by part, as TSM's authors do it.
    """
    clips = x.unflatten(0, (-1, frames))
    fold = x.shape[1] // frames
    found = torch.zeros_like(clips)
    found[:, 1:, :fold] = clips[:, :-1, :fold]
    found[:, :-1, fold : 2 * fold] = clips[:, 1:, fold : 2 * fold]
    found[:, :, 2 * fold :] = clips[:, :, 2 * fold :]
    return found.flatten(0, 1)


def shifted_by_parts(x: Any, frames: int) -> Any:
    """Return the same as PaddlePaddle's release 1.5 wrote it: frames padded, cut in three parts, and joined."""
    fold = x.shape[1] // frames
    padded = F.pad(x.unflatten(0, (-1, frames)), (0, 0, 0, 0, 0, 0, 1, 1))
    parts = padded[:, :-2, :fold], padded[:, 2:, fold : 2 * fold], padded[:, 1:-1, 2 * fold :]
    return torch.cat(parts, 2).flatten(0, 1)


class Block(nn.Module):
    """A residual block of images, two convolutions or a bottleneck; of TSM behind a shift."""

    shifted = staticmethod(shifted)

    def __init__(
        self, in_channels: int, width: int, stride: int, projected: bool, bottleneck: bool, shift: int
    ) -> None:
        super().__init__()
        self.shift = shift
        out_channels = width * (4 if bottleneck else 1)
        if bottleneck:
            layers = [(in_channels, width, 1, 1), (width, width, 3, stride), (width, out_channels, 1, 1)]
        else:
            layers = [(in_channels, width, 3, stride), (width, width, 3, 1)]
        self.count = len(layers)
        for number, sizes in enumerate(layers):
            self.add_module(f"conv{number}", ConvNorm(*sizes))
        if projected:
            self.short = ConvNorm(in_channels, out_channels, 1, stride)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = self.shifted(x, self.shift) if self.shift else x
        for number in range(self.count):
            y = getattr(self, f"conv{number}")(F.relu(y) if number else y)
        return F.relu(y + (self.short(x) if hasattr(self, "short") else x))


class FrameNetwork(nn.Module):
    """TSN, or with a shift TSM: clips (N, T, 3, H, W) to logits.

    Args:
        depth: 18 or 50.
        classes: how many.
        width: channels of the first stage.
        shift: T of TSM; 0: TSN.
        dropout: the share of features that training drops.
    """

    def __init__(self, depth: int, classes: int, width: int = 64, shift: int = 0, dropout: float = 0.5) -> None:
        super().__init__()
        self.backbone, self.head = nn.Module(), nn.Module()
        self.backbone.conv = ConvNorm(3, width, 7, 2)
        self.dropout, self.each_frame, self.names, have = dropout, bool(shift), [], width
        for stage, count in enumerate(BLOCKS[depth]):
            for number in range(count):
                self.names.append(f"res{stage + 2}{chr(97 + number)}")
                stride = 2 if stage and not number else 1
                block = Block(have, width * 2**stage, stride, not number, depth == 50, shift)
                self.backbone.add_module(self.names[-1], block)
                have = width * 2**stage * (4 if depth == 50 else 1)
        self.head.fc = nn.Linear(have, classes)

    def forward(self, clips: Any) -> Any:
        """Return the logits, (N, classes)."""
        x = F.max_pool2d(F.relu(self.backbone.conv(clips.flatten(0, 1))), 3, 2, 1)
        for name in self.names:
            x = getattr(self.backbone, name)(x)
        features = x.mean((2, 3))
        features = F.dropout(features, self.dropout, self.training) if self.each_frame else features
        mean = features.unflatten(0, (-1, clips.shape[1])).mean(1)
        return self.head.fc(mean if self.each_frame else F.dropout(mean, self.dropout, self.training))


class Branch(nn.Module):
    """The branch of a block of SlowFast."""

    def __init__(self, in_channels: int, width: int, length: int, stride: int) -> None:
        super().__init__()
        sizes = {
            "a": (in_channels, width, (length, 1, 1), 1),
            "b": (width, width, (1, 3, 3), (1, stride, stride)),
            "c": (width, 4 * width, (1, 1, 1), 1),
        }
        for name, (have, wanted, kernel, step) in sizes.items():
            padding = tuple(size // 2 for size in kernel)
            self.add_module(name, nn.Conv3d(have, wanted, kernel, step, padding, bias=False))
            self.add_module(f"{name}_bn", nn.BatchNorm3d(wanted))

    def forward(self, x: Any) -> Any:
        """Return what is added to the shortcut."""
        x = F.relu(self.b_bn(self.b(F.relu(self.a_bn(self.a(x))))))
        return self.c_bn(self.c(x))


class ClipBlock(nn.Module):
    """A residual block of SlowFast."""

    def __init__(self, in_channels: int, width: int, length: int, stride: int) -> None:
        super().__init__()
        self.projected = in_channels != 4 * width or stride > 1
        if self.projected:
            self.branch1 = nn.Conv3d(in_channels, 4 * width, 1, (1, stride, stride), bias=False)
            self.branch1_bn = nn.BatchNorm3d(4 * width)
        self.branch2 = Branch(in_channels, width, length, stride)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return F.relu((self.branch1_bn(self.branch1(x)) if self.projected else x) + self.branch2(x))


class SlowFast(nn.Module):
    """SlowFast 4 x 16 on ResNet-50: clips (N, 32, 3, 224, 224) to logits."""

    def __init__(self, classes: int, alpha: int = 8, beta: int = 8) -> None:
        super().__init__()
        self.alpha = alpha
        self.backbone, self.head = nn.Module(), nn.Module()
        stems, have = nn.Module(), [64, 64 // beta]
        for pathway, length in enumerate((1, 5)):
            stem = nn.Module()
            stem._conv = nn.Conv3d(3, have[pathway], (length, 7, 7), (1, 2, 2), (length // 2, 3, 3), bias=False)
            stem._bn = nn.BatchNorm3d(have[pathway])
            stems.add_module(f"pathway{pathway}_stem", stem)
        self.backbone.s1 = stems
        for stage, (count, lengths) in enumerate(zip(BLOCKS[50], ((1, 3), (1, 3), (3, 3), (3, 3)))):
            fuse = nn.Module()
            fuse._conv_f2s = nn.Conv3d(have[1], 2 * have[1], (5, 1, 1), (alpha, 1, 1), (2, 0, 0), bias=False)
            fuse._bn = nn.BatchNorm3d(2 * have[1])
            self.backbone.add_module(f"s{stage + 1}_fuse", fuse)
            both, received = nn.Module(), [have[0] + 2 * have[1], have[1]]
            for pathway, width in enumerate((64 * 2**stage, 64 * 2**stage // beta)):
                for number in range(count):
                    given = 4 * width if number else received[pathway]
                    block = ClipBlock(given, width, lengths[pathway], 2 if stage and not number else 1)
                    both.add_module(f"pathway{pathway}_res{number}", block)
                have[pathway] = 4 * width
            self.backbone.add_module(f"s{stage + 2}", both)
        self.head.projection = nn.Linear(sum(have), classes)

    def forward(self, clips: Any) -> Any:
        """Return the logits, (N, classes)."""
        fast = clips.transpose(1, 2)
        chosen = torch.linspace(0, clips.shape[1] - 1, clips.shape[1] // self.alpha).long()
        pathways = []
        for pathway, x in enumerate((fast[:, :, chosen], fast)):
            stem = getattr(self.backbone.s1, f"pathway{pathway}_stem")
            pathways.append(F.max_pool3d(F.relu(stem._bn(stem._conv(x))), (1, 3, 3), (1, 2, 2), (0, 1, 1)))
        for stage, count in enumerate(BLOCKS[50]):
            fuse, both = (getattr(self.backbone, name) for name in (f"s{stage + 1}_fuse", f"s{stage + 2}"))
            pathways[0] = torch.cat([pathways[0], F.relu(fuse._bn(fuse._conv_f2s(pathways[1])))], 1)
            for pathway in range(2):
                for number in range(count):
                    pathways[pathway] = getattr(both, f"pathway{pathway}_res{number}")(pathways[pathway])
        features = torch.cat([x.mean((2, 3, 4)) for x in pathways], 1)
        return self.head.projection(features)


class NonLocal(nn.Module):
    """An attention of all positions to all others, pooled."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.theta, self.phi, self.g = (nn.Conv3d(channels, channels // 2, 1) for _ in range(3))
        self.out, self.bn = nn.Conv3d(channels // 2, channels, 1), nn.BatchNorm3d(channels)

    def forward(self, x: Any) -> Any:
        """Return the feature maps plus the attention."""
        theta, pooled = self.theta(x), F.max_pool3d(x, (1, 2, 2))
        likeness = theta.flatten(2).transpose(1, 2) @ self.phi(pooled).flatten(2) * theta.shape[1] ** -0.5
        found = self.g(pooled).flatten(2) @ likeness.softmax(2).transpose(1, 2)
        return self.bn(self.out(found.reshape(theta.shape))) + x


class Bottleneck(nn.Module):
    """A residual block of I3D."""

    def __init__(self, in_channels: int, width: int, length: int, stride: int) -> None:
        super().__init__()
        self.conv1 = ConvNorm(in_channels, width, (length, 1, 1))
        self.conv2 = ConvNorm(width, width, (1, 3, 3), (1, stride, stride))
        self.conv3 = ConvNorm(width, 4 * width, (1, 1, 1))
        if stride > 1 or in_channels != 4 * width:
            self.downsample = ConvNorm(in_channels, 4 * width, (1, 1, 1), (1, stride, stride))

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = F.relu(self.conv2(F.relu(self.conv1(x))))
        y = F.relu(self.conv3(y) + (self.downsample(x) if hasattr(self, "downsample") else x))
        return self.non_local_block(y) if hasattr(self, "non_local_block") else y


class NonLocalI3D(nn.Module):
    """Non-local I3D on ResNet-50: clips (N, 8, 3, 224, 224) to logits."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.backbone, self.head = nn.Module(), nn.Module()
        self.backbone.conv1 = ConvNorm(3, 64, (5, 7, 7), (1, 2, 2))
        have = 64
        for stage, lengths in enumerate(((3, 3, 3), (3, 1, 3, 1), (3, 1, 3, 1, 3, 1), (1, 3, 1))):
            blocks = []
            for number, length in enumerate(lengths):
                blocks.append(Bottleneck(have, 64 * 2**stage, length, 2 if stage and not number else 1))
                have = 256 * 2**stage
                if stage in (1, 2) and number % 2:
                    blocks[-1].non_local_block = NonLocal(have)
            self.backbone.add_module(f"layer{stage + 1}", nn.Sequential(*blocks))
        self.head.fc = nn.Linear(have, classes)

    def forward(self, clips: Any) -> Any:
        """Return the logits, (N, classes)."""
        x = F.max_pool3d(F.relu(self.backbone.conv1(clips.transpose(1, 2))), (1, 3, 3), (1, 2, 2))
        for stage in range(1, 5):
            x = getattr(self.backbone, f"layer{stage}")(x)
            x = F.max_pool3d(x, (2, 1, 1)) if stage == 1 else x
        return self.head.fc(x.mean((2, 3, 4)))


def network(name: str, classes: int, by_parts: bool = False) -> nn.Module:
    """Return a network by our name of it, without dropout.

    Args:
        name: ours.
        classes: how many.
        by_parts: whether TSM's shift is that of PaddlePaddle's release 1.5 in place of its authors'.
    """
    kinds = {
        "tsn_r50": lambda: FrameNetwork(50, classes, dropout=0.0),
        "tsm_r50": lambda: FrameNetwork(50, classes, shift=8, dropout=0.0),
        "slowfast_r50": lambda: SlowFast(classes),
        "non_local_i3d_r50": lambda: NonLocalI3D(classes),
    }
    found = kinds[name]()
    for block in found.modules() if by_parts else ():
        if isinstance(block, Block):
            block.shifted = shifted_by_parts
    return found
