"""YOLOv3 in plain PyTorch, as one writes it there; its layers, called in the order of our layers, take our weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torchvision
from torch import nn
from torch.nn import functional as F

ANCHORS = ((10, 13), (16, 30), (33, 23), (30, 61), (62, 45), (59, 119), (116, 90), (156, 198), (373, 326))
MASKS = ((6, 7, 8), (3, 4, 5), (0, 1, 2))
STRIDES = (32, 16, 8)


class Block(nn.Sequential):
    """Convolution, batch normalisation, activation."""

    def __init__(
        self, given: int, made: int, kernel: int, stride: int = 1, groups: int = 1, slope: float = 0.1
    ) -> None:
        activation = nn.LeakyReLU(slope, inplace=True) if slope else nn.ReLU(inplace=True)
        convolution = nn.Conv2d(given, made, kernel, stride, kernel // 2, groups=groups, bias=False)
        super().__init__(convolution, nn.BatchNorm2d(made), activation)


class Residual(nn.Module):
    """DarkNet's block."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(Block(channels, channels // 2, 1), Block(channels // 2, channels, 3))

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        return x + self.inner(x)


def darknet() -> list[nn.Sequential]:
    """Return DarkNet-53 in three parts, which end at its three maps."""
    parts, layers = [], [Block(3, 32, 3), Block(32, 64, 3, 2)]
    for number, (channels, count) in enumerate(zip((64, 128, 256, 512, 1024), (1, 2, 8, 8, 4))):
        layers += [] if number == 0 else [Block(channels // 2, channels, 3, 2)]
        layers += [Residual(channels) for _ in range(count)]
        if number >= 2:
            parts.append(nn.Sequential(*layers))
            layers = []
    return parts


def mobilenet(scale: float = 1.0, ends: Sequence[int] = (4, 6, 13)) -> list[nn.Sequential]:
    """Return MobileNetV1, its channels scaled, in parts that end after the given blocks."""
    steps = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]
    have = int(32 * scale)
    parts, layers = [], [Block(3, have, 3, 2, slope=0)]
    for number, (full, stride) in enumerate(steps, 1):
        channels = int(full * scale)
        layers += [Block(have, have, 3, stride, have, slope=0), Block(have, channels, 1, slope=0)]
        have = channels
        if number in ends:
            parts.append(nn.Sequential(*layers))
            layers = []
    return parts


class YOLOv3(nn.Module):
    """Backbone, neck and head; gives three maps of logits, the coarsest first."""

    def __init__(self, name: str, classes: int, scale: float = 1.0, widest: int = 512) -> None:
        super().__init__()
        dark = name == "yolov3_darknet53"
        self.parts = nn.ModuleList(darknet() if dark else mobilenet(scale))
        self.neck, self.tips, self.routes, self.outputs = (nn.ModuleList() for _ in range(4))
        for level, full in enumerate((1024, 512, 256)):
            width = widest // 2**level
            have = int(full * scale) + (width if level else 0)
            sizes = ((have, width, 1), (width, 2 * width, 3), (2 * width, width, 1), (width, 2 * width, 3))
            self.neck.append(nn.Sequential(*[Block(*size) for size in sizes], Block(2 * width, width, 1)))
            self.tips.append(Block(width, 2 * width, 3))
            if level < 2:
                self.routes.append(Block(width, width // 2, 1))
            self.outputs.append(nn.Conv2d(2 * width, 3 * (5 + classes), 1))

    def forward(self, x: Any) -> list[Any]:
        """Return the logits."""
        maps = []
        for part in self.parts:
            x = part(x)
            maps.append(x)
        tips, route = [], None
        for level, x in enumerate(reversed(maps)):
            x = self.neck[level](x if route is None else torch.cat([route, x], 1))
            tips.append(self.tips[level](x))
            if level < 2:
                route = F.interpolate(self.routes[level](x), scale_factor=2)
        return [output(tip) for output, tip in zip(self.outputs, tips)]


def load(network: YOLOv3, arrays: Sequence[Any]) -> None:
    """Give a network's convolutions and normalisations arrays, in the order in which they are called."""
    left = iter(arrays)

    def fill(layer: Any, *_: Any) -> None:
        names = ("weight", "bias", "running_mean", "running_var")
        for tensor in [getattr(layer, name, None) for name in names]:
            if tensor is not None:
                tensor.data.copy_(torch.from_numpy(next(left)))

    layers = [layer for layer in network.modules() if isinstance(layer, (nn.Conv2d, nn.BatchNorm2d))]
    hooks = [layer.register_forward_pre_hook(fill) for layer in layers]
    network.eval()
    with torch.inference_mode():
        network(torch.zeros(1, 3, 32, 32))
    for hook in hooks:
        hook.remove()


def cells(output: Any, level: int, anchors: Any = ANCHORS) -> tuple[Any, Any, Any]:
    """Return a level's logits (N, P, 5 + classes), and the places of their cells and sizes of their anchors (P, 2)."""
    batch, channels, rows, columns = output.shape
    table = (
        output.reshape(batch, 3, channels // 3, rows, columns).permute(0, 1, 3, 4, 2).reshape(batch, -1, channels // 3)
    )
    y, x = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    places = torch.stack([x, y], -1).reshape(-1, 2).repeat(3, 1)
    sizes = torch.tensor([anchors[i] for i in MASKS[level]], dtype=torch.float32).repeat_interleave(rows * columns, 0)
    return table, places, sizes


def decoded(outputs: Sequence[Any], anchors: Any = ANCHORS) -> tuple[Any, Any]:
    """Return corners in pixels (N, P, 4), and logits (N, P, 5 + classes)."""
    corners, tables = [], []
    for level, output in enumerate(outputs):
        table, places, sizes = cells(output, level, anchors)
        centres = (table[..., :2].sigmoid() + places) * STRIDES[level]
        halves = table[..., 2:4].exp() * sizes / 2
        corners.append(torch.cat([centres - halves, centres + halves], -1))
        tables.append(table)
    return torch.cat(corners, 1), torch.cat(tables, 1)


def detected(outputs: Sequence[Any], original: Any, anchors: Any = ANCHORS) -> list[Any]:
    """Return boxes, scores and classes of each image.

    Args:
        outputs: of the network.
        original: height and width of the images (N, 2).
        anchors: width and height of the nine, pixels.
    """
    found = []
    for corners, table, sides in zip(*decoded(outputs, anchors), original):
        likely = table[:, 4].sigmoid()
        kept = likely > 0.005
        corners, scores = corners[kept], likely[kept, None] * table[kept, 5:].sigmoid()
        corners = torch.minimum(corners.clamp(min=0), (sides.flip(0) - 1).repeat(2))
        row, kind = (scores > 0.01).nonzero(as_tuple=True)
        best = torchvision.ops.batched_nms(corners[row], scores[row, kind], kind, 0.45)[:100]
        found.append((corners[row[best]], scores[row[best], kind[best]], kind[best]))
    return found


def loss(outputs: Sequence[Any], targets: Mapping[str, Any], area: int, anchors: Any = ANCHORS) -> Any:
    """Return the loss of places, sizes, confidence and classes (arXiv 1804.02767), a sum divided by the images.

    Args:
        outputs: of the network.
        targets: "gt_bbox" (N, G, 4) in pixels, "gt_class" (N, G), and how many are given, "gt_count" (N,).
        area: of the images, pixels.
        anchors: width and height of the nine, pixels.
    """
    boxes, anchors = targets["gt_bbox"], torch.tensor(anchors, dtype=torch.float32)
    given = torch.arange(boxes.shape[1]) < targets["gt_count"][:, None]
    sides, centres = boxes[..., 2:] - boxes[..., :2], (boxes[..., 2:] + boxes[..., :2]) / 2
    common = torch.minimum(sides[:, :, None], anchors).prod(-1)
    best = (common / (sides.prod(-1, keepdim=True) + anchors.prod(-1) - common)).argmax(-1)
    total, batch = 0.0, len(boxes)
    for level, output in enumerate(outputs):
        table, places, sizes = cells(output, level, anchors.tolist())
        rows, columns = output.shape[2:]
        image, one = (given & torch.isin(best, torch.tensor(MASKS[level]))).nonzero(as_tuple=True)
        place = centres[image, one] / STRIDES[level]
        column, row = torch.minimum(place.long(), torch.tensor([columns - 1, rows - 1])).T
        at = ((best[image, one] - MASKS[level][0]) * rows + row) * columns + column
        met, wanted = table[image, at], F.one_hot(targets["gt_class"][image, one], table.shape[-1] - 5).float()
        weight = 2 - sides[image, one].prod(-1) / area
        entropy = F.binary_cross_entropy_with_logits
        inner = entropy(met[:, :2], place - place.floor(), reduction="none").sum(-1)
        inner = inner + (met[:, 2:4] - (sides[image, one] / sizes[at]).log()).abs().sum(-1)
        positive = torch.zeros(table.shape[:2]).index_put_((image, at), torch.ones(len(at)))
        with torch.no_grad():
            guess = (table[..., :2].sigmoid() + places) * STRIDES[level]
            half = table[..., 2:4].exp() * sizes / 2
            guess = torch.cat([guess - half, guess + half], -1)
            overlap = torch.stack([torchvision.ops.box_iou(a, b).amax(1) for a, b in zip(guess, boxes)])
        counted = torch.maximum(positive, (overlap <= 0.7).float())
        confidence = (entropy(table[..., 4], positive, reduction="none") * counted).sum()
        total = total + (weight * inner).sum() + confidence + entropy(met[:, 5:], wanted, reduction="sum")
    return total / batch
