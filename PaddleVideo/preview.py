"""Draw what training sees: a sheet of clips as strips of frames."""

import argparse
import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train import command_line
from core.train.runner import commands


class Preview(commands.Preview):
    """Draws clips."""

    def add_samples(self, parser: argparse.ArgumentParser) -> None:
        """Add which clips to draw, and how often: strips of frames are wide."""
        parser.add_argument("--split", default="train", choices=commands.SPLITS, help="(default: %(default)s)")
        command_line.add_count(parser, "--images", 4, "how many clips")
        command_line.add_count(parser, "--versions", 2, "of each")


main = Preview(
    "PaddleVideo.config",
    "Draw training clips, or skeletons, as the network sees them: a row for each, first some frames as they are read, "
    "then the chosen and transformed frames of the first epochs. The same seed draws the same sheet, and training with "
    "it the same clips.",
    "moving_digits_tsm",
    """\
  python PaddleVideo/preview.py -c PaddleVideo/configs/moving_digits_tsm.yaml
      four training clips, each in two versions, into preview.png
  python PaddleVideo/preview.py -c my.yaml --data my/videos --images 8 --versions 3 --output sheet.png
      more of them, elsewhere
  python PaddleVideo/preview.py -c my.yaml -o 'data.train.mix=[{name: Mixup}]'
      batches that are mixed
""",
)

if __name__ == "__main__":
    main.run()
