"""Train adversarial networks from a config file."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from core.train.runner import commands

main = commands.Train(
    "PaddleGAN.config",
    "Train a generator of images against a discriminator. Everything about the experiment stands in one YAML file; "
    "the run writes one folder with the resolved config, sheets of samples, metrics.jsonl, TensorBoard events, "
    "learning curves and checkpoints.",
    """\
  python PaddleGAN/train.py -c PaddleGAN/configs/faces_dcgan.yaml
      images from noise, learnt from faces that are drawn here (minutes on two cores, nothing is fetched)
  python PaddleGAN/train.py -c PaddleGAN/configs/fashion_mnist_cgan.yaml --data my/fashion-mnist
      clothing of a chosen class; the folder holds the four files as they are published
  python PaddleGAN/train.py -c PaddleGAN/configs/faces_dcgan.yaml -o train.ema=0.999 -o seed=1
      change keys of the config; a misspelt key is an error that names the nearest valid one
  python PaddleGAN/train.py --resume runs/faces_dcgan
      continue a run that was stopped, or killed, from its newest checkpoint
  python PaddleGAN/train.py --keys
      list every key that a config may have, and the settings of every task, network and data set
""",
)

if __name__ == "__main__":
    main.run()
