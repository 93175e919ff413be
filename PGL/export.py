"""Export a trained run: a folder that computes without the network's Python class."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Export(
    "PGL.config",
    "Export a run as a folder that runs without its Python class.",
    "cora_gcn",
    """\
  python PGL/export.py runs/blogcatalog_deepwalk --output exported/bloggers
      numbers of nodes to embeddings

in Python:
  predictor = core.jit.Predictor("exported/bloggers")
  rows = predictor.run(numpy.array([0, 17]))         # from any number of threads
a graph's arrays are what PGL.Graph has under graph.tensor().connections(): starts, nodes and edge numbers of its edges
grouped by target, then by source
""",
)

if __name__ == "__main__":
    main.run()
