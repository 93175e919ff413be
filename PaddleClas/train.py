"""Train an image classifier from a config file."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Train(
    "PaddleClas.config",
    "Train an image classifier.",
    "digits_resnet18",
    """\
  python PaddleClas/train.py -c PaddleClas/configs/digits_resnet18.yaml
      train ResNet-18 on handwritten digits (about a minute on two cores) and test it
  python PaddleClas/train.py -c PaddleClas/configs/hymenoptera_resnet18.yaml --data my/photos
      another config, and where its data is
""",
)

if __name__ == "__main__":
    main.run()
