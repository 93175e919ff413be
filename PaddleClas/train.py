"""Train an image classifier from a config file."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from core.train.runner import commands

main = commands.Train(
    "PaddleClas.config",
    "Train an image classifier. Everything about the experiment stands in one YAML file; the run writes one folder "
    "with the resolved config, metrics.jsonl, TensorBoard events, pictures and checkpoints.",
    """\
  python PaddleClas/train.py -c PaddleClas/configs/digits_resnet18.yaml
      train ResNet-18 on handwritten digits (about a minute on two cores) and test it
  python PaddleClas/train.py -c PaddleClas/configs/digits_lenet.yaml -o train.epochs=5 -o schedule.learning_rate=0.02
      change keys of the config; a misspelt key is an error that names the nearest valid one
  python PaddleClas/train.py -c PaddleClas/configs/hymenoptera_resnet18.yaml --data my/photos
      another config, and where its data is
  python PaddleClas/train.py --resume runs/digits_resnet18
      continue a run that was stopped, or killed, from its newest checkpoint
  python PaddleClas/train.py --keys
      list every key that a config may have, with type, default and meaning
""",
)

if __name__ == "__main__":
    main.run()
