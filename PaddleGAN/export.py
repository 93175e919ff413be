"""Export a trained generator: a folder that computes without its Python class."""

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
  python PaddleGAN/export.py runs/faces_dcgan
      the best checkpoint of a run becomes runs/faces_dcgan/exported: noise to images
  python PaddleGAN/export.py runs/fashion_mnist_cgan --checkpoint newest --output exported/clothing
      noise and classes to images

in Python:
  predictor = core.jit.Predictor("exported/clothing")
  images = predictor.run([noise, classes])           # from any number of threads
"""


def parse(arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = command_line.parser(
        "Export a run's generator as a folder that runs without its Python class. What it wrote is compared with the "
        "live network before the folder gets its name.",
        EXAMPLES,
    )
    parser.add_argument("run", metavar="RUN", help="the folder of a trained run")
    command_line.add_checkpoint_option(parser)
    parser.add_argument("--output", metavar="FOLDER", help="where to write; default: RUN/exported")
    return parser.parse_args(arguments)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command; return its exit code."""
    options = parse(arguments)
    from PaddleGAN import exporting

    return exporting.export_run(options.run, options.checkpoint, options.output)


if __name__ == "__main__":
    command_line.run(main)
