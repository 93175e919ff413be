"""Export a trained language model: a folder that reads texts without the network's Python class."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Export(
    "PaddleNLP.config",
    "Export a language model as a folder that runs without its Python class, for any number and length of texts.",
    "drawn_reviews_ernie",
    """\
  python PaddleNLP/infer.py runs/drawn_reviews_ernie/exported "早餐不怎么好吃"
      the exported folder in place of the run

the folder holds the program, its weights, the tokeniser and the class names; in Python:
  reader = PaddleNLP.open_reader("runs/drawn_reviews_ernie/exported")
  reader.predict(["早餐不怎么好吃", "虽然房间很小，但是服务员很热情"])
""",
)

if __name__ == "__main__":
    main.run()
