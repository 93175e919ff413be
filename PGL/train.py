"""Train a graph network or embeddings of nodes from a config file."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Train(
    "PGL.config",
    "Learn from a graph.",
    "cora_gcn",
    """\
  python PGL/train.py -c PGL/configs/cora_gcn.yaml
      graph convolutions on the citation graph Cora, fetched once (under a minute on two cores), and test them
  python PGL/train.py -c PGL/configs/cora_gcn.yaml --data my/planetoid
      the same with files that are there already: ind.cora.x and so on
  python PGL/train.py -c PGL/configs/blogcatalog_deepwalk.yaml
      embeddings of a social network from random walks, judged by the groups that they predict
""",
)

if __name__ == "__main__":
    main.run()
