"""Evaluate a trained graph network, or embeddings of nodes."""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from collections.abc import Sequence
from typing import Optional

from core.train import command_line

EXAMPLES = """\
  python PGL/eval.py runs/cora_gcn
      the best checkpoint of a run, on the test split
  python PGL/eval.py runs/cora_gcn --split valid --checkpoint newest
      another split, another checkpoint
  python PGL/eval.py runs/cora_gcn --data my/planetoid
      the data in another folder
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command; return its exit code."""
    options = command_line.evaluation_options(
        "Evaluate a run: accuracy and macro-F1 of classes, F1 of groups, or ranks of links, as its task says. Leaves "
        "with code 1 when the config expects more than is reached.",
        EXAMPLES,
        arguments,
    )
    from PGL import evaluation

    return evaluation.evaluate(options.run, options.split, options.checkpoint, options.overrides, options.output)


if __name__ == "__main__":
    command_line.run(main)
