"""Adversarial networks: training steps and generators' forward passes, ours compiled against other libraries.

    python -m benchmarks.PaddleGAN.adversarial --peers PYTHON [--paddle PYTHON] [--rounds 5] [--threads 2]
        [--models stgan,cyclegan,dcgan,resnet_9block,unet_256] [--rows pytorch,compile,paddle,inference]

- stgan: at 128 pixels, batch 4, the critic's step with its gradient penalty, and the generator's step;
- cyclegan: two generators of 6 blocks and two discriminators, one step of all, at 128 pixels, batch 1;
- dcgan: one step of discriminator and generator at 64 pixels, batch 64;
- resnet_9block, unet_256: the forward pass at 256 pixels, batch 1, compiled, and exported with what fusion that brings.

Every side has the same weights and images; the last column is how far it is from ours: of a step of training the
largest relative difference of the losses of its first call, of a forward pass the largest difference. Each side has a
process of its own; they take turns, and a ratio is the median of the rounds' ratios, above 1 where ours is faster.
PyTorch uses channels-last memory. Other libraries run in other interpreters: --peers names PyTorch's, --paddle
Paddle's. All is float32.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from typing import Any

import numpy as np

from benchmarks.PaddleGAN import adversarial_sides as sides
from benchmarks.PaddleGAN.adversarial_recipes import PHASES
from benchmarks.side import Side, compare, require

ROWS = ("pytorch", "compile", "paddle", "inference")
SIZES = {"stgan": (128, 4), "cyclegan": (128, 1), "dcgan": (64, 64), "resnet_9block": (256, 1), "unet_256": (256, 1)}
"""Model to height and width of its images, and their number in a step."""


def difference(found: Any, expected: Any) -> float:
    """Return the largest difference of images, or the largest relative one of losses."""
    gap = np.abs(np.asarray(found) - np.asarray(expected))
    return float((gap / np.abs(expected) if isinstance(expected, list) else gap).max())


def main() -> None:
    """Print one row per comparison, in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the sides take turns (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--models", default=",".join(SIZES), help="which models, separated by commas (default all)")
    parser.add_argument("--rows", default="pytorch,compile", help=f"which of {','.join(ROWS)} (default the first two)")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch")
    parser.add_argument("--paddle", default=sys.executable, help="the interpreter that has Paddle")
    parser.add_argument("--scale", type=int, default=1, help="divide sizes and batches by this, only to try it out")
    options = parser.parse_args()
    models, rows = options.models.split(","), options.rows.split(",")
    if set(models) - set(SIZES) or set(rows) - set(ROWS):
        parser.error(f"--models takes {', '.join(SIZES)}, --rows {', '.join(ROWS)}")
    if {"pytorch", "compile"} & set(rows):
        require("torch", python=options.peers)
    if {"paddle", "inference"} & set(rows):
        require("paddle", python=options.paddle)
    threads = options.threads
    print(f"{'model':14} {'step':10} {'ours ms':>9}   {'against':20} {'ms':>9} {'ratio':>6} {'difference':>11}")

    for model in models:
        size, batch = SIZES[model]
        size = size if model in ("dcgan", "unet_256") else size // options.scale
        batch = max(min(batch, 2), batch // options.scale)
        with tempfile.TemporaryDirectory() as folder:
            ours = Side("ours", sides.ours, (model, size, batch, folder), threads)
            expected = {step: ours.ask(step) for step in ours.steps}
            makers = {
                "pytorch": ("PyTorch", sides.pytorch, False, options.peers),
                "compile": ("torch.compile", sides.pytorch, True, options.peers),
                "paddle": ("Paddle", sides.paddle, False, options.paddle),
                "inference": ("Paddle with oneDNN", sides.paddle, True, options.paddle),
            }
            for row in rows:
                name, build, choice, python = makers[row]
                if build is sides.paddle and model in PHASES:
                    continue  # only the forward passes are compared with Paddle
                other = Side(name, build, (model, size, batch, folder, threads, choice), threads, python=python)
                pairs = [(step, step if step in other.steps else "forward") for step in ours.steps]
                gaps = [difference(other.ask(same), expected[step]) for step, same in pairs]  # before weights move on
                for (step, same), gap in zip(pairs, gaps):
                    mine, theirs, ratio = compare((ours, step), (other, same), options.rounds, case=model)
                    numbers = f"{1000 * theirs:9.1f} {ratio:6.2f} {gap:11.0e}"
                    print(f"{model:14} {step:10} {1000 * mine:9.1f}   {name:20} {numbers}", flush=True)
                other.close()
            ours.close()


if __name__ == "__main__":
    main()
