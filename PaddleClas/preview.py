"""Draw what training sees: a sheet of augmented images."""

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
  python PaddleClas/preview.py -c PaddleClas/configs/digits_resnet18.yaml
      four training images, each in seven random versions, into preview.png
  python PaddleClas/preview.py -c my.yaml --data my/photos --images 8 --versions 5 --output sheet.png
      more of them, elsewhere
  python PaddleClas/preview.py -c my.yaml -o 'data.train.mix=[{name: CutMix}]' --images 8
      batches that are mixed
"""


def parse(arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = command_line.parser(
        "Draw training images as the network sees them: a row for each image, the original first, then as it is in the "
        "first epochs. The same seed draws the same sheet, and training with it the same images.",
        EXAMPLES,
    )
    parser.add_argument("-c", "--config", metavar="FILE", required=True, help="the experiment")
    command_line.add_override_option(parser)
    command_line.add_data_option(parser)
    parser.add_argument("--split", default="train", choices=["train", "valid", "test"], help="(default: %(default)s)")
    parser.add_argument("--images", type=int, default=4, metavar="N", help="how many images (default: %(default)s)")
    parser.add_argument("--versions", type=int, default=7, metavar="N", help="of each (default: %(default)s)")
    parser.add_argument("--output", default="preview.png", metavar="FILE", help="(default: %(default)s)")
    options = parser.parse_args(arguments)
    if min(options.images, options.versions) < 1:
        parser.error("--images and --versions must be at least 1")
    return options


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command; return its exit code."""
    options = parse(arguments)
    from PaddleClas import previewing

    previewing.preview(
        options.config, options.overrides, options.split, options.images, options.versions, options.output
    )
    return 0


if __name__ == "__main__":
    command_line.run(main)
