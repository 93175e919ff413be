"""Does the Trainer reach what PyTorch reaches? Small sets of real pictures, three seeds, mean and standard deviation.

    pip install torch
    python -m benchmarks.PaddleClas.accuracy FOLDER [--only TEXT] [--seeds 0,1,2] [--log FILE] [--threads 2]

FOLDER holds the sets: mnist-sample, fashion-mnist-sample, camvid-sample and hymenoptera-photos. An experiment is a
config of PaddleClas/configs, followed by our Trainer and by a loop written in PyTorch on the network that the same
model file makes there: same pictures in the same order with the same augmentation, same initial weights, optimizer
and schedule. Each side has a process of its own and they take turns. The sets are small: one of the pictures to test
on is a percent or more. There is no validation set; the last epoch is tested, and nothing was chosen by what a test
says.

The column "first steps" is by how much the losses of the first ten steps differ at most, relative to them. Rounding
grows with every step, so that in the end the two are as far apart as two runs with other numbers of threads.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.PaddleClas.accuracy_sides import Run, our_steps, torch_steps
from benchmarks.PaddleClas.patches import write_patches
from benchmarks.side import Side, require

FINE_TUNING = ("schedule.learning_rate=0.01",)
DIGITS, PATCHES = "MNIST, LeNet", "patches of CamVid, MobileNetV1_x0_25"
FASHION, PHOTOGRAPHS = "Fashion-MNIST, LeNet", "ants and bees, MobileNetV1_x0_25"


def experiments(data: Path, work: Path, seeds: Sequence[int]) -> list[Run]:
    """Return all runs, those that others start from first.

    Args:
        data: the folder of the sets.
        work: where the patches will be.
        seeds: of the runs; what others start from has seed 0.
    """

    def run(name: str, config: str, folder: Path, seed: int, *overrides: str, start: Any = None) -> Run:
        return Run(name, config, str(folder), overrides, start, seed)

    digits = run(DIGITS, "mnist_lenet", data / "mnist-sample", 0, "train.epochs=5")
    patches = run(PATCHES, "camvid_patches_mobilenet_v1", work / "patches", 0)
    fashion, photographs = data / "fashion-mnist-sample", data / "hymenoptera-photos"
    runs = [digits, patches]
    for seed in seeds:
        runs += [
            run(FASHION, "fashion_mnist_lenet", fashion, seed),
            run(f"{FASHION}, from digits", "fashion_mnist_lenet", fashion, seed, *FINE_TUNING, start=digits.key),
            run(PHOTOGRAPHS, "hymenoptera_mobilenet_v1", photographs, seed),
            run(
                f"{PHOTOGRAPHS}, from patches",
                "hymenoptera_mobilenet_v1",
                photographs,
                seed,
                *FINE_TUNING,
                "network.adapt_head=true",
                start=patches.key,
            ),
        ]
    return runs


def compared(runs: Sequence[Run], work: Path, threads: int) -> Iterator[dict[str, Any]]:
    """Train each run on both sides in turns, and yield what came of it."""
    ours = Side("core", our_steps, (runs, str(work)), threads)
    theirs = Side("PyTorch", torch_steps, (runs, str(work), threads), threads)
    for number, run in enumerate(runs):
        answers = {"ours": ours.ask(run.key), "pytorch": theirs.ask(run.key)}
        losses = [answer.pop("losses") for answer in answers.values()]
        apart = max(abs(a - b) / abs(b) for a, b in list(zip(*losses))[:10])
        row = {"experiment": run.name, "seed": run.seed, "steps": len(losses[0]), "first_steps_apart": apart, **answers}
        yield rounded(row)
        following = {(later.config, later.seed) for later in runs[number + 1 :]}
        if (run.config, run.seed) not in following:  # hundreds of megabytes
            shutil.rmtree(work / "batches")
    for side in (ours, theirs):
        side.close()


def rounded(value: Any) -> Any:
    """Return numbers with six digits, also those in dictionaries."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each experiment: mean and standard deviation of the accuracies in percent, and of the seconds.

    Args:
        rows: what :func:`compared` gave.
    """
    lines = [
        f"{'experiment':52} {'seeds':>5} {'ours, %':>13} {'PyTorch, %':>13} {'ours, s':>8} {'PyTorch, s':>10} "
        f"{'first steps':>11}"
    ]
    for name in dict.fromkeys(row["experiment"] for row in rows):
        own = [row for row in rows if row["experiment"] == name]
        cells = []
        for side in ("ours", "pytorch"):
            values = [100 * row[side]["accuracy"] for row in own]
            spread = f" ± {statistics.stdev(values):4.1f}" if len(values) > 1 else ""
            cells.append(f"{statistics.mean(values):5.1f}{spread}")
        seconds = [statistics.mean(row[side]["seconds"] for row in own) for side in ("ours", "pytorch")]
        apart = max(row["first_steps_apart"] for row in own)
        lines.append(
            f"{name:52} {len(own):5} {cells[0]:>13} {cells[1]:>13} {seconds[0]:8.1f} {seconds[1]:10.1f} {apart:11.0e}"
        )
    return lines


def main() -> None:
    """Print and write a line for each run, then the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sets are")
    parser.add_argument("--only", default="", help="experiments with this in their name, and what they start from")
    parser.add_argument("--seeds", default="0,1,2", help="seeds of each experiment (default 0,1,2)")
    parser.add_argument("--log", type=Path, help="a file for one JSON object per run")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    arguments = parser.parse_args()
    require("torch")
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        runs = experiments(arguments.folder.resolve(), work, seeds)
        starts = {run.start for run in runs if arguments.only in run.name}
        runs = [run for run in runs if arguments.only in run.name or run.key in starts]
        if any(run.name == PATCHES for run in runs):
            write_patches(arguments.folder / "camvid-sample", work / "patches")
        for row in compared(runs, work, arguments.threads):
            rows.append(row)
            print(json.dumps(row), flush=True)
            if arguments.log is not None:
                arguments.log.parent.mkdir(parents=True, exist_ok=True)
                arguments.log.write_text("".join(f"{json.dumps(entry)}\n" for entry in rows), encoding="utf-8")
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
