"""Average the weights of a run's newest checkpoints, as the checkpoint "averaged" of the same run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Optional

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../../..")

from core.train import command_line
from core.train.checkpoints.averaging import average_checkpoints

EXAMPLES = """\
  python -m PaddleNLP.tools.average_checkpoints runs/transformer_base --last 5
  python PaddleNLP/eval.py runs/transformer_base --checkpoint averaged
      the numbers of the average; a run keeps train.keep_checkpoints of its checkpoints
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write the average, and say of what.

    Args:
        arguments: the words of the command line; None: those of the process.
    """
    parser = command_line.parser("Average the weights of a run's newest checkpoints.", EXAMPLES)
    parser.add_argument("run", metavar="RUN", help="the folder of a run")
    command_line.add_count(parser, "--last", 5, "checkpoints to average")
    options = parser.parse_args(arguments)
    target, names = average_checkpoints(options.run, options.last)
    print(f"wrote {target}: the mean of {', '.join(names)}")
    return 0


if __name__ == "__main__":
    command_line.run(main)
