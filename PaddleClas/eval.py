"""Evaluate a trained image classifier."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Evaluate(
    "PaddleClas.config",
    "Evaluate an image classifier: accuracy, confusion matrix and a sheet of predictions.",
    "digits_resnet18",
    """\
  python PaddleClas/eval.py -c my.yaml -o network.pretrained=true
      a config's network with official weights, on the data of that config
""",
)

if __name__ == "__main__":
    main.run()
