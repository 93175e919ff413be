"""Evaluate a trained language model."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Evaluate(
    "PaddleNLP.config",
    "Evaluate a language model by the measures of its task; writes predictions and the worst mistakes, too.",
    "drawn_reviews_ernie",
)

if __name__ == "__main__":
    main.run()
