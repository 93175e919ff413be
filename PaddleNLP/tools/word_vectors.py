"""Learn vectors of words from texts, by word2vec's skip-gram, and write them as word2vec does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Optional

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../../..")

from core.train import command_line
from core.weights.atomic import atomic_write
from PaddleNLP.config import TOOLKIT
from PaddleNLP.data.encoded import texts_of
from PaddleNLP.data.lines import text_lines
from PaddleNLP.segmenting import segmentation
from PaddleNLP.word_vectors import Settings, word_vectors

EXAMPLES = """\
  python PaddleNLP/tools/word_vectors.py text.txt vectors.txt --near king --near queen
      vectors of 100 numbers, and the words that are nearest to two
  python PaddleNLP/tools/word_vectors.py PaddleNLP/configs/pretraining/small_ernie.yaml characters.txt --data FOLDER
      --segmenter characters
      vectors of the characters in the training texts of a config
  python PaddleNLP/train.py -c CONFIG -o word_vectors=vectors.txt
      a network on words that starts with them
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Learn, write and show what is near.

    Args:
        arguments: the words of the command line; None: those of the process.
    """
    known = Settings()
    parser = command_line.parser("Learn vectors of words by word2vec's skip-gram with negative sampling.", EXAMPLES)
    parser.add_argument(
        "text", metavar="TEXT", help="a file with a sentence in each line, or a config (.yaml) with data to train on"
    )
    parser.add_argument("output", metavar="VECTORS", help="where they go: a word and its numbers in each line")
    for name, help_text in (
        ("size", "length of a vector"),
        ("window", "words on either side that may count"),
        ("negatives", "words that are drawn for each word"),
        ("least", "times that a word must occur"),
        ("epochs", "times that the text is gone through"),
    ):
        command_line.add_count(parser, f"--{name}", getattr(known, name), help_text)
    parser.add_argument(
        "--segmenter", choices=("spaces", "characters"), default="spaces", help="where words end (default: at spaces)"
    )
    command_line.add_data_option(parser)
    parser.add_argument("--seed", type=int, default=known.seed, help="of all that is drawn (default: 0)")
    parser.add_argument(
        "--near", action="append", default=[], metavar="WORD", help="show the words nearest to this one"
    )
    options = parser.parse_args(arguments)
    chosen = {name: getattr(options, name) for name in ("size", "window", "negatives", "least", "epochs", "seed")}
    cut = segmentation(options.segmenter).place
    found = word_vectors(
        [cut(text)[0] for text in _texts(options.text, options.overrides)],
        known._replace(**chosen),
        lambda epoch, loss: print(f"epoch {epoch}/{options.epochs}: loss of a pair {loss:.4f}", flush=True),
    )
    near = {word: found.nearest(word, 8) for word in options.near}
    with atomic_write(options.output) as stream:
        stream.write("".join(f"{line}\n" for line in found.lines()).encode("utf-8"))
    print(f"{options.output}: {len(found.words):,} vectors of {options.size}")
    for word, others in near.items():
        print(f"{word}: {', '.join(f'{other} {cosine:.2f}' for other, cosine in others)}")
    return 0


def _texts(path: str, overrides: Sequence[str]) -> Iterable[str]:
    if not path.endswith((".yaml", ".yml")):
        return [line for _, line in text_lines(path)]
    task: Any = TOOLKIT.build_task(TOOLKIT.load(path, overrides, quiet=True))
    return texts_of(task.dataset("train"))


if __name__ == "__main__":
    command_line.run(main)
