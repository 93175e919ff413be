"""LAC and TextCNN from text to words and classes, one thread, beside PyTorch code of the same nets and jieba.posseg.

    python -m benchmarks.PaddleNLP.word_speed TEXTS [--units 128] [--rounds 7] [--peers PEERS/bin/python]
    [--jieba JIEBA/bin/python] [--processor]

TEXTS is a file of LAC's form, whose characters are the vocabulary and whose sentences, one behind the other, the text.
PEERS has torch, JIEBA jieba. Networks have fresh weights, those of ``cell: paddle`` and of TextCNN the same in both,
whose results on short texts are compared first; that of ``cell: fluid``, whose units PyTorch has not, is beside
PyTorch's, too. Each side is a process of its own; the two of a row take turns, and its ratio is the median of the
rounds' ratios, above 1 where ours is faster.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Optional

from benchmarks.PaddleNLP.sides import word_speed as sides
from benchmarks.side import Side, compare, require


def main() -> None:
    """Print one row for each comparison, in milliseconds a call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, help="a file of LAC's form")
    parser.add_argument("--units", type=int, default=128, help="of LAC's layers and vectors (default 128)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds in which the sides take turns (default 7)")
    parser.add_argument("--peers", metavar="PYTHON", help="the interpreter that has torch")
    parser.add_argument("--jieba", metavar="PYTHON", help="the interpreter that has jieba")
    parser.add_argument("--processor", action="store_true", help="count processor time, for a busy machine")
    options = parser.parse_args()
    for package, python in (("torch", options.peers), ("jieba", options.jieba)):
        if python:
            require(package, python=python)
    text = sides.text_of(str(options.texts))
    print(f"{'':26} {'ours, ms':>9}   {'against':9} {'ms':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        common = {"threads": 1, "processor": options.processor}
        ours = Side("ours", sides.ours, (text, folder, options.units), **common)
        others: dict[str, Optional[Side]] = {"": None}
        if options.peers:
            given = (text, folder, options.units)
            others["PyTorch"] = Side("PyTorch", sides.pytorch, given, python=options.peers, **common)
        if options.jieba:
            others["jieba"] = Side("jieba", sides.jieba, (text,), python=options.jieba, **common)
        for step in ours.steps:
            for name, other in others.items():
                _row(ours, step, name, other, options.rounds)
        for side in (ours, *others.values()):
            if side is not None:
                side.close()


def _row(ours: Side, step: str, name: str, other: Optional[Side], rounds: int) -> None:
    if other is None:
        mine, _, _ = compare((ours, step), (ours, step), max(rounds // 2, 1))
        print(f"{step:26} {mine * 1e3:9.2f}", flush=True)
        return
    its = step if name == "PyTorch" else step.partition("LAC, fluid: ")[2]  # jieba tells words alone
    its = its.replace("fluid", "paddle")
    if its not in other.steps:
        return
    if name == "PyTorch" and its == step and "2000" not in step and other.ask(its) != ours.ask(step):
        raise SystemExit(f"{step}: results differ")
    mine, seconds, ratio = compare((ours, step), (other, its), rounds)
    print(f"{step:26} {mine * 1e3:9.2f}   {name:9} {seconds * 1e3:8.2f} {ratio:6.2f}", flush=True)


if __name__ == "__main__":
    main()
