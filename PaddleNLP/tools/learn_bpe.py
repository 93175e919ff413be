"""Learn byte pair encoding of texts: the merges, and the vocabulary of the pieces, for SubwordTokenizer."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../../..")

from core.train import command_line
from core.train.logs.run_folder import writing
from PaddleNLP.data.lines import text_lines
from PaddleNLP.translation.tokenizer import CODES, VOCAB, learn_subwords

EXAMPLES = """\
  python -m PaddleNLP.tools.learn_bpe bpe --size 10000 --texts train.en.gz train.de.gz
      bpe/codes.bpe and bpe/vocab.txt, which both languages share
  tokenizer: {name: SubwordTokenizer, vocab_file: bpe/vocab.txt, codes_file: bpe/codes.bpe}
      what a config then says
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write the files, and say their names.

    Args:
        arguments: the words of the command line; None: those of the process.
    """
    parser = command_line.parser("Learn byte pair encoding of texts.", EXAMPLES)
    parser.add_argument("folder", help="where the files go; it is made if it is missing")
    parser.add_argument("--texts", metavar="FILE", nargs="+", required=True, help="a text in each line")
    command_line.add_count(parser, "--size", 32000, "tokens of the vocabulary at most")
    help_text = "what a line is: as people write, or words and signs with spaces between them; default raw"
    parser.add_argument("--words", choices=("raw", "spaces"), default="raw", help=help_text)
    command_line.add_count(parser, "--least", 2, "times that two pieces must occur side by side to be merged")
    options = parser.parse_args(arguments)
    lines = (line for file in options.texts for _, line in text_lines(file))
    found = learn_subwords(lines, options.size, options.words, options.least)
    folder = Path(options.folder)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        found.write(folder)
    print(f"wrote {folder / CODES}: {len(found.codes or ()):,} merges")
    print(f"wrote {folder / VOCAB}: {len(found.vocab):,} tokens")
    return 0


if __name__ == "__main__":
    command_line.run(main)
