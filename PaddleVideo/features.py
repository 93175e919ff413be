"""Extract features of videos with trained recognisers, once, to files that training and infer.py read."""

import argparse
import os
import sys
from typing import Any

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train import command_line
from core.train.runner import commands


class Features(commands.Command):
    """Writes what recognisers say of each moment of videos."""

    command = "features"
    intermixed = True
    shared = "{own}"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the recognisers, videos, the moments, and what is written."""
        parser.add_argument("run", metavar="RUN", help="the folder of a trained recogniser, or an exported one")
        parser.add_argument("videos", nargs="+", metavar="VIDEO", help="video files, folders of them, patterns, URLs")
        help_text = "another recogniser, whose scores follow those of the first, such as one of optical flow"
        parser.add_argument("--second", metavar="RUN", help=help_text)
        parser.add_argument(
            "--window", type=float, default=1.0, metavar="SECONDS", help="what a step looks at (default: %(default)s)"
        )
        help_text = "from one step to the next (default: the window)"
        parser.add_argument("--step", type=float, default=None, metavar="SECONDS", help=help_text)
        command_line.add_count(parser, "--length", None, "resample to so many steps, as C-TCN takes them: 512", "STEPS")
        parser.add_argument("--bytes", action="store_true", help="write scores as bytes, a quarter of the size")
        parser.add_argument("--again", action="store_true", help="extract again what has a file already")
        command_line.add_checkpoint_option(parser)
        command_line.add_output_option(parser, "RUN/features, or RUN_features beside an exported one")

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for windows and steps that are times."""
        return command_line.seconds_problem(options, "window", "step")

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Extract."""
        from PaddleVideo.localization.extraction import extract  # loads the engine, which not every process needs

        return extract(options)


main = Features(
    "PaddleVideo.config",
    "Extract features of videos: a trained recogniser looks at one window after another, and the probabilities of its "
    "classes are written to NAME.pkl, a mapping of scores and duration. A file that cannot be read is named and passed "
    "over; the exit code is then 1.",
    "moving_digits_tsm",
    """\
  python PaddleVideo/features.py runs/rgb videos --second runs/flow --window 0.6 --step 0.2 --length 512
      C-TCN's files: of two recognisers, such as of frames and of optical flow, at 512 steps
""",
)

if __name__ == "__main__":
    main.run()
