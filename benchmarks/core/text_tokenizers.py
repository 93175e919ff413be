"""WordPiece tokenisers in one thread, in lines of text per second, against paddlenlp's in Python.

    python -m benchmarks.core.text_tokenizers FILE [FILE ...] --paddle PYTHON [--rounds 7] [--lines 1000]

The lines of each FILE are what is tokenised, with a vocabulary of 8,000 learned of them. PYTHON has paddlepaddle and
paddlenlp. A row is a tokeniser's call for one line after the other ("single"), or for 64 at a time ("batch"), without
and with offsets. Each side is a process of its own with one thread, and its processor time counts; they take turns, and
the ratio is the median of the rounds' ratios, above 1 where ours is faster. What ours remembers of words is forgotten
before each turn. Below the rows: what a line of 1 MB takes, and one of half of that.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

from benchmarks.paddlenlp_import import let_import
from benchmarks.side import Side, measured, require

BATCH = 64
CASES = {
    "BertTokenizer": ("bert", {}),
    "BertTokenizer, cased": ("bert", {"do_lower_case": False}),
    "ErnieTokenizer": ("ernie", {}),
}
"""Tokenisers by what the table calls them: the vocabulary's layout and settings."""

STEPS = ("single", "batch", "batch, offsets")
ONE_THREAD = {"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"}


def main() -> None:
    """Print one row per tokeniser and step, and what long lines take."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="texts, UTF-8")
    parser.add_argument(
        "--paddle", required=True, metavar="PYTHON", help="compare with the paddlenlp of this Python"
    )
    parser.add_argument("--rounds", type=int, default=7, help="rounds in which the sides take turns (default 7)")
    parser.add_argument("--lines", type=int, default=1000, help="lines per turn (default 1000)")
    arguments = parser.parse_args()
    require("paddlenlp", python=arguments.paddle)
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'':20} {'':15} {'ours, lines/s':>14} {'paddlenlp':>10} {'ratio':>6}")
        for file in map(Path, arguments.files):
            lines = [line for line in file.read_text(encoding="utf-8").split("\n") if line.strip()][: arguments.lines]
            print(f"{file.name}: {len(lines)} lines, {sum(map(len, lines)) / len(lines):.0f} characters each")
            for name, (layout, settings) in CASES.items():
                vocabulary = learn(lines, layout, Path(folder), settings)
                build = (name.split(",")[0], settings, vocabulary, lines)
                mine = Side("ours", ours, build, 1, ONE_THREAD)
                theirs = Side("paddlenlp", paddlenlp, build, 1, python=arguments.paddle)
                for step in STEPS:
                    assert mine.ask("ids") == theirs.ask("ids"), f"{name} differs from paddlenlp"
                    own, other, ratio = compare(mine, theirs, step, arguments.rounds, name)
                    print(
                        f"{name:20} {step:15} {len(lines) / own:14.0f} {len(lines) / other:10.0f} {ratio:6.1f}",
                        flush=True,
                    )
                if file.name == Path(arguments.files[0]).name:
                    print(f"{name:20} {'1 MB, 0.5 MB':15} {mine.ask('long')}", flush=True)
                mine.close()
                theirs.close()


def compare(mine: Side, theirs: Side, step: str, rounds: int, case: str) -> tuple[float, float, float]:
    """Let two sides take turns and return their median seconds and the median of their ratios."""
    pairs = [(mine.ask(step), theirs.ask(step)) for _ in range(rounds)]
    return measured((mine.name, step), (theirs.name, step), pairs, case)


def learn(lines: Sequence[str], layout: str, folder: Path, settings: dict[str, Any]) -> str:
    """Write a vocabulary of lines and return its path."""
    from core.text import learn_wordpiece

    path = folder / "vocab.txt"
    learn_wordpiece(lines, 8000, layout, settings.get("do_lower_case", True)).save_vocabulary(path)
    return str(path)


def ours(kind: str, settings: dict[str, Any], vocabulary: str, lines: Sequence[str]) -> dict[str, Callable[[], Any]]:
    """Return the steps of our side."""
    import core.text

    tokenizer = getattr(core.text, kind)(vocabulary, **settings)
    pieces = tokenizer.wordpiece_tokenizer

    def anew() -> Any:
        pieces._ids.clear()
        pieces.placed.clear()
        return tokenizer

    def seconds(length: int) -> str:
        text = " ".join(lines)
        text = (text * (1 + length // len(text)))[:length]
        began = time.process_time()
        anew()(text)
        middle = time.process_time()
        anew()(text, return_offsets_mapping=True)
        return f"{middle - began:.2f} s, with offsets {time.process_time() - middle:.2f} s"

    return {**steps(anew, lines), "long": lambda: "; ".join(map(seconds, (1_000_000, 500_000)))}


def paddlenlp(
    kind: str, settings: dict[str, Any], vocabulary: str, lines: Sequence[str]
) -> dict[str, Callable[[], Any]]:
    """Return the steps of paddlenlp's side."""
    let_import()
    import paddlenlp.transformers

    tokenizer = getattr(paddlenlp.transformers, kind)(vocabulary, **settings)
    return steps(lambda: tokenizer, lines)


def steps(tokenizer: Callable[[], Any], lines: Sequence[str]) -> dict[str, Callable[[], Any]]:
    """Return the steps of a side; both have the same calls."""
    lines = list(lines)
    batches = [lines[start : start + BATCH] for start in range(0, len(lines), BATCH)]

    def single() -> float:
        call = tokenizer()
        began = time.process_time()
        for line in lines:
            call(line)
        return time.process_time() - began

    def batch(**options: bool) -> float:
        call = tokenizer()
        began = time.process_time()
        for texts in batches:
            call(texts, **options)
        return time.process_time() - began

    return {
        "single": single,
        "batch": batch,
        "batch, offsets": lambda: batch(return_offsets_mapping=True),
        "ids": lambda: [tokenizer()(line)["input_ids"] for line in lines[:100]],
    }


if __name__ == "__main__":
    main()
