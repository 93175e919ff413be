"""Export a trained generator: a folder that computes without its Python class."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

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
