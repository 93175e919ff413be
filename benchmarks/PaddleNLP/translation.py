"""A Transformer's training step and its beam search, beside PyTorch, Paddle and CTranslate2 with the same network.

    python -m benchmarks.PaddleNLP.translation [--size base] [--rounds 5] [--threads 1] [--processor]
    [--only "beam 4"] [--peers PEERS/bin/python] [--paddle PADDLE/bin/python]

PEERS has torch and ctranslate2, PADDLE paddlepaddle and paddlenlp. All sides have the same fresh weights. Before
anything is timed, the losses of a batch and the best translations of all sides are compared: translations are of a
fixed number of tokens, as fresh weights know no end. Each side is a process of its own; the two of a row take turns,
and its ratio is the median of the rounds' ratios, above 1 where ours is faster. "ours, eager" is our own step without
compilation.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.PaddleNLP.sides import translation as sides
from benchmarks.side import Side, compare, require


def main() -> None:
    """Print one row for each comparison: target tokens, or sentences, a second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=list(sides.SIZES), default="base", help="of the network (default base)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the sides take turns (default 5)")
    parser.add_argument("--threads", type=int, default=1, help="of each side (default 1)")
    parser.add_argument("--only", default="", help="rows with this in their names")
    parser.add_argument("--processor", action="store_true", help="count processor time, for a busy machine")
    parser.add_argument("--peers", metavar="PYTHON", help="the interpreter that has torch and ctranslate2")
    parser.add_argument("--paddle", metavar="PYTHON", help="the interpreter that has paddlepaddle and paddlenlp")
    options = parser.parse_args()
    if options.peers:
        require("torch", "ctranslate2", python=options.peers)
    if options.paddle:
        require("paddle", "paddlenlp", python=options.paddle)
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "weights.npz")
        common = {"threads": options.threads, "processor": options.processor}
        ours = Side("ours", sides.ours, (options.size, file), **common)
        others = {}
        if options.peers:
            given = {"python": options.peers, **common}
            others["PyTorch"] = Side("PyTorch", sides.pytorch, (options.size, file), **given)
            others["CTranslate2"] = Side(
                "CTranslate2", sides.ctranslate, (options.size, file, options.threads), **given
            )
        if options.paddle:
            others["Paddle"] = Side("Paddle", sides.paddle, (options.size, file), python=options.paddle, **common)
        own = ours.ask("beam 4"), ours.ask("training step")  # once: a step changes the loss of the next
        for name, other in others.items():
            _compare_results(*own, name, other)
        print(f"{'':14} {'ours, per s':>12}   {'against':12} {'per s':>9} {'ratio':>6}")
        for step, count in sides.COUNTS.items():
            if options.only not in step:
                continue
            rows = [(name, other, step) for name, other in others.items() if step in other.steps]
            rows += [("ours, eager", ours, sides.EAGER)] if step == "training step" else []
            if not rows:
                mine, _, _ = compare((ours, step), (ours, step), max(options.rounds // 2, 1))
                print(f"{step:14} {count / mine:12.1f}")
            for name, other, its in rows:
                mine, theirs, ratio = compare((ours, step), (other, its), options.rounds)
                print(f"{step:14} {count / mine:12.1f}   {name:12} {count / theirs:9.1f} {ratio:6.2f}", flush=True)
        for side in (ours, *others.values()):
            side.close()


def _compare_results(translations: list[list[int]], loss: float, name: str, other: Side) -> None:
    """Say how far another side's loss and translations are from ours; refuse those of another network."""
    mine, theirs = np.array(translations), np.array(other.ask("beam 4"))
    same = float((mine == theirs).all(axis=1).mean())
    print(f"{name}: {same:.0%} of {len(mine)} translations are the same")
    if same < 0.75:
        raise SystemExit(f"{name} translates otherwise: these are not the same networks")
    if "training step" in other.steps:
        its = other.ask("training step")
        print(f"{name}: the loss of the first batch is {loss:.5f} here and {its:.5f} there")
        if abs(loss - its) > 1e-4 * loss:
            raise SystemExit(f"{name} has another loss: these are not the same networks")


if __name__ == "__main__":
    main()
