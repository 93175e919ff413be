"""Cross-validate a network that classifies graphs, as Xu et al. (ICLR 2019) count it: a run for each fold, one best
epoch."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train import command_line
from core.train.runner import commands


class CrossValidate(commands.Command):
    """``cross_validate.py``: a run for each fold, and the epoch that is best on average."""

    command = "cross_validate"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the config, overrides, and how many folds."""
        parser.add_argument("-c", "--config", metavar="FILE", help="the experiment, of a data set that has folds")
        command_line.add_config_options(parser)
        command_line.add_count(parser, "--folds", 10, "how many folds there are")

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for something to train."""
        return "" if options.config else "give a config with -c"

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Train a run for each fold."""
        from PGL.tasks.cross_validation import cross_validate  # loads the engine, which not every process needs

        return cross_validate(toolkit, options.config, options.folds, options.overrides)


main = CrossValidate(
    "PGL.config",
    "Train a run for each fold of a set of graphs, validated on the fold after every epoch; report the epoch whose"
    " accuracy, "
    "averaged over the folds, is best.",
    "own_graphs_gin",
    """\
  python PGL/cross_validate.py -c PGL/configs/own_graphs_gin.yaml --data FOLDER
      ten runs, in runs/own_graphs_gin/fold_0 and so on, and folds.json; called again it goes on where it stopped
  python PGL/cross_validate.py -c PGL/configs/own_graphs_gin.yaml --data FOLDER --folds 5 -o train.epochs=50
      five folds, fewer epochs
""",
)

if __name__ == "__main__":
    main.run()
