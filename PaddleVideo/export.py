"""Export a trained network of videos: a folder that predicts without the network's Python class."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

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
