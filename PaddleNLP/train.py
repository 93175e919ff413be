"""Train a language model, or fine-tune one, from a config file."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Train(
    "PaddleNLP.config",
    "Train a language model, or fine-tune one.",
    "drawn_reviews_ernie",
    """\
  python PaddleNLP/train.py -c PaddleNLP/configs/drawn_reviews_ernie.yaml
      train a small ERNIE to tell praise from blame in drawn reviews (two minutes on two cores) and test it
  python PaddleNLP/train.py -c PaddleNLP/configs/chnsenticorp_ernie_1.0.yaml --data my/reviews
      fine-tune official weights, which are downloaded once, on your data
""",
)

if __name__ == "__main__":
    main.run()
