"""Write what a trained run knows of nodes: embeddings, a picture of them, and which nodes are near each other."""

import argparse
import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train import command_line
from core.train.runner import commands


class Infer(commands.Infer):
    """Writes embeddings."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what to write and print."""
        command_line.add_run_options(parser, "embeddings")
        parser.add_argument("--near", nargs="+", default=[], metavar="NODE", help="print the nodes most like these")
        command_line.add_count(parser, "--top", 10, "how many to print", "K")
        help_text = "how to draw in two dimensions (default: pca)"
        parser.add_argument("--picture", default="pca", choices=["pca", "tsne", "none"], help=help_text)


main = Infer(
    "PGL.config",
    "Write the embeddings of all nodes, or their logits where classes were learned, and what follows from them.",
    "cora_gcn",
    """\
  python PGL/infer.py runs/cora_gcn
      embeddings.npy, a row for each node; classes.npy; and embeddings.png, the rows in two dimensions
  python PGL/infer.py runs/blogcatalog_deepwalk --near 0 17 --top 5
      also the five nodes that are most like node 0, and like node 17
  python PGL/infer.py runs/umls_rotate --near enzyme
      nodes of a knowledge graph have names
  python PGL/infer.py runs/cora_gcn --picture tsne
      a picture that keeps neighbours together (slower; default pca)
""",
)

if __name__ == "__main__":
    main.run()
