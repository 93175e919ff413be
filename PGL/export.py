"""Export a trained run: a folder that computes without the network's Python class."""

import sys
from pathlib import Path

if not __package__:  # started as a file: make the repository importable instead of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

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
