"""Export a trained image classifier: a folder that predicts without the network's Python class."""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
from collections.abc import Sequence
from typing import Optional

from core.kernels import requirements
from core.train import command_line

EXAMPLES = """\
  python PaddleClas/export.py runs/digits_resnet18
      the best checkpoint of a run becomes runs/digits_resnet18/exported
  python PaddleClas/infer.py runs/digits_resnet18/exported photo.jpg
      the exported folder in place of the run: the same numbers, faster
  python PaddleClas/export.py --model ResNet50 --output exported/resnet50
      a model with its official weights, for images of ImageNet's kind
  python PaddleClas/export.py --model ResNet50 --weights mine.pdparams --class-num 20 --output exported/mine
      the same with weights of yours
  python PaddleClas/export.py runs/digits_resnet18 --onnx
      the folder holds model.onnx, too, for other runtimes: images as the preprocessing leaves them, to logits

the folder holds the program, its weights, the preprocessing and the class names; in Python:
  predictor = core.jit.Predictor("runs/digits_resnet18/exported")
  logits = predictor.run(images)        # float32 (N, channels, height, width), any N; from any number of threads
"""


def parse(arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = command_line.parser(
        "Export an image classifier as a folder that runs without its Python class, for any batch size. What it wrote "
        "is compared with the live network before the folder gets its name.",
        EXAMPLES,
    )
    parser.add_argument("run", nargs="?", metavar="RUN", help="the folder of a trained run")
    parser.add_argument(
        "--checkpoint", default="best", metavar="NAME", help="best, newest, or a name such as step_00000240"
    )
    parser.add_argument("--model", metavar="NAME", help="a model of PaddleClas.list_models(), instead of a run")
    parser.add_argument("--weights", metavar="FILE", help="a weight file for --model; default: the official one")
    parser.add_argument(
        "--class-num", type=int, default=1000, metavar="N", help="the classes of --model (default: %(default)s)"
    )
    parser.add_argument("--output", metavar="FOLDER", help="where to write; default: RUN/exported")
    parser.add_argument("--onnx", action="store_true", help="write model.onnx, too, and check it in onnxruntime")
    options = parser.parse_args(arguments)
    if bool(options.run) == bool(options.model):
        parser.error("give either the folder of a run, or a model's name with --model")
    if options.run and options.weights:
        parser.error("--weights belongs to --model; a run has its own: choose one with --checkpoint")
    if options.model and not options.output:
        parser.error("--model needs --output FOLDER")
    if options.onnx:
        requirements.check("onnx", ("onnx", "onnxruntime"))
    return options


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command; return its exit code."""
    options = parse(arguments)
    from PaddleClas import exporting

    if options.run:
        return exporting.export_run(options.run, options.checkpoint, options.output, options.onnx)
    return exporting.export_model(options.model, options.weights, options.class_num, options.output, options.onnx)


if __name__ == "__main__":
    command_line.run(main)
