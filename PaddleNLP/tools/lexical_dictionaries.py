"""Write LAC's three dictionaries: tag.dic, q2b.dic, and word.dic of the characters of a training file."""

from __future__ import annotations

import collections
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../../..")

from core.train import command_line
from core.weights.atomic import atomic_write
from PaddleNLP.data.tagging.sentences import JoinedRows
from PaddleNLP.lexical.tags import TAGS, WIDTHS
from PaddleNLP.word_level import looked_up

EXAMPLES = """\
  python PaddleNLP/tools/lexical_dictionaries.py dictionaries --texts train.tsv
      tag.dic, q2b.dic and word.dic
"""


def words_of(path: str, least: int, most: int) -> list[str]:
    """Return the characters of a file of LAC's form, the most frequent ones first, and "OOV" for all others.

    Args:
        path: the file.
        least: how often a character must occur.
        most: how many there are at most, "OOV" included.

    Raises:
        ValueError: a row is wrong; names file and line.
    """
    counts: collections.Counter[str] = collections.Counter()
    rows = JoinedRows(path)
    for number in range(len(rows)):
        counts.update(looked_up(rows[number]["tokens"], False, True))
    found = sorted((word for word in counts if counts[word] >= least), key=lambda word: (-counts[word], word))
    return [*found[: most - 1], "OOV"]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write the files, and say their names.

    Args:
        arguments: the words of the command line; None: those of the process.
    """
    parser = command_line.parser("Write LAC's dictionaries: tags, widths of characters, and characters.", EXAMPLES)
    parser.add_argument("folder", help="where the files go; it is made if it is missing")
    help_text = "a file of LAC's form, whose characters word.dic has, most frequent first; without it there is none"
    parser.add_argument("--texts", metavar="FILE", help=help_text)
    command_line.add_count(parser, "--least", 1, "times that a character must occur")
    command_line.add_count(parser, "--most", 20940, "lines of word.dic at most")
    options = parser.parse_args(arguments)
    files = {
        "tag.dic": [f"{number}\t{tag}" for number, tag in enumerate(TAGS)],
        "q2b.dic": [f"{wide}\t{narrow}" for wide, narrow in WIDTHS.items()],
    }
    if options.texts:
        words = words_of(options.texts, options.least, options.most)
        files["word.dic"] = [f"{number}\t{word}" for number, word in enumerate(words)]
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        with atomic_write(folder / name) as stream:
            stream.write(("\n".join(lines) + "\n").encode("utf-8"))
        print(f"{folder / name}: {len(lines):,} lines")
    return 0


if __name__ == "__main__":
    command_line.run(main)
