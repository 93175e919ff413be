"""Export a trained detector: a folder that finds objects without the network's Python class."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from core.train.runner import commands

main = commands.Export(
    "PaddleDetection.config",
    "Export a detector as a folder that runs without its Python class, for any number and size of images.",
    "digits_yolov3",
    """\
  python PaddleDetection/infer.py runs/digits_yolov3/exported photo.jpg
      the exported folder in place of the run
""",
)

if __name__ == "__main__":
    main.run()
