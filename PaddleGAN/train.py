"""Train adversarial networks from a config file."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Train(
    "PaddleGAN.config",
    "Train a generator of images against a discriminator.",
    "faces_dcgan",
    """\
  python PaddleGAN/train.py -c PaddleGAN/configs/faces_dcgan.yaml
      images from noise, learned from faces that are drawn here (minutes on two cores, nothing is fetched)
  python PaddleGAN/train.py -c PaddleGAN/configs/fashion_mnist_cgan.yaml --data my/fashion-mnist
      clothing of a chosen class; the folder holds the four files as they are published
""",
)

if __name__ == "__main__":
    main.run()
