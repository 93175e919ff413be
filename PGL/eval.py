"""Evaluate a trained graph network, or embeddings of nodes."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from core.train.runner import commands

main = commands.Evaluate(
    "PGL.config",
    "Evaluate a run: accuracy and macro-F1 of classes, F1 of groups, or ranks of links, as its task says.",
    "cora_gcn",
)

if __name__ == "__main__":
    main.run()
