"""A compiled training step with regions in channels-last memory, against the same step without, and PyTorch's.

    python -m benchmarks.core.training_steps [--models MobileNetV1,MobileNetV3_large_x1_0] [--batch 8] [--size 224]
    [--peers PEERS/bin/python] [--rounds 6] [--threads 1]

Each side is a process of its own; the two of a row take turns, and the ratio is the median of the rounds' ratios of
processor time. Above 1: the step with regions is faster. ``--peers`` adds PyTorch with channels-last memory, eager and
through torch.compile.
"""

from __future__ import annotations

import argparse

from benchmarks.core.sides import training_steps as sides
from benchmarks.side import Side, compare, require


def main() -> None:
    """Print one row for each comparison, in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="MobileNetV1", help="names, separated by commas (default MobileNetV1)")
    parser.add_argument("--batch", type=int, default=8, help="images of a step (default 8)")
    parser.add_argument("--size", type=int, default=224, help="pixels of a side of an image (default 224)")
    parser.add_argument("--rounds", type=int, default=6, help="rounds in which the sides take turns (default 6)")
    parser.add_argument("--threads", type=int, default=1, help="threads of each side (default 1)")
    parser.add_argument("--peers", help="the interpreter that has PyTorch (default: no rows of it)")
    parser.add_argument("--steps", default="eager,torch.compile", help="PyTorch's (default eager,torch.compile)")
    options = parser.parse_args()
    if options.peers:
        require("torch", python=options.peers)
    print(f"{'ms':25} {'regions':>9} {'against':>25} {'ratio':>7}")
    for model in options.models.split(","):
        given = (model, options.batch, options.size)
        ours = Side("regions", sides.with_regions, given, options.threads, processor=True)
        others = [(Side("ordinary", sides.ordinary, given, options.threads, processor=True), "step")]
        if options.peers:
            more = {"python": options.peers, "processor": True}
            torch = Side("PyTorch", sides.pytorch, (*given, options.threads), options.threads, **more)
            others += [(torch, step) for step in options.steps.split(",")]
        for side, step in others:
            seconds, theirs, ratio = compare((ours, "step"), (side, step), options.rounds, case=model)
            against = f"{side.name}, {step}: {1e3 * theirs:.1f}"
            print(f"{model:25} {1e3 * seconds:9.1f} {against:>25} {ratio:7.2f}", flush=True)
        for side in {id(side): side for side, _ in others}.values():
            side.close()
        ours.close()


if __name__ == "__main__":
    main()
