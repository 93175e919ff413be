"""ResNet-50 at 224 x 224: forward pass and training step, ours against bare Gluon, PyTorch and ourselves.

    python -m benchmarks.PaddleClas.resnet50 [--rounds 12] [--threads 2] [--batch 8] [--rows gluon,eager,memory,pytorch]
        [--peers PYTHON]

Each side runs in a process of its own with the same number of threads; the sides of a row take turns, and its ratio is
the median of the rounds' ratios, because machines are noisy. A ratio above 1 says that the first side is faster.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.PaddleClas import resnet50_sides as sides
from benchmarks.side import Side, compare, require

ROWS = ("gluon", "eager", "memory", "pytorch")


def main() -> None:
    """Print one row per comparison, in images per second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12, help="rounds in which the sides take turns (default 12)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--batch", type=int, default=8, help="images per step (default 8)")
    parser.add_argument("--rows", default=",".join(ROWS), help="which comparisons, separated by commas (default all)")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch")
    arguments = parser.parse_args()
    wanted = arguments.rows.split(",")
    if set(wanted) - set(ROWS):
        parser.error(f"--rows takes {', '.join(ROWS)}")
    if "pytorch" in wanted:
        require("torch", python=arguments.peers)
    batch, threads = arguments.batch, arguments.threads

    print(f"{'':25} {'images/s':>9}   {'against':30} {'images/s':>9} {'ratio':>7}")

    def row(first: tuple[Side, str], second: tuple[Side, str]) -> None:
        mine, theirs, ratio = compare(first, second, arguments.rounds, case=f"batch {batch}")
        against = f"{second[0].name}: {second[1]}"
        print(f"{first[1]:25} {batch / mine:9.1f}   {against:30} {batch / theirs:9.1f} {ratio:7.2f}", flush=True)

    ours = Side("ours", sides.ours, (batch,), threads)
    if "gluon" in wanted:
        gluon = Side("Gluon", sides.gluon, (batch,), threads)
        row((ours, "forward, compiled"), (gluon, "forward"))
        row((ours, "training, compiled"), (gluon, "training"))
        gluon.close()
    if "eager" in wanted:
        row((ours, "forward, compiled"), (ours, "forward, eager"))
        row((ours, "training, compiled"), (ours, "training, eager"))
    if "memory" in wanted:
        faulting = Side("memory given back", sides.ours, (batch,), threads, {"CORE_KEEP_MEMORY": "0"})
        row((ours, "training, eager"), (faulting, "training, eager"))
        row((ours, "training, compiled"), (faulting, "training, compiled"))
        faulting.close()
    if "pytorch" in wanted:
        pytorch = Side("PyTorch", sides.pytorch, (batch, threads), threads, python=arguments.peers)
        for kind in ("forward", "training"):
            for how in ("compiled", "eager"):
                row((ours, f"{kind}, {how}"), (pytorch, kind))
        pytorch.close()
    ours.close()


if __name__ == "__main__":
    main()
