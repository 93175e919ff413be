"""Evaluate a trained graph network, or embeddings of nodes."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Evaluate(
    "PGL.config",
    "Evaluate a run: accuracy and macro-F1 of classes, F1 of groups, or ranks of links, as its task says.",
    "cora_gcn",
)

if __name__ == "__main__":
    main.run()
