"""Evaluate a trained generator."""

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
  python PaddleGAN/eval.py runs/faces_dcgan
      the best checkpoint of a run, on the test split
  python PaddleGAN/eval.py runs/faces_dcgan --split valid --checkpoint newest
      another split, another checkpoint
  python PaddleGAN/eval.py runs/fashion_mnist_cgan --data my/fashion-mnist
      the data in another folder
"""


def parse(arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = command_line.parser(
        "Evaluate a run: the distances FID and KID of generated images from real ones, and what else its task "
        "measures. Leaves with code 1 when the config expects more than is reached.",
        EXAMPLES,
    )
    parser.add_argument("run", metavar="RUN", help="the folder of a run")
    command_line.add_override_option(parser)
    command_line.add_data_option(parser)
    parser.add_argument("--split", default="test", choices=["train", "valid", "test"], help="(default: %(default)s)")
    command_line.add_checkpoint_option(parser)
    parser.add_argument("--output", metavar="FOLDER", help="where to write; default: RUN/evaluation_SPLIT")
    return parser.parse_args(arguments)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command; return its exit code."""
    options = parse(arguments)
    from PaddleGAN import evaluation

    return evaluation.evaluate(options.run, options.split, options.checkpoint, options.overrides, options.output)


if __name__ == "__main__":
    command_line.run(main)
