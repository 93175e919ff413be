"""Evaluate a trained generator."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Evaluate(
    "PaddleGAN.config",
    "Evaluate a run: the distances FID and KID of generated images from real ones, and what else its task "
    "measures. Leaves with code 1 when the config expects more than is reached.",
    "faces_dcgan",
)

if __name__ == "__main__":
    main.run()
