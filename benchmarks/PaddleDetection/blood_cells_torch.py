"""PyTorch's side of benchmarks.PaddleDetection.blood_cells: the same definitions, trained on our batches.

YOLOv3 and SSD are written as one writes them in plain PyTorch, and begin with our weights; Faster R-CNN is that of
torchvision, with initial weights of its own.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

import numpy as np
import torch
import torchvision
from torch import nn
from torch.nn import functional as F
from torchvision.models.detection import FasterRCNN, rpn
from torchvision.models.detection import backbone_utils as trunks
from torchvision.models.detection import faster_rcnn as heads

from benchmarks.PaddleClas.accuracy_sides import _learning_rate
from benchmarks.PaddleDetection import detector_torch

VARIANCE = torch.tensor([0.1, 0.1, 0.2, 0.2])
FURTHER = ((256, 512), (128, 256), (128, 256), (64, 128))


class YOLO(nn.Module):
    """YOLOv3 with its loss and its boxes."""

    def __init__(self, settings: Mapping[str, Any], folder: Path) -> None:
        super().__init__()
        self.anchors = settings["anchors"]
        shape = (settings["num_classes"], settings["scale"], settings["width"])
        self.network = detector_torch.YOLOv3(settings["name"], *shape)
        detector_torch.load(self.network, list(np.load(folder / "initial.npz").values()))

    def loss(self, images: Any, targets: Mapping[str, Any]) -> Any:
        """Return the loss of a batch."""
        return detector_torch.loss(self.network(images), targets, images.shape[2] * images.shape[3], self.anchors)

    def found(self, images: Any) -> list[Any]:
        """Return boxes, scores and classes of each image."""
        sides = torch.tensor([images.shape[2:]] * len(images))
        return detector_torch.detected(self.network(images), sides, self.anchors)


class SSD(nn.Module):
    """SSD on MobileNetV1 with its loss and its boxes."""

    def __init__(self, settings: Mapping[str, Any], folder: Path) -> None:
        super().__init__()
        self.priors = torch.from_numpy(np.load(folder / "priors.npy"))
        self.classes, have = settings["num_classes"], int(1024 * settings["scale"])
        self.parts, channels = nn.ModuleList(detector_torch.mobilenet(settings["scale"], (11, 13))), [have // 2, have]
        for inner, outer in FURTHER:
            first, second = detector_torch.Block(have, inner, 1), detector_torch.Block(inner, outer, 3, 2)
            for block in (first, second):
                block[2] = nn.ReLU6(inplace=True)
            self.parts.append(nn.Sequential(first, second))
            channels.append(have := outer)
        counts = settings["prior_counts"]
        self.boxes = nn.ModuleList(nn.Conv2d(one, count * 4, 1) for one, count in zip(channels, counts))
        self.scores = nn.ModuleList(
            nn.Conv2d(one, count * (self.classes + 1), 1) for one, count in zip(channels, counts)
        )
        detector_torch.load(self, list(np.load(folder / "initial.npz").values()))

    def forward(self, images: Any) -> tuple[Any, Any]:
        """Return shifts (N, A, 4) and scores (N, A, classes + 1), background last."""
        maps, x = [], images
        for part in self.parts:
            x = part(x)
            maps.append(x)

        def listed(layers: Any, width: int) -> Any:
            found = [layer(x).permute(0, 2, 3, 1).reshape(len(x), -1, width) for layer, x in zip(layers, maps)]
            return torch.cat(found, 1)

        return listed(self.boxes, 4), listed(self.scores, self.classes + 1)

    def loss(self, images: Any, targets: Mapping[str, Any]) -> Any:
        """Return the loss of a batch, with three negative prior boxes for each positive one."""
        deltas, scores = self(images)
        size = torch.tensor(images.shape[:1:-1]).repeat(2)
        where, sides = _centred(self.priors)
        labels = torch.full(scores.shape[:2], self.classes)
        wanted = torch.zeros_like(deltas)
        for image, count in enumerate(targets["gt_count"].tolist()):
            if not count:
                continue
            boxes = targets["gt_bbox"][image, :count] / size
            overlap = torchvision.ops.box_iou(boxes, self.priors)
            best, place = overlap.max(0)
            own = overlap.argmax(1)
            place[own], best[own] = torch.arange(count), 1.0
            at = (best >= 0.5).nonzero()[:, 0]
            labels[image, at] = targets["gt_class"][image, place[at]]
            centres, extents = _centred(boxes[place[at]])
            moved = torch.cat([(centres - where[at]) / sides[at], (extents / sides[at]).log()], 1)
            wanted[image, at] = moved / VARIANCE
        positive = labels < self.classes
        total = positive.sum().clamp(min=1)
        entropy = F.cross_entropy(scores.transpose(1, 2), labels, reduction="none")
        ranks = entropy.detach().masked_fill(positive, 0).argsort(1, descending=True).argsort(1)
        counted = positive | (ranks < 3 * positive.sum(1, keepdim=True))
        apart = F.smooth_l1_loss(deltas, wanted, reduction="none").sum(-1)
        return ((apart * positive).sum() + (entropy * counted).sum()) / total

    def found(self, images: Any) -> list[Any]:
        """Return boxes, scores and classes of each image."""
        size = torch.tensor(images.shape[:1:-1]).repeat(2)
        where, sides = _centred(self.priors)
        answers = []
        for deltas, scores in zip(*self(images)):
            deltas = deltas * VARIANCE
            centres, extents = where + deltas[:, :2] * sides, deltas[:, 2:].exp() * sides
            boxes = torch.cat([centres - extents / 2, centres + extents / 2], 1) * size
            likely = scores.softmax(-1)[:, :-1]
            row, kind = (likely > 0.01).nonzero(as_tuple=True)
            best = torchvision.ops.batched_nms(boxes[row], likely[row, kind], kind, 0.45)[:200]
            answers.append((boxes[row[best]], likely[row[best], kind[best]], kind[best]))
        return answers


class Faster(nn.Module):
    """torchvision's Faster R-CNN on ResNet-18 and a feature pyramid."""

    def __init__(self, settings: Mapping[str, Any], folder: Path) -> None:
        super().__init__()
        channels, ratios = settings["channels"], settings["aspect_ratios"]
        trunk = torchvision.models.resnet18(weights=None)
        layers = {f"layer{number}": str(number) for number in range(1, 5)}
        last = torchvision.ops.feature_pyramid_network.LastLevelMaxPool()
        backbone = trunks.BackboneWithFPN(trunk, layers, [64, 128, 256, 512], channels, last)
        grid = rpn.AnchorGenerator(tuple((size,) for size in settings["anchor_sizes"]), (tuple(ratios),) * 5)
        pool = torchvision.ops.MultiScaleRoIAlign(
            ["1", "2", "3", "4"], 7, 2, canonical_scale=settings["canonical_size"]
        )
        height, width = np.load(folder / "valid_images.npy", mmap_mode="r").shape[2:]
        self.network = FasterRCNN(
            backbone,
            rpn_anchor_generator=grid,
            rpn_head=rpn.RPNHead(channels, len(ratios)),
            rpn_pre_nms_top_n_train=settings["train_pre_nms_top_n"],
            rpn_post_nms_top_n_train=settings["train_post_nms_top_n"],
            rpn_pre_nms_top_n_test=settings["test_pre_nms_top_n"],
            rpn_post_nms_top_n_test=settings["test_post_nms_top_n"],
            rpn_batch_size_per_image=settings["rpn_batch_size_per_im"],
            box_batch_size_per_image=settings["batch_size_per_im"],
            box_roi_pool=pool,
            box_head=heads.TwoMLPHead(channels * 49, settings["head_channels"]),
            box_predictor=heads.FastRCNNPredictor(settings["head_channels"], settings["num_classes"] + 1),
            min_size=min(height, width),
            max_size=max(height, width),
            image_mean=[0.0] * 3,
            image_std=[1.0] * 3,
        )

    def loss(self, images: Any, targets: Mapping[str, Any]) -> Any:
        """Return the sum of the losses of a batch."""
        counts = targets["gt_count"].tolist()
        boxes, classes = targets["gt_bbox"], targets["gt_class"]
        truth = [
            {"boxes": boxes[image, :count], "labels": classes[image, :count] + 1} for image, count in enumerate(counts)
        ]
        return sum(self.network(list(images), truth).values())

    def found(self, images: Any) -> list[Any]:
        """Return boxes, scores and classes of each image."""
        return [(one["boxes"], one["scores"], one["labels"] - 1) for one in self.network(list(images))]


