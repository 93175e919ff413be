"""NeXtVLAD, C-TCN and BMN as one writes them in plain PyTorch, with our names of parameters, for comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

EPSILON = 1e-6
"""Of BMN's logarithms."""


class NeXtVLADLayer(nn.Module):
    """Features (N, T, F) to descriptors of 128 clusters, eight groups of channels twice as wide."""

    def __init__(self, features: int) -> None:
        super().__init__()
        wide, self.width = 2 * features, features // 4
        self.fc_expansion, self.fc_attention = nn.Linear(features, wide), nn.Linear(wide, 8)
        self.cluster_weights = nn.Parameter(torch.empty(wide, 1024))
        self.cluster_bn = nn.BatchNorm1d(1024)
        self.cluster_weights2 = nn.Parameter(torch.empty(1, self.width, 128))
        self.vlad_bn = nn.BatchNorm1d(128 * self.width)

    def forward(self, x: Any, mask: Any) -> Any:
        """Return the descriptors, (N, 128 * F / 4)."""
        videos, frames, _ = x.shape
        wide = self.fc_expansion(x)
        attention = torch.sigmoid(self.fc_attention(wide)) * mask
        scores = self.cluster_bn((wide @ self.cluster_weights).flatten(0, 1)).reshape(videos, frames, 8, 128)
        shares = scores.softmax(3) * attention.unsqueeze(3)
        sums = torch.einsum("ntgk,ntgd->ndk", shares, wide.reshape(videos, frames, 8, self.width))
        vlad = sums - shares.sum((1, 2)).unsqueeze(1) * self.cluster_weights2
        return self.vlad_bn(F.normalize(vlad, dim=1).flatten(1))


class NeXtVLAD(nn.Module):
    """Bytes of pictures and sound to logits of 3862 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rgb_scale", torch.ones(1024))
        self.rgb_vlad, self.audio_vlad = NeXtVLADLayer(1024), NeXtVLADLayer(128)
        self.fc_hidden, self.hidden_bn = nn.Linear(36864, 2048, bias=False), nn.BatchNorm1d(2048)
        self.fc_gate1, self.gate_bn = nn.Linear(2048, 256, bias=False), nn.BatchNorm1d(256)
        self.fc_gate2, self.logistic = nn.Linear(256, 2048, bias=False), nn.Linear(2048, 3862)

    def forward(self, rgb: Any, audio: Any, lengths: Any) -> Any:
        """Return the logits, (N, 3862)."""
        mask = (torch.arange(rgb.shape[1]) < lengths[:, None]).float().unsqueeze(2)
        rgb = (rgb.float() * (4 / 255) - 2) * self.rgb_scale
        audio = audio.float() * (4 / 255) - 2 + 4 / 512
        x = torch.cat([self.rgb_vlad(rgb, mask), self.audio_vlad(audio, mask)], 1)
        x = self.hidden_bn(self.fc_hidden(x))
        gate = torch.sigmoid(self.fc_gate2(F.relu(self.gate_bn(self.fc_gate1(x)))))
        return self.logistic(x * gate)

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the cross-entropies' sum over classes, the mean over videos."""
        return F.binary_cross_entropy_with_logits(logits, labels, reduction="none").sum(1).mean()


