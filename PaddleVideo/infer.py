"""Recognise actions in videos with a trained network."""

import argparse
import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train import command_line
from core.train.runner import commands


class Infer(commands.Infer):
    """Recognises actions."""

    intermixed = True

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the run, videos, and what to write."""
        parser.add_argument("run", metavar="RUN", help="the folder of a trained run, or an exported folder")
        help_text = "video files, folders, patterns, URLs; for a network that finds intervals, files of features"
        parser.add_argument("videos", nargs="*", metavar="VIDEO", help=help_text)
        command_line.add_count(parser, "--demo", None, "take the first N clips of the test split")
        command_line.add_count(parser, "--top", 5, "how many classes to show", "K")
        help_text = "look at windows of so many seconds, one by one, and draw a timeline; default: at the whole video"
        parser.add_argument("--window", type=float, default=None, metavar="SECONDS", help=help_text)
        help_text = "seconds from one window to the next; default: windows follow each other"
        parser.add_argument("--step", type=float, default=None, metavar="SECONDS", help=help_text)
        parser.add_argument("--mp4", action="store_true", help="write each video with the answers in it, too")
        help_text = "of videos whose files of features do not say it, for a network that finds intervals"
        parser.add_argument("--duration", type=float, default=None, metavar="SECONDS", help=help_text)
        command_line.add_checkpoint_option(parser)
        command_line.add_output_option(parser, "RUN/predictions, or RUN_predictions beside an exported one")

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for something to look at."""
        if not (options.videos or options.demo):
            return "name videos, or take some of the test split with --demo 4"
        if wrong := command_line.seconds_problem(options, "window", "step", "duration"):
            return wrong
        return "--step needs --window" if options.step and not options.window else ""


main = Infer(
    "PaddleVideo.config",
    "Recognise actions in videos: prints the best classes, draws them under frames of each video, and writes "
    "predictions.json. A file that cannot be read is named and passed over; the exit code is then 1.",
    "moving_digits_tsm",
    """\
  python PaddleVideo/infer.py runs/moving_digits_tsm --demo 4
      four clips of the test split: no files needed
  python PaddleVideo/infer.py runs/fight_clips_tsm video.mp4 folder/of/videos --top 2
      your own videos
  python PaddleVideo/infer.py runs/fight_clips_tsm long.mp4 --window 2 --step 1 --mp4
      every second the action of two seconds: a timeline, and the video with the answers in it
  python PaddleVideo/infer.py runs/moving_digits_tsm/exported video.mp4
      the same from a folder that export.py wrote: no network class, no training code
""",
)

if __name__ == "__main__":
    main.run()
