"""Export a trained network of videos: a folder that predicts without the network's Python class."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Export(
    "PaddleVideo.config",
    "Export a network of videos as a folder that runs without its Python class, with the choice of frames, the "
    "preprocessing and the views of its tests.",
    "moving_digits_tsm",
    """\
  python PaddleVideo/infer.py runs/moving_digits_tsm/exported video.mp4
      the exported folder in place of the run: the same numbers, faster
""",
)

if __name__ == "__main__":
    main.run()