NETWORKS = {"yolov3_mobilenet_v1": YOLO, "ssd_mobilenet_v1_300": SSD, "faster_rcnn_r18_fpn": Faster}


def _centred(boxes: Any) -> tuple[Any, Any]:
    """Return centres and extents of boxes."""
    return (boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]


def train(folder: Path, start: Optional[Path]) -> None:
    """Train on the batches in a folder, and write what is found in its images to validate.

    Args:
        folder: written by benchmarks.PaddleDetection.blood_cells; gets weights.pt and detections.npz.
        start: another network's weights.pt; parameters of other shapes stay fresh.
    """
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    torch.manual_seed(config["seed"])
    network = NETWORKS[config["network"]["name"]](config["network"], folder)
    if start is not None:
        own, given = network.state_dict(), torch.load(start)
        network.load_state_dict({**own, **{key: one for key, one in given.items() if one.shape == own[key].shape}})
    images = np.load(folder / "images.npy", mmap_mode="r")
    objects = {key: np.load(folder / f"{key}.npy") for key in ("gt_bbox", "gt_class", "gt_count")}
    epochs, chosen = config["train"]["epochs"], config["optimizer"]
    if chosen["name"] != "AdamW":
        raise SystemExit(f"the PyTorch side has no {chosen['name']}; it has AdamW")
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=chosen["weight_decay"])
    rate = _learning_rate(config["schedule"], len(images) // epochs, epochs)
    began, worked = time.perf_counter(), time.process_time()
    network.train()
    for step, batch in enumerate(images):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        optimizer.zero_grad()
        targets = {key: torch.from_numpy(array[step]) for key, array in objects.items()}
        loss = network.loss(torch.from_numpy(batch.astype(np.float32)), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), chosen["clip"]["norm"])
        optimizer.step()
        if step % (len(images) // epochs) == 0:
            print(f"step {step}/{len(images)}: loss {loss.item():.4g}", flush=True)
    seconds = {"seconds": time.perf_counter() - began, "processor_seconds": time.process_time() - worked}
    torch.save(network.state_dict(), folder / "weights.pt")
    network.eval()
    rows, of_image = [], []
    with torch.inference_mode():
        for first in range(0, len(shown := np.load(folder / "valid_images.npy", mmap_mode="r")), 29):
            part = torch.from_numpy(shown[first : first + 29].astype(np.float32))
            for image, (boxes, scores, kinds) in enumerate(network.found(part), first):
                rows.append(torch.cat([kinds[:, None].float(), scores[:, None], boxes], 1).numpy())
                of_image += [image] * len(boxes)
    np.savez(folder / "detections.npz", rows=np.concatenate(rows), image=np.array(of_image), **seconds)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    train(Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
