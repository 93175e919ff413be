"""Evaluate a trained network of videos."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Evaluate(
    "PaddleVideo.config",
    "Evaluate a network of videos: accuracy, confusion matrix and a sheet of predictions.",
    "moving_digits_tsm",
    """\
  python PaddleVideo/eval.py -c my.yaml -o network.pretrained=true
      a config's network with official weights, on the data of that config
""",
)

if __name__ == "__main__":
    main.run()
