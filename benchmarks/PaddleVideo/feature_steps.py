"""Training steps of networks of features: NeXtVLAD, C-TCN and BMN, ours against PyTorch and Paddle.

    python3.10 -m venv PADDLE; PADDLE/bin/pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3'
    PADDLE/bin/pip install --no-deps ppvideo==2.3.1                      # and what importing it then asks for
    python3.11 -m venv PEERS; PEERS/bin/pip install torch 'numpy<2'
    python -m benchmarks.PaddleVideo.feature_steps --peers PEERS/bin/python [--paddle PADDLE/bin/python]
    [--models nextvlad] [--rows TEXT] [--videos 160] [--frames 300] [--batch 4] [--rounds 5] [--threads 2] [--processor]

NeXtVLAD learns from ``--videos`` of ``--frames`` of YouTube-8M's features; C-TCN and BMN, of published sizes, from a
batch of ``--batch`` videos. A step is forward pass, loss, backward pass and the recipe's optimizer, without dropout.
"composition" is NeXtVLAD's formulas written down one by one with einsum, softmax and products in our own library,
compiled and trained by the same means. PyTorch has plain networks of the same layers, "paddle" is PaddleVideo's BMN.
All sides have the same weights and data, and must give the same loss within 1e-4 of it, and gradients whose lengths are
within a hundredth of each other, or the run ends. Each side runs in a process of its own; the two of a row take turns,
and its ratio is the median of the rounds' ratios. Above 1: ours is faster. Memory is the most that a side's process
occupied, libraries and all. ``--processor`` compares the time that processors worked.
"""

from __future__ import annotations

import argparse
import sys
import tempfile

import numpy as np

from benchmarks.options import add_rows, add_sides, chosen_rows
from benchmarks.PaddleVideo import feature_step_sides as sides
from benchmarks.side import Side, compare, require

MODELS = "nextvlad,ctcn,bmn"
ROWS = {"composition": ["nextvlad"], "pytorch": None, "pytorch_compiled": None, "paddle": ["bmn"]}
"""Against whom, and which networks alone."""

LOSS, LENGTH = 1e-4, 1e-2
"""How far apart losses and lengths of gradients may be, of themselves; of a gradient's length at least a thousandth of
the longest one's counts."""


def main() -> None:
    """Print one row for each comparison: milliseconds a step, and megabytes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=MODELS, help="names, separated by commas")
    add_rows(parser, ROWS)
    parser.add_argument("--videos", type=int, default=160, help="of a step of NeXtVLAD (default 160)")
    parser.add_argument("--frames", type=int, default=300, help="of each of these videos (default 300)")
    parser.add_argument("--batch", type=int, default=4, help="videos of a step of C-TCN and BMN (default 4)")
    add_sides(parser, rounds=5, peers="PyTorch", paddle="Paddle and PaddleVideo")
    options = parser.parse_args()
    wanted = chosen_rows(parser, options, ROWS)
    if "paddle" in wanted:
        require("paddle", "ppvideo", python=options.paddle)
    if {"pytorch", "pytorch_compiled"} & set(wanted):
        require("torch", python=options.peers)
    print(f"{'milliseconds a step':24} {'ours':>9} {'MB':>6}   {'against':16} {'':>9} {'MB':>6} {'ratio':>6}")
    for model in options.models.split(","):
        size = (options.videos, options.frames) if model == "nextvlad" else (options.batch, 0)
        with tempfile.TemporaryDirectory() as folder:
            writer = Side("ours", sides.written, (model, size, folder), options.threads)
            writer.close()
            for peer in wanted:
                if model in (ROWS[peer] or [model]):
                    _compare(model, size, folder, peer, options)


def _compare(model: str, size: tuple[int, int], folder: str, peer: str, options: argparse.Namespace) -> None:
    given = {"threads": options.threads, "processor": options.processor}
    python = {"composition": sys.executable, "paddle": options.paddle}.get(peer, options.peers)
    mine = Side("ours", sides.ours, (model, folder), **given)
    other = Side(peer, getattr(sides, peer), (model, folder, options.threads), python=python, **given)
    losses, lengths = zip(*(side.ask("answer") for side in (mine, other)))
    _check(f"{model}, {peer}", *losses, *lengths)
    case = f"{model} {'x'.join(str(number) for number in size if number)}"
    first, second, ratio = compare((mine, "training"), (other, "training"), options.rounds, case=case)
    left = f"{case:24} {first * 1e3:9.1f} {mine.peak():6.0f}"
    print(f"{left}   {peer:16} {second * 1e3:9.1f} {other.peak():6.0f} {ratio:6.2f}", flush=True)
    mine.close()
    other.close()


def _check(case: str, loss: float, other: float, lengths: dict[str, float], others: dict[str, float]) -> None:
    """Leave where two sides do not train the same network."""
    if not abs(loss - other) < LOSS * abs(loss):
        raise SystemExit(f"{case}: losses {loss:.7g} and {other:.7g} differ")
    if set(lengths) != set(others):
        raise SystemExit(f"{case}: gradients of other parameters, {', '.join(sorted(set(lengths) ^ set(others)))}")
    least = 1e-3 * max(lengths.values())
    for name, length in lengths.items():
        if not np.isclose(length, others[name], rtol=LENGTH, atol=least * LENGTH):
            raise SystemExit(f"{case}: gradients of {name} have lengths {length:.6g} and {others[name]:.6g}")


if __name__ == "__main__":
    main()
