"""Train a detector from a config file."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Train(
    "PaddleDetection.config",
    "Train a detector.",
    "digits_yolov3",
    """\
  python PaddleDetection/train.py -c PaddleDetection/configs/digits_yolov3.yaml
      train YOLOv3 on drawn scenes of handwritten digits and test it
""",
)

if __name__ == "__main__":
    main.run()
