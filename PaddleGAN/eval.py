"""Evaluate a trained generator."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from core.train.runner import commands

main = commands.Evaluate(
    "PaddleGAN.config",
    "Evaluate a run: the distances FID and KID of generated images from real ones, and what else its task "
    "measures. Leaves with code 1 when the config expects more than is reached.",
    """\
  python PaddleGAN/eval.py runs/faces_dcgan
      the best checkpoint of a run, on the test split
  python PaddleGAN/eval.py runs/faces_dcgan --split valid --checkpoint newest
      another split, another checkpoint
  python PaddleGAN/eval.py runs/fashion_mnist_cgan --data my/fashion-mnist
      the data in another folder
""",
)

if __name__ == "__main__":
    main.run()
