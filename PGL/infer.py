"""Write what a trained run knows of nodes: embeddings, a picture of them, and which nodes are near each other."""

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
  python PGL/infer.py runs/cora_gcn
      embeddings.npy, a row for each node; classes.npy; and embeddings.png, the rows in two dimensions
  python PGL/infer.py runs/blogcatalog_deepwalk --near 0 17 --top 5
      also the five nodes that are most like node 0, and like node 17
  python PGL/infer.py runs/umls_rotate --near enzyme
      nodes of a knowledge graph have names
  python PGL/infer.py runs/cora_gcn --picture tsne
      a picture that keeps neighbours together (slower; default pca)
"""


def parse(arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = command_line.parser(
        "Write the embeddings of all nodes, or their logits where classes were learnt, and what follows from them.",
        EXAMPLES,
    )
    parser.add_argument("run", metavar="RUN", help="the folder of a trained run")
    command_line.add_data_option(parser)
    parser.add_argument("--near", nargs="+", default=[], metavar="NODE", help="print the nodes most like these")
    parser.add_argument("--top", type=int, default=10, metavar="K", help="how many to print (default: %(default)s)")
    parser.add_argument(
        "--picture", default="pca", choices=["pca", "tsne", "none"], help="how to draw in two dimensions (default: pca)"
    )
    command_line.add_checkpoint_option(parser)
    parser.add_argument("--output", metavar="FOLDER", help="where to write; default: RUN/embeddings")
    options = parser.parse_args(arguments)
    if options.top < 1:
        parser.error("--top must be at least 1")
    return options


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command; return its exit code."""
    options = parse(arguments)
    from PGL import inference

    return inference.infer(
        options.run, options.checkpoint, options.overrides, options.near, options.top, options.picture, options.output
    )


if __name__ == "__main__":
    command_line.run(main)
