"""Export a trained generator: a folder that computes without its Python class."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Export(
    "PaddleGAN.config",
    "Export a run's generator as a folder that runs without its Python class.",
    "faces_dcgan",
    """\

in Python:
  predictor = core.jit.Predictor("exported/clothing")
  images = predictor.run([noise, classes])           # from any number of threads
""",
)

if __name__ == "__main__":
    main.run()
