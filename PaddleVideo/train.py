"""Train a network of videos from a config file."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Train(
    "PaddleVideo.config",
    "Train a network of videos.",
    "moving_digits_tsm",
    """\
  python PaddleVideo/train.py -c PaddleVideo/configs/moving_digits_tsm.yaml
      train TSM on handwritten digits that move, and test it
  python PaddleVideo/train.py -c PaddleVideo/configs/fight_clips_tsm.yaml --data my/videos
      another config, and where its data is
""",
)

if __name__ == "__main__":
    main.run()
