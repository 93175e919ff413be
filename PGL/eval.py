"""Evaluate a trained graph network, or embeddings of nodes."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from core.train.runner import commands

main = commands.Evaluate(
    "PGL.config",
    "Evaluate a run: accuracy and macro-F1 of classes, F1 of groups, or ranks of links, as its task says. Leaves with "
    "code 1 when the config expects more than is reached.",
    """\
  python PGL/eval.py runs/cora_gcn
      the best checkpoint of a run, on the test split
  python PGL/eval.py runs/cora_gcn --split valid --checkpoint newest
      another split, another checkpoint
  python PGL/eval.py runs/cora_gcn --data my/planetoid
      the data in another folder
""",
)

if __name__ == "__main__":
    main.run()
