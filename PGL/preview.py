"""Draw the data of a config before anything is trained: how many neighbours its nodes have."""

import argparse
import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands


class Preview(commands.Preview):
    """Draws a graph, which is one sample."""

    def add_samples(self, parser: argparse.ArgumentParser) -> None:
        """Add nothing: the graph is drawn as a whole."""


main = Preview(
    "PGL.config",
    "Count the data of a config, and draw how many neighbours its nodes have.",
    "cora_gcn",
    """\
  python PGL/preview.py -c PGL/configs/cora_gcn.yaml
      nodes, edges, features and classes of Cora, and its degrees in preview.png
  python PGL/preview.py -c PGL/configs/umls_rotate.yaml --output umls.png
      a knowledge graph
""",
)

if __name__ == "__main__":
    main.run()
