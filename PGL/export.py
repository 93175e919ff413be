"""Export a trained run: a folder that computes without the network's Python class."""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
from collections.abc import Sequence
from typing import Optional

from core.train import command_line

EXAMPLES = """\
  python PGL/export.py runs/cora_gcn
      the best checkpoint of a run becomes runs/cora_gcn/exported: features and the graph's arrays to logits
  python PGL/export.py runs/blogcatalog_deepwalk --output exported/bloggers
      numbers of nodes to embeddings

in Python:
  predictor = core.jit.Predictor("exported/bloggers")
  rows = predictor.run(numpy.array([0, 17]))         # from any number of threads
a graph's arrays are what PGL.Graph has under graph.tensor().connections(): starts, nodes and edge numbers of its edges
grouped by target, then by source
"""


def parse(arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = command_line.parser(
        "Export a run as a folder that runs without its Python class. What it wrote is compared with the live network "
        "before the folder gets its name.",
        EXAMPLES,
    )
    parser.add_argument("run", metavar="RUN", help="the folder of a trained run")
    command_line.add_data_option(parser)
    command_line.add_checkpoint_option(parser)
    parser.add_argument("--output", metavar="FOLDER", help="where to write; default: RUN/exported")
    return parser.parse_args(arguments)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command; return its exit code."""
    options = parse(arguments)
    from PGL import exporting

    return exporting.export_run(options.run, options.checkpoint, options.overrides, options.output)


if __name__ == "__main__":
    command_line.run(main)