class ConvNorm(nn.Module):
    """A convolution along time and batch normalisation."""

    def __init__(self, in_channels: int, out_channels: int, frames: int, stride: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, (frames, 1), (stride, 1), (frames // 2, 0), bias=False)
        self.bn = nn.BatchNorm2d(out_channels)

    def forward(self, x: Any) -> Any:
        """Return the normalised features."""
        return self.bn(self.conv(x))


class Bottleneck(nn.Module):
    """Convolutions of 1, 3 and 1 steps, plus a shortcut."""

    def __init__(self, in_channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv0, self.conv1 = ConvNorm(in_channels, width, 1), ConvNorm(width, width, 3, stride)
        self.conv2 = ConvNorm(width, 4 * width, 1)
        if in_channels != 4 * width or stride > 1:
            self.short = ConvNorm(in_channels, 4 * width, 1, stride)

    def forward(self, x: Any) -> Any:
        """Return the features."""
        y = self.conv2(F.relu(self.conv1(F.relu(self.conv0(x)))))
        return F.relu((self.short(x) if hasattr(self, "short") else x) + y)


class CTCN(nn.Module):
    """C-TCN of 402 concepts and 512 steps: features (N, 1, 512, 402) to offsets and logits of 201 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.pyramid = part = nn.Module()
        part.stem1, part.stem2, have = ConvNorm(1, 32, 7, 2), ConvNorm(32, 64, 7, 2), 64
        for stage, count in enumerate((3, 4, 6, 3)):
            blocks = []
            for number in range(count):
                blocks.append(Bottleneck(have, 64 * 2**stage, 2 if stage and not number else 1))
                have = 256 * 2**stage
            part.add_module(f"layer{stage + 1}", nn.Sequential(*blocks))
        coarse = [nn.Conv2d(512 if number else have, 512, (3, 1), (2, 1), (1, 0)) for number in range(4)]
        part.coarse = nn.ModuleList(coarse)
        part.lateral = nn.ModuleList([nn.Conv2d(width, 512, 1) for width in (2048, 1024, 512, 256)])
        part.smooth = nn.ModuleList([nn.Conv2d(512, 512, (3, 1), padding=(1, 0)) for _ in range(3)])
        self.loc_pred_conv1 = nn.Conv2d(512, 256, (3, 1), padding=(1, 0))
        self.loc_pred_conv2 = nn.Conv2d(256, 14, (1, 402))
        self.cls_pred_conv1 = nn.Conv2d(512, 512, (3, 1), padding=(1, 0))
        self.cls_pred_conv2 = nn.Conv2d(512, 201 * 7, (1, 402))

    def levels(self, x: Any) -> list[Any]:
        """Return the features of all levels, fine ones first."""
        part, stages, coarse = self.pyramid, [], []
        x = F.relu(part.stem2(F.relu(part.stem1(x))))
        for stage in range(4):
            x = getattr(part, f"layer{stage + 1}")(x)
            stages.append(x)
        for number, layer in enumerate(part.coarse):
            x = layer(F.relu(x) if number else x)
            coarse.append(x)
        fine = [part.lateral[0](stages[-1])]
        for layer, stage in zip(part.lateral[1:], stages[-2::-1]):
            larger = F.interpolate(fine[-1], stage.shape[2:], mode="bilinear", align_corners=True)
            fine.append(larger + layer(stage))
        return [*[layer(x) for layer, x in zip(part.smooth, fine[1:])][::-1], fine[0], *coarse]

    def forward(self, features: Any) -> tuple[Any, Any]:
        """Return offsets (N, K, 2) and logits (N, K, 201)."""
        offsets, classes = [], []
        for level in self.levels(features):
            for found, last, head in ((offsets, 2, "loc"), (classes, 201, "cls")):
                y = getattr(self, f"{head}_pred_conv2")(getattr(self, f"{head}_pred_conv1")(level))
                found.append(y.permute(0, 2, 3, 1).reshape(len(y), -1, last))
        return 10 * torch.sigmoid(torch.cat(offsets, 1)) - 5, torch.cat(classes, 1)

    def loss(self, offsets: Any, logits: Any, wanted: Any, classes: Any) -> Any:
        """Return twice the offsets' smooth L1 plus cross-entropies with three hard negatives for a matched anchor."""
        matched = classes > 0
        smooth = F.smooth_l1_loss(offsets, wanted, reduction="none").sum(2)[matched].sum()
        entropy = F.cross_entropy(logits.flatten(0, 1), classes.flatten(), reduction="none").reshape(classes.shape)
        with torch.no_grad():
            order = entropy.masked_fill(matched, 0.0).argsort(1, descending=True)
            counted = matched | (order.argsort(1) < 3 * matched.sum(1, keepdim=True))
        return (2 * smooth + (entropy * counted).sum()) / matched.sum().clamp(min=1)


class BMN(nn.Module):
    """BMN as published: samples of all intervals (N, 128, 32, 100, 100) from features (N, 400, 100).

    Args:
        samples: how much each step counts in each of them, (100, 32 * 100 * 100).
    """

    def __init__(self, samples: Any) -> None:
        super().__init__()
        self.samples, self.backbone = samples, nn.Module()
        self.within = torch.from_numpy(np.tril(np.ones((100, 100), np.float32))[::-1].copy())
        layers = {
            "b_conv1": nn.Conv1d(400, 256, 3, padding=1, groups=4),
            "b_conv2": nn.Conv1d(256, 256, 3, padding=1, groups=4),
            **{f"{kind}_conv1": nn.Conv1d(256, 256, 3, padding=1, groups=4) for kind in ("ts", "te")},
            **{f"{kind}_conv2": nn.Conv1d(256, 1, 1) for kind in ("ts", "te")},
            "p_conv1": nn.Conv1d(256, 128, 3, padding=1),
            "p_conv3d1": nn.Conv3d(128, 512, (32, 1, 1), (32, 1, 1)),
            "p_conv2d1": nn.Conv2d(512, 128, 1),
            **{f"p_conv2d{number}": nn.Conv2d(128, 128, 3, padding=1) for number in (2, 3)},
            "p_conv2d4": nn.Conv2d(128, 2, 1),
        }
        for key, layer in layers.items():
            self.backbone.add_module(key, layer)

    def forward(self, features: Any) -> tuple[Any, Any, Any]:
        """Return maps (N, 2, 100, 100), and begins and ends (N, 100)."""
        part = self.backbone
        x = F.relu(part.b_conv2(F.relu(part.b_conv1(features))))
        starts = torch.sigmoid(part.ts_conv2(F.relu(part.ts_conv1(x)))).squeeze(1)
        ends = torch.sigmoid(part.te_conv2(F.relu(part.te_conv1(x)))).squeeze(1)
        sampled = (F.relu(part.p_conv1(x)) @ self.samples).reshape(len(x), 128, 32, 100, 100)
        maps = F.relu(part.p_conv2d1(F.relu(part.p_conv3d1(sampled).squeeze(2))))
        maps = F.relu(part.p_conv2d3(F.relu(part.p_conv2d2(maps))))
        return torch.sigmoid(part.p_conv2d4(maps)), starts, ends

    def loss(self, maps: Any, starts: Any, ends: Any, overlaps: Any, begins: Any, finishes: Any, draws: Any) -> Any:
        """Return the published sum of three losses; small overlaps are drawn by ``draws``, (2, 100, 100)."""

        def balanced(scores: Any, positives: Any, negatives: Any) -> Any:
            count = positives.sum() + negatives.sum()
            ratio = count / positives.sum().clamp(min=1)
            found = 0.5 * ratio * (torch.log(scores + EPSILON) * positives).sum()
            weight = 0.5 * ratio / (ratio - 1).clamp(min=EPSILON)
            return -(found + weight * (torch.log(1 - scores + EPSILON) * negatives).sum()) / count

        overlaps, found = overlaps * self.within, torch.zeros(())
        for scores, truth in ((starts, begins), (ends, finishes)):
            found = found + balanced(scores, (truth > 0.5).float(), (truth <= 0.5).float())
        large = (overlaps > 0.7).float()
        middle = ((overlaps <= 0.7) & (overlaps > 0.3)).float()
        small = (overlaps <= 0.3).float() * self.within
        weights = large
        for kind, draw in zip((middle, small), draws):
            share = large.sum() / kind.sum().clamp(min=1)
            weights = weights + (kind * draw > 1 - share).float()
        squares = 0.5 * ((maps[:, 0] - overlaps) ** 2 * weights).sum() / weights.sum().clamp(min=1)
        positives = (overlaps > 0.9).float()
        return found + 10 * squares + balanced(maps[:, 1], positives, (1 - positives) * self.within)


def network(name: str, folder: str) -> nn.Module:
    """Return a network by our name of it; BMN's samples are in the folder."""
    if name == "bmn":
        return BMN(torch.from_numpy(np.load(f"{folder}/samples.npy")))
    return {"nextvlad": NeXtVLAD, "ctcn": CTCN}[name]()


def load(model: nn.Module, weights: dict[str, np.ndarray]) -> None:
    """Give a network our weights: linear layers hold theirs transposed, and statistics have other names."""
    linear = {f"{name}.weight" for name, layer in model.named_modules() if isinstance(layer, nn.Linear)}
    given = {key: torch.from_numpy(one.T.copy() if key in linear else one) for key, one in weights.items()}
    for ours, theirs in (("._mean", ".running_mean"), ("._variance", ".running_var")):
        given = {key.replace(ours, theirs): one for key, one in given.items()}
    missing, unexpected = model.load_state_dict(given, strict=False)
    wrong = [*unexpected, *(name for name in missing if not name.endswith("num_batches_tracked"))]
    if wrong:
        raise ValueError(f"the two networks differ in {', '.join(wrong)}")
