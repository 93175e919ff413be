"""Evaluate a trained image classifier."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from core.train.runner import commands

main = commands.Evaluate(
    "PaddleClas.config",
    "Evaluate an image classifier: accuracy, confusion matrix and a sheet of predictions. Leaves with code 1 when "
    "the config expects more than is reached.",
    """\
  python PaddleClas/eval.py runs/digits_resnet18
      the best checkpoint of a run, on the test split of its config
  python PaddleClas/eval.py runs/digits_resnet18 --split valid --checkpoint newest
      another split, another checkpoint
  python PaddleClas/eval.py runs/hymenoptera_resnet18 --data elsewhere/photos
      the same kind of data in another folder
  python PaddleClas/eval.py -c my.yaml -o network.pretrained=true
      a config's network with official weights, on the data of that config
""",
)

if __name__ == "__main__":
    main.run()
