"""Export a trained detector: a folder that finds objects without the network's Python class."""

import argparse
import os
import sys
from typing import Any

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands


class Export(commands.Export):
    """Exports a detector, and compares what it finds in images."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the images to compare on."""
        super().add_options(parser)
        parser.add_argument(
            "--check",
            nargs="+",
            metavar="IMAGE",
            help="compare what is found in these images, folders or patterns; default: four images of the test split",
        )

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Export the run, and compare what is found; in 8 bits the split's numbers say how near it is."""
        code = super().start(toolkit, options)
        if options.int8:
            return code
        from PaddleDetection.exporting import check_export  # loads the engine, which not every process needs

        return check_export(options)


main = Export(
    "PaddleDetection.config",
    "Export a detector as a folder that runs without its Python class, for any number and size of images.",
    "digits_yolov3",
    """\
  python PaddleDetection/export.py runs/digits_yolov3 --check photos/*.jpg
      compare what the run and the export find in your images: classes, scores and corners
  python PaddleDetection/infer.py runs/digits_yolov3/exported photo.jpg
      the exported folder in place of the run
""",
)

if __name__ == "__main__":
    main.run()
