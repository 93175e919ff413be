"""Classify images with a trained network."""

import argparse
import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train import command_line
from core.train.runner import commands


class Infer(commands.Infer):
    """Classifies images."""

    intermixed = True

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the run, images, and what to write."""
        parser.add_argument("run", metavar="RUN", help="the folder of a trained run, or an exported folder")
        parser.add_argument("images", nargs="*", metavar="IMAGE", help="image files, folders of them, patterns, URLs")
        command_line.add_count(parser, "--demo", None, "take the first N images of the test split")
        command_line.add_count(parser, "--top", 5, "how many classes to show", "K")
        command_line.add_count(parser, "--batch-size", 8, "images per step")
        help_text = "also draw over each image where the network finds the best class (Selvaraju et al. 2017)"
        parser.add_argument("--grad-cam", action="store_true", help=help_text)
        help_text = (
            "write a vector for each image, float32 (images, features), instead of classes; FILE.jsonl beside it says "
            "which image is which row"
        )
        parser.add_argument("--features", metavar="FILE.npy", help=help_text)
        command_line.add_checkpoint_option(parser)
        command_line.add_output_option(parser, "RUN/predictions, or RUN_predictions beside an exported one")

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for something to classify, and one thing to do with it."""
        if not (options.images or options.demo):
            return "name images, or take some of the test split with --demo 8"
        if options.features and options.grad_cam:
            return "--grad-cam shows where classes are found, and --features finds none: ask for one of them"
        if options.features and not options.features.endswith(".npy"):
            return f"features are written as NumPy's arrays: name a file that ends in .npy, not {options.features!r}"
        return ""


main = Infer(
    "PaddleClas.config",
    "Classify images: prints the best classes, draws them under each image, and writes predictions.json and "
    "predictions.csv. A file that cannot be read is named and passed over; the exit code is then 1.",
    "digits_resnet18",
    """\
  python PaddleClas/infer.py runs/digits_resnet18 --demo 8
      eight images of the test split: no files needed
  python PaddleClas/infer.py runs/digits_resnet18 photo.jpg folder/of/photos --top 3
      your own images (for digits: white on black, as the network has seen them)
  python PaddleClas/infer.py runs/hymenoptera_resnet18 'photos/**/*.jpg' https://example.org/bee.jpg
      a pattern (quoted, or left to the shell) and a URL
  python PaddleClas/infer.py runs/hymenoptera_resnet18 photo.jpg --grad-cam
      a second picture, photo_grad_cam.png: where the network finds the best class
  python PaddleClas/infer.py runs/hymenoptera_resnet18 photos --features photos.npy
      a vector for each picture of a folder, and photos.jsonl: which picture is which row
  python PaddleClas/infer.py runs/digits_resnet18/exported photo.jpg
      the same from a folder that export.py wrote: no network class, no training code
""",
)

if __name__ == "__main__":
    main.run()
