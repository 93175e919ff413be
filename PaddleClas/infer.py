"""Classify images with a trained network."""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
from collections.abc import Sequence
from typing import Optional

from core.train import command_line

EXAMPLES = """\
  python PaddleClas/infer.py runs/digits_resnet18 --demo 8
      eight images of the test split: no files needed
  python PaddleClas/infer.py runs/digits_resnet18 photo.jpg folder/of/photos --top 3
      your own images (for digits: white on black, as the network has seen them)
  python PaddleClas/infer.py runs/hymenoptera_resnet18 'photos/**/*.jpg' https://example.org/bee.jpg
      a pattern (quoted, or left to the shell) and a URL
  python PaddleClas/infer.py runs/hymenoptera_resnet18 photo.jpg --grad-cam
      a second picture, photo_grad_cam.png: where the network finds the best class
  python PaddleClas/infer.py runs/digits_resnet18/exported photo.jpg
      the same from a folder that export.py wrote: no network class, no training code
"""


def parse(arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = command_line.parser(
        "Classify images: prints the best classes, draws them under each image, and writes predictions.json and "
        "predictions.csv. A file that cannot be read is named and passed over; the exit code is then 1.",
        EXAMPLES,
    )
    parser.add_argument("run", metavar="RUN", help="the folder of a trained run, or an exported folder")
    parser.add_argument("images", nargs="*", metavar="IMAGE", help="image files, folders of them, patterns, URLs")
    parser.add_argument("--demo", type=int, default=0, metavar="N", help="take the first N images of the test split")
    parser.add_argument(
        "--top", type=int, default=5, metavar="K", help="how many classes to show (default: %(default)s)"
    )
    parser.add_argument(
        "--batch-size", type=int, default=8, metavar="N", help="images per step of the network (default: %(default)s)"
    )
    parser.add_argument(
        "--grad-cam",
        action="store_true",
        help="also draw over each image where the network finds the best class (Selvaraju et al. 2017)",
    )
    parser.add_argument(
        "--checkpoint", default="best", metavar="NAME", help="best, newest, or a name such as step_00000240"
    )
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        help="where to write; default: RUN/predictions, or RUN_predictions beside an exported one",
    )
    options = parser.parse_intermixed_args(arguments)  # images may stand behind options, too
    if not options.images and options.demo < 1:
        parser.error("name images, or take some of the test split with --demo 8")
    if options.top < 1:
        parser.error("--top must be at least 1")
    if options.batch_size < 1:
        parser.error("--batch-size must be at least 1")
    return options


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command; return its exit code."""
    options = parse(arguments)
    from PaddleClas import inference

    return inference.infer(
        options.run,
        options.images,
        options.demo,
        options.top,
        options.checkpoint,
        options.output,
        options.batch_size,
        options.grad_cam,
    )


if __name__ == "__main__":
    command_line.run(main)
