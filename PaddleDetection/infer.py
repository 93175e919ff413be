"""Find objects in images and videos with a trained detector."""

import argparse
import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train import command_line
from core.train.runner import commands


class Infer(commands.Infer):
    """Finds objects in images and videos."""

    intermixed = True

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the run, images, and what to write."""
        parser.add_argument("run", metavar="RUN", help="the folder of a trained run, or an exported folder")
        parser.add_argument("images", nargs="*", metavar="IMAGE", help="images, folders, patterns, URLs; video files")
        command_line.add_count(parser, "--demo", None, "take the first N images of the test split")
        parser.add_argument(
            "--draw-threshold", type=float, default=0.5, metavar="S", help="the lowest score (default: %(default)s)"
        )
        parser.add_argument("--save-txt", action="store_true", help="also write a text file for each image")
        command_line.add_checkpoint_option(parser)
        command_line.add_output_option(parser, "RUN/predictions, or RUN_predictions beside an exported one")

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for something to look at."""
        if not options.draw_threshold >= 0:
            return f"--draw-threshold must be a number from 0 on, not {options.draw_threshold:g}"
        return "" if options.images or options.demo else "name images, or take some of the test split with --demo 8"


main = Infer(
    "PaddleDetection.config",
    "Find objects in images and videos: draws them with their scores, and writes predictions.json. A file "
    "that cannot be read is named and passed over; the exit code is then 1.",
    "digits_yolov3",
    """\
  python PaddleDetection/infer.py runs/digits_yolov3 --demo 8
      eight images of the test split: no files needed
  python PaddleDetection/infer.py runs/digits_yolov3 photo.jpg folder/of/photos --draw-threshold 0.3
      your own images
  python PaddleDetection/infer.py runs/digits_yolov3 clip.mp4
      a video: its frames with what is found in them, and a line of JSON for each
  python PaddleDetection/infer.py runs/digits_yolov3/exported photo.jpg --save-txt
      the same from a folder that export.py wrote; also a line of text for each object
""",
)

if __name__ == "__main__":
    main.run()
