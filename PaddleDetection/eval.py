"""Evaluate a trained detector."""

import argparse
import os
import sys
from typing import Any

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands


class Evaluate(commands.Evaluate):
    """Evaluates a detector, or the result files of an evaluation."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add a list of classes, and stored results."""
        super().add_options(parser)
        parser.add_argument(
            "--classwise",
            dest="overrides",
            action="append_const",
            const="evaluate.classwise=true",
            help="list the average precision of each class, however many there are",
        )
        parser.add_argument(
            "--json-eval",
            metavar="FOLDER",
            help="judge the bbox.json, and mask.json, of this folder instead of running the network",
        )

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Evaluate."""
        if options.json_eval is None:
            return super().start(toolkit, options)
        from PaddleDetection.rescoring import rescore  # loads the engine, which not every process needs

        return rescore(toolkit, options)


main = Evaluate(
    "PaddleDetection.config",
    "Evaluate a detector: average precision as VOC or COCO has it, of each class too, result files in COCO's format, "
    "curves of precision over recall, and the images with the worst mistakes.",
    "digits_yolov3",
    """\
  python PaddleDetection/eval.py runs/digits_yolov3 -o evaluate.metric=COCO
      by COCO's measure: over ten overlaps, and by the sizes of objects
  python PaddleDetection/eval.py runs/digits_yolov3 --classwise --json-eval runs/digits_yolov3/evaluation_test
      judge what an evaluation has stored, without the network
  python PaddleDetection/eval.py runs/digits_yolov3 -o 'evaluate.scales=[1.0, 0.8]' -o evaluate.flip=true
      look at each image in two sizes, and mirrored
""",
)

if __name__ == "__main__":
    main.run()
