"""Export a trained image classifier: a folder that predicts without the network's Python class."""

import argparse
import os
import sys
from typing import Any

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands


class Export(commands.Export):
    """Exports a run, or a model with a weight file."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the model, its weights and its classes."""
        super().add_options(parser)
        parser.add_argument("--model", metavar="NAME", help="a model of PaddleClas.list_models(), instead of a run")
        parser.add_argument("--weights", metavar="FILE", help="a weight file for --model; default: the official one")
        parser.add_argument(
            "--class-num", type=int, default=1000, metavar="N", help="the classes of --model (default: %(default)s)"
        )

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for one of run and model, with what belongs to it."""
        if bool(options.run) == bool(options.model):
            return "give either the folder of a run, or a model's name with --model"
        if options.run and options.weights:
            return "--weights belongs to --model; a run has its own: choose one with --checkpoint"
        if options.model and not options.output:
            return "--model needs --output FOLDER"
        if options.model and options.int8:
            return "--int8 needs a run, whose data calibrates; --model has none"
        self.check_onnx(options)
        return self.problem_of_int8(options)

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Export."""
        if options.run:
            return super().start(toolkit, options)
        from PaddleClas.exporting import export_model

        return export_model(options.model, options.weights, options.class_num, options.output, options.onnx)


main = Export(
    "PaddleClas.config",
    "Export an image classifier as a folder that runs without its Python class, for any batch size.",
    "digits_resnet18",
    """\
  python PaddleClas/infer.py runs/digits_resnet18/exported photo.jpg
      the exported folder in place of the run: the same numbers, faster
  python PaddleClas/export.py --model ResNet50 --output exported/resnet50
      a model with its official weights, for images of ImageNet's kind
  python PaddleClas/export.py --model ResNet50 --weights mine.pdparams --class-num 20 --output exported/mine
      the same with weights of yours

the folder holds the program, its weights, the preprocessing and the class names; in Python:
  predictor = core.jit.Predictor("runs/digits_resnet18/exported")
  logits = predictor.run(images)        # float32 (N, channels, height, width), any N; from any number of threads
""",
)

if __name__ == "__main__":
    main.run()
