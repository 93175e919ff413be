"""Evaluate a trained language model."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from core.train.runner import commands

main = commands.Evaluate(
    "PaddleNLP.config",
    "Evaluate a language model by the measures of its task; writes predictions and the worst mistakes, too.",
    "drawn_reviews_ernie",
)

if __name__ == "__main__":
    main.run()
