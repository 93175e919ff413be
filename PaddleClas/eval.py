"""Evaluate a trained image classifier."""

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
  python PaddleClas/eval.py runs/digits_resnet18
      the best checkpoint of a run, on the test split of its config
  python PaddleClas/eval.py runs/digits_resnet18 --split valid --checkpoint newest
      another split, another checkpoint
  python PaddleClas/eval.py runs/hymenoptera_resnet18 --data elsewhere/photos
      the same kind of data in another folder
  python PaddleClas/eval.py -c my.yaml -o model.pretrained=true
      a config's network with official weights, on the data of that config
"""


def parse(arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = command_line.parser(
        "Evaluate an image classifier: accuracy, confusion matrix and a sheet of predictions. Leaves with code 1 when "
        "the config expects more than is reached.",
        EXAMPLES,
    )
    parser.add_argument("run", nargs="?", metavar="RUN", help="the folder of a run")
    parser.add_argument("-c", "--config", metavar="FILE", help="an experiment, instead of a run")
    command_line.add_override_option(parser)
    command_line.add_data_option(parser)
    parser.add_argument("--split", default="test", choices=["train", "valid", "test"], help="(default: %(default)s)")
    command_line.add_checkpoint_option(parser)
    parser.add_argument(
        "--output", metavar="FOLDER", help="where to write; default: the run's folder, else runs/evaluation"
    )
    options = parser.parse_args(arguments)
    if bool(options.run) == bool(options.config):
        parser.error("give either the folder of a run or a config with -c")
    return options


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command; return its exit code."""
    options = parse(arguments)
    from PaddleClas import evaluation

    return evaluation.evaluate(
        options.run, options.config, options.overrides, options.split, options.checkpoint, options.output
    )


if __name__ == "__main__":
    command_line.run(main)
