"""Faster and Mask R-CNN on the feature pyramid of ResNet-50: time and memory, ours beside torchvision's.

    python3.11 -m venv PEERS; PEERS/bin/pip install torch torchvision
    python -m benchmarks.PaddleDetection.region_detectors --peers PEERS/bin/python [--models mask_rcnn,faster_rcnn]
    [--paddle PADDLE/bin/python] [--size 800 1088] [--rows unfused,compiled,eager,exported,paddle] [--overlap 0.05]
    [--rounds 5] [--threads 2] [--processor]

A training step looks at one image of eight objects: forward pass, losses, backward pass, Momentum. Ours runs
compiled, as training does by default, and operator by operator ("eager"); both are compared with torchvision's, whose
backbone has the same frozen normalisations and stages, and which samples as many anchors and regions. Regions that
overlap an object by ``--overlap`` count as showing it, and have masks: with a twentieth a quarter of them do, as with
proposals of a trained network; with the usual half few do, as in the first steps of a fresh one. "unfused" is our
compiled step beside ours operator by operator. "exported" is a predictor from image to boxes with 1,000 proposals,
whose program a process before it wrote, against torchvision's evaluation. "paddle" is a compiled training step of
Faster R-CNN against PaddleDetection's in dynamic mode (detectors.py says what PADDLE needs). Weights are random and
each side's own, so sides do not find the same boxes; ours computes full tables of regions for them. Each side is a
process of its own with the same number of threads; sides of a row take turns, and its ratio is the median of the
rounds' ratios: above 1, ours is faster. Memory is the peak of a side's process above what it occupies before the model
is built or read; its ratio is the other's over ours. ``--processor`` compares the time that processors worked, for
machines that are busy otherwise.
"""

from __future__ import annotations

import argparse
import tempfile
from typing import Any

import numpy as np

from benchmarks.core.memory import resident, status
from benchmarks.options import add_sides, chosen_rows
from benchmarks.PaddleDetection.detector_training import print_row
from benchmarks.side import Side, Steps, require

CLASSES, OBJECTS = 80, 8
ROWS = ("unfused", "compiled", "eager", "exported", "paddle")


