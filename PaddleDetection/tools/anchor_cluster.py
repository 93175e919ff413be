"""Find anchors for the boxes of a data set."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Optional

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../../..")

from core import LazyGuard
from core.train import command_line
from PaddleDetection.config import TOOLKIT
from PaddleDetection.data.anchors import box_sides
from PaddleDetection.models.anchor_fitting import LEAST, by_rows, cluster_anchors, mean_overlap, overlaps, pixels
from PaddleDetection.models.registry import NETWORKS

EXAMPLES = """\
  python PaddleDetection/tools/anchor_cluster.py -c PaddleDetection/configs/yolox/yolox_s_300e_coco.yaml -n 9 -s 608
      nine anchors for images of 608 x 608 pixels
  python PaddleDetection/tools/anchor_cluster.py -c my.yaml --data my/coco -n 6 -s 320,416 --split valid
      six, for images 320 pixels wide and 416 high
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Cluster the boxes of a config's data and print anchors.

    Args:
        arguments: the words of the command line; None: those of the process.
    """
    parser = command_line.parser(
        "Find anchors that fit the boxes of a data set: k-means, with what a box and an anchor do not share as their "
        "distance. Anchors are widths and heights in pixels, small ones first, as a config's network.anchors. Behind "
        "them is what sets anchors of the config's own network that fit better.",
        EXAMPLES,
    )
    parser.add_argument("-c", "--config", metavar="FILE", required=True, help="the experiment whose data is meant")
    command_line.add_config_options(parser)
    command_line.add_count(parser, "-n", 9, "how many anchors")
    parser.add_argument(
        "-s", "--size", default="608", metavar="W,H", help="width and height of images, or one number (default: 608)"
    )
    parser.add_argument("--split", default="train", choices=("train", "valid", "test"), help="default: train")
    command_line.add_count(parser, "--iters", 1000, "the most steps of k-means")
    options = parser.parse_args(arguments)
    parts = options.size.split(",")
    if len(parts) > 2 or not all(part.strip().isdigit() and int(part) for part in parts):
        parser.error(f"--size must be one or two positive numbers, not {options.size!r}")
    width, height = int(parts[0]), int(parts[-1])
    config = TOOLKIT.load(options.config, options.overrides)
    sides = box_sides(config.data.build_dataset(options.split), (height, width))
    if not len(sides):
        raise ValueError(f"data.{options.split} has no boxes")
    anchors = cluster_anchors(sides, options.n, config.seed, options.iters)
    fitting = (overlaps(sides, anchors).max(axis=1) >= LEAST).mean()
    print(f"{len(sides):,} boxes of data.{options.split}, in images of {width} x {height} pixels")
    print(f"a box overlaps its best anchor by {mean_overlap(sides, anchors):.4f} on the average")
    print(f"{fitting:.1%} of the boxes overlap one by {LEAST} or more")
    print(f"anchors: {pixels(anchors)}")
    with LazyGuard():  # its weights do not count
        network = NETWORKS.build(config.network)
    if network.anchors:
        own, fitted = mean_overlap(sides, by_rows(network.anchors)), network.fitted_anchors(sides)
        print(f"{config.network.name}: {own:.4f}; with {fitted}: {mean_overlap(sides, fitted.anchors):.4f}")
    return 0


if __name__ == "__main__":
    command_line.run(main)
