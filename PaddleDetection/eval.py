"""Evaluate a trained detector."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from core.train.runner import commands

main = commands.Evaluate(
    "PaddleDetection.config",
    "Evaluate a detector: mean average precision, of each class too.",
    "digits_yolov3",
)

if __name__ == "__main__":
    main.run()