def main() -> None:
    """Print a row for each comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="faster_rcnn,mask_rcnn", help="separated by commas")
    parser.add_argument("--rows", default=",".join(ROWS[:4]), help=f"of {', '.join(ROWS)} (default all but the last)")
    parser.add_argument("--size", type=int, nargs=2, default=(800, 1088), help="height and width (default 800 1088)")
    parser.add_argument("--overlap", type=float, default=0.05, help="of regions that show an object (default 0.05)")
    add_sides(parser, rounds=5, peers="torchvision", paddle="Paddle and PaddleDetection")
    options = parser.parse_args()
    rows = chosen_rows(parser, options, ROWS)
    if set(rows) - {"paddle", "unfused"}:
        require("torch", "torchvision", python=options.peers)
    if "paddle" in rows:
        require("paddle", "ppdet", python=options.paddle)
    print(f"{'':32} {'seconds':>17} {'ratio':>6}   {'megabytes':>13} {'ratio':>6}")
    for model in options.models.split(","):
        for row in rows if model == "faster_rcnn" else [row for row in rows if row != "paddle"]:
            _compare(model, row, options)


def _compare(model: str, row: str, options: argparse.Namespace) -> None:
    size, overlap = tuple(options.size), options.overlap
    given = {"threads": options.threads, "processor": options.processor}
    with tempfile.TemporaryDirectory() as folder:
        asked = (model, size, row, overlap)
        if row == "exported":
            Side("ours", make, (model, size, folder), options.threads).close()
        mine = Side("ours", ours, (*asked, folder), **given)
        if row == "unfused":
            peer = Side("ours, unfused", ours, (model, size, "eager", overlap, folder), **given)
        elif row == "paddle":
            peer = Side("Paddle", paddle, (size, overlap), python=options.paddle, **given)
        else:
            peer = Side("torchvision", torchvision, (*asked, options.threads), python=options.peers, **given)
        print_row(f"{model}, {row}", (mine, "step"), (peer, "step"), options.rounds, f"{model}, {row}")


def scene(size: tuple[int, int]) -> dict[str, np.ndarray]:
    """Return an image, and the boxes, classes and masks of its objects."""
    random = np.random.default_rng(0)
    image = random.standard_normal((1, 3, *size), dtype=np.float32)
    corners = random.uniform(0, 0.7, (OBJECTS, 2))
    ends = corners + random.uniform(0.05, 0.3, (OBJECTS, 2))
    boxes = (np.concatenate([corners, ends], 1) * np.tile(size[::-1], 2)).astype(np.float32)
    masks = np.zeros((OBJECTS, *size), np.uint8)
    for mask, (left, top, right, bottom) in zip(masks, boxes.astype(int)):
        mask[top:bottom, left:right] = 1
    return {"image": image, "boxes": boxes, "classes": random.integers(0, CLASSES, OBJECTS), "masks": masks}


# --- inside a side ---------------------------------------------------------------------------------------------------


def make(model: str, size: tuple[int, int], folder: str) -> Steps:
    """Write our program: what that needs is no part of what runs it."""
    import core
    from core.static import InputSpec

    network = _built(model)
    network.eval()
    core.jit.save(network, f"{folder}/program", [InputSpec(one.shape, name=key) for key, one in _fields(size).items()])
    return {}


def ours(model: str, size: tuple[int, int], row: str, overlap: float, folder: str) -> Steps:
    """Return ours: a training step, or a predictor."""
    import core

    core.ones([2]).numpy()
    before = resident()
    arrays = _fields(size)
    if row == "exported":
        predictor = core.jit.Predictor(f"{folder}/program")
        return {"step": lambda: predictor.run(list(arrays.values())), "memory": lambda: status("VmHWM") - before}
    network, given = _built(model, overlap), scene(size)
    network.train()
    tensors = [core.to_tensor(array) for array in arrays.values()]
    targets = {"gt_bbox": given["boxes"], "gt_class": given["classes"], "gt_segm": given["masks"]}
    targets = {key: core.to_tensor(array[None]) for key, array in targets.items()}
    targets["gt_count"] = core.to_tensor([OBJECTS])
    optimizer = core.optimizer.Momentum(1e-5, 0.9, parameters=network.parameters())

    def total(*inputs: Any) -> Any:
        return core.add_n(list(network.losses(*inputs, targets).values()))

    loss = total if row == "eager" else core.jit.to_static(total)

    def step() -> None:
        value = loss(*tensors)
        value.backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        value.item()

    return {"step": step, "memory": lambda: status("VmHWM") - before}


def _built(model: str, overlap: float = 0.5) -> Any:
    """Return our network."""
    import core
    from core.train.config.table import Component
    from PaddleDetection.models.registry import NETWORKS

    core.seed(0)
    return NETWORKS.build(Component(name=f"{model}_r50_fpn", num_classes=CLASSES, fg_thresh=overlap))


def _fields(size: tuple[int, int]) -> dict[str, np.ndarray]:
    """Return the image and its sizes."""
    shape = np.array([size], np.float32)
    return {"image": scene(size)["image"], "im_shape": shape, "scale_factor": np.ones((1, 2), np.float32)}


def torchvision(model: str, size: tuple[int, int], row: str, overlap: float, threads: int) -> Steps:
    """Return torchvision's."""
    import torch
    from torchvision.models import detection
    from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
    from torchvision.ops.misc import FrozenBatchNorm2d

    torch.set_num_threads(threads)
    torch.ones(2).sum().item()
    before = resident()
    backbone = resnet_fpn_backbone(
        backbone_name="resnet50", weights=None, norm_layer=FrozenBatchNorm2d, trainable_layers=3
    )
    kind = detection.MaskRCNN if model == "mask_rcnn" else detection.FasterRCNN
    network = kind(
        backbone, CLASSES + 1, min_size=min(size), max_size=max(size), image_mean=[0.0] * 3, image_std=[1.0] * 3,
        rpn_post_nms_top_n_train=1000, box_fg_iou_thresh=overlap, box_bg_iou_thresh=overlap,
    )  # fmt: skip
    given = scene(size)
    image = torch.from_numpy(given["image"][0])
    target = {"boxes": given["boxes"], "labels": given["classes"] + 1, "masks": given["masks"]}
    targets = [{key: torch.from_numpy(array) for key, array in target.items()}]
    learned = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(learned, 1e-5, momentum=0.9)

    def training() -> None:
        optimizer.zero_grad()
        value = sum(network([image], targets).values())
        value.backward()
        optimizer.step()
        value.item()

    def found() -> Any:
        with torch.inference_mode():
            return network([image])

    network.train(row != "exported")
    return {"step": found if row == "exported" else training, "memory": lambda: status("VmHWM") - before}


def paddle(size: tuple[int, int], overlap: float) -> Steps:
    """Return a training step of PaddleDetection's Faster R-CNN."""
    import zlib  # noqa: F401  # before paddle, which crashes after it

    import paddle as framework

    from benchmarks.PaddleDetection.detector_paddle import built

    framework.set_device("cpu")
    framework.set_flags({"FLAGS_set_to_1d": True})  # PaddleDetection joins the sizes that it takes out of a shape
    before = resident()
    network = built("faster_rcnn_r50_fpn", CLASSES, overlap)
    given = scene(size)
    tables = {
        "gt_bbox": given["boxes"],
        "gt_class": given["classes"][:, None].astype(np.int32),
        "is_crowd": np.zeros((OBJECTS, 1), np.int32),
    }
    inputs = {key: [framework.to_tensor(table)] for key, table in tables.items()}
    inputs["image"] = framework.to_tensor(given["image"])
    inputs["im_shape"] = framework.to_tensor(np.array([size], np.float32))
    learned = [parameter for parameter in network.parameters() if not parameter.stop_gradient]
    optimizer = framework.optimizer.Momentum(1e-5, 0.9, parameters=learned)
    network.train()

    def step() -> None:
        value = network(inputs)["loss"]
        value.backward()
        optimizer.step()
        optimizer.clear_grad()
        value.item()

    return {"step": step, "memory": lambda: status("VmHWM") - before}


if __name__ == "__main__":
    main()
