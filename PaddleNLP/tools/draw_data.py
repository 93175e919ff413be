"""Draw data with known answers in the official files of a task."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Callable, Optional

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../../..")

from core.train import command_line
from PaddleNLP.data.drawn.conversations import write_conversations
from PaddleNLP.data.drawn.dialogues import write_dialogues
from PaddleNLP.data.drawn.distant import write_distant
from PaddleNLP.data.drawn.questions import write_dbqa, write_mrqa

EXAMPLES = """\
  python PaddleNLP/tools/draw_data.py dialogues drawn/dialogues
      udc, atis/atis_intent, atis/atis_slot, dstc2/dstc2 and swda: train.txt, dev.txt and test.txt
  python PaddleNLP/tools/draw_data.py conversations drawn/conversations
      dam, ade, duconv and mmpms: 5,000 conversations each to learn from, 500 and 1,000 to judge by
  python PaddleNLP/tools/draw_data.py mrqa drawn/mrqa --seed 1
      six sets of questions in SQuAD's layout, and two more in the test part, out of domain
"""

KINDS: dict[str, Callable[..., list[str]]] = {
    "dialogues": write_dialogues,
    "conversations": write_conversations,
    "dbqa": write_dbqa,
    "mrqa": write_mrqa,
    "distant": write_distant,
}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write the files, and say their names.

    Args:
        arguments: the words of the command line; None: those of the process.
    """
    parser = command_line.parser(
        "Draw data with known answers in the official files of dialogue understanding (DGU), of dialogue systems (DAM, "
        "ADE, DuConv, MMPMS), of answer selection (NLPCC-DBQA) or of reading (MRQA). What dev and test ask for is "
        "never seen in train.",
        EXAMPLES,
    )
    parser.add_argument("kind", choices=sorted(KINDS), help="what is drawn")
    parser.add_argument("folder", help="where the files go; it is made if it is missing")
    help_text = "deal the labels of train and dev at random, to see that nothing is learned"
    parser.add_argument("--shuffled", action="store_true", help=help_text)
    parser.add_argument("--seed", type=int, default=0, help="of the draws (default: 0)")
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"--seed must not be negative, but is {options.seed}")
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in KINDS[options.kind](folder, seed=options.seed, shuffled=options.shuffled):
        print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
