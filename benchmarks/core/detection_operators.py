"""Operators of detectors: ours beside torchvision's, in milliseconds.

    python -m benchmarks.core.detection_operators [--peers PYTHON] [--rounds 9] [--threads 2] [--processor]
        [--only NAMES]

Suppression of 6,000 boxes at 0.7; RoIAlign of 512 boxes on 256 x 200 x 272 features into 7 x 7 bins, sampling ratio 2,
forward, and forward with backward; matching of 217,413 anchors (five levels of an 800 x 1088 image) with 30 objects,
both thresholds and each object's best included; deformable convolution 3 x 3, 128 to 128 channels on 100 x 136 with a
mask, forward, and forward with backward, and a plain convolution of that size. ``--peers`` names a Python that has
torch and torchvision. Each side is a process of its own; the sides of a row take turns, and the ratio is the median
of the rounds' ratios. A ratio above 1 says that ours is faster. ``--processor`` compares the time that processors
worked, for machines that are busy otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any, Callable

import numpy as np

Steps = Mapping[str, Callable[[], Any]]
REPEATS = {
    "suppression": 5, "roi_align": 2, "roi_align with backward": 1, "matching": 2, "deformable": 2,
    "deformable with backward": 1, "plain convolution": 5,
}  # fmt: skip


def main() -> None:
    """Print one row per comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", metavar="PYTHON", default=sys.executable, help="the Python that has torchvision")
    parser.add_argument("--rounds", type=int, default=9, help="rounds in which the sides take turns (default 9)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--processor", action="store_true", help="compare the time that processors worked")
    parser.add_argument("--only", default="", help="only rows of these names, separated by commas")
    arguments = parser.parse_args()
    from benchmarks.side import Side, compare, require

    require("torch", "torchvision", "numpy", python=arguments.peers)
    settings = {"threads": arguments.threads, "processor": arguments.processor}
    mine = Side("ours", ours, **settings)
    peer = Side("torchvision", torchvision, (arguments.threads,), **settings, python=arguments.peers)
    print(f"{'':26} {'ours':>12} {'torchvision':>14} {'ratio':>7}")
    for step in arguments.only.split(",") if arguments.only else REPEATS:
        own, theirs, ratio = compare((mine, step), (peer, step), arguments.rounds, REPEATS[step])
        print(f"{step:26} {own * 1e3:9.2f} ms {theirs * 1e3:11.2f} ms {ratio:7.2f}", flush=True)
    for side in (mine, peer):
        side.close()


# --- inside a side ---------------------------------------------------------------------------------------------------


def given() -> dict[str, np.ndarray]:
    """Return the same inputs for both sides."""
    random = np.random.RandomState(0)

    def boxes(count: int, smallest: float, largest: float) -> np.ndarray:
        corner = random.uniform(0, [1088 - smallest, 800 - smallest], (count, 2))
        end = np.minimum(corner + random.uniform(smallest, largest, (count, 2)), [1088, 800])
        return np.concatenate([corner, end], 1).astype(np.float32)

    return {
        "boxes": boxes(6000, 16, 300),
        "scores": random.rand(6000).astype(np.float32),
        "features": random.randn(1, 256, 200, 272).astype(np.float32),
        "rois": boxes(512, 16, 300),
        "anchors": boxes(217413, 16, 400),
        "objects": boxes(30, 30, 300),
        "x": random.randn(1, 128, 100, 136).astype(np.float32),
        "offset": random.randn(1, 18, 100, 136).astype(np.float32),
        "mask": random.rand(1, 9, 100, 136).astype(np.float32),
        "weight": random.randn(128, 128, 3, 3).astype(np.float32) * 0.05,
    }


def ours() -> Steps:
    """Return ours."""
    import core
    from core.nn import functional as F
    from core.vision import ops

    t = {name: core.to_tensor(array) for name, array in given().items()}
    one, objects = core.to_tensor([512]), t["objects"].unsqueeze(0)
    learned = [t[name] for name in ("features", "x", "offset", "mask", "weight")]

    def align() -> Any:
        return ops.roi_align(t["features"], t["rois"], one, 7, 0.25, 2)

    def deform() -> Any:
        return ops.deform_conv2d(t["x"], t["offset"], t["weight"], padding=1, mask=t["mask"])

    def back(function: Callable[[], Any]) -> Any:
        for tensor in learned:
            tensor.stop_gradient, tensor.grad = False, None
        function().sum().backward()
        results = [tensor.grad.numpy() for tensor in learned if tensor.grad is not None]
        for tensor in learned:
            tensor.stop_gradient = True
        return results

    return {
        "suppression": lambda: ops.nms(t["boxes"], 0.7, t["scores"]).numpy(),
        "roi_align": lambda: align().numpy(),
        "roi_align with backward": lambda: back(align),
        "matching": lambda: ops.label_box(t["anchors"], objects, 0.7, 0.3, True)[1].numpy(),
        "deformable": lambda: deform().numpy(),
        "deformable with backward": lambda: back(deform),
        "plain convolution": lambda: F.conv2d(t["x"], t["weight"], padding=1).numpy(),
    }


def torchvision(threads: int) -> Steps:
    """Return torchvision's; its detectors match by these lines."""
    import torch
    from torchvision import ops
    from torchvision.models.detection._utils import Matcher

    torch.set_num_threads(threads)
    t = {name: torch.from_numpy(array) for name, array in given().items()}
    learned = [t[name] for name in ("features", "x", "offset", "mask", "weight")]
    matcher = Matcher(0.7, 0.3, allow_low_quality_matches=True)

    def align() -> Any:
        return ops.roi_align(t["features"], [t["rois"]], 7, 0.25, 2, True)

    def deform() -> Any:
        return ops.deform_conv2d(t["x"], t["offset"], t["weight"], padding=1, mask=t["mask"])

    def back(function: Callable[[], Any]) -> Any:
        for tensor in learned:
            tensor.requires_grad, tensor.grad = True, None
        function().sum().backward()
        results = [tensor.grad.numpy() for tensor in learned if tensor.grad is not None]
        for tensor in learned:
            tensor.requires_grad = False
        return results

    return {
        "suppression": lambda: ops.nms(t["boxes"], t["scores"], 0.7).numpy(),
        "roi_align": lambda: align().numpy(),
        "roi_align with backward": lambda: back(align),
        "matching": lambda: matcher(ops.box_iou(t["objects"], t["anchors"])).numpy(),
        "deformable": lambda: deform().numpy(),
        "deformable with backward": lambda: back(deform),
        "plain convolution": lambda: torch.nn.functional.conv2d(t["x"], t["weight"], padding=1).numpy(),
    }


if __name__ == "__main__":
    main()
