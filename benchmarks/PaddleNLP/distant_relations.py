"""Relations from labels of which three in ten are wrong: ARNOR, and the same network on the labels as they are.

    python -m benchmarks.PaddleNLP.distant_relations --log benchmarks/PaddleNLP/distant_relations.jsonl
    [--work runs/distant_relations] [--seeds 3] [--threads 1]

Each seed draws its data (PaddleNLP/tools/draw_data.py distant) and its weights. Precision, recall and F1
are those of the test part, whose labels are right. What is finished in the folder of ``--work`` or in the log is not
done again.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from benchmarks.runs import Log, add_options, processor_seconds, trained
from PaddleNLP.data.drawn.distant import write_distant

SIDES = {
    "ARNOR": (),
    "plain": ("task.denoise=false", "task.regularization=0"),
}
"""What each side changes of the config."""

MEASURES = ("precision", "recall", "f1")


def run(side: str, seed: int, work: Path, threads: int) -> dict[str, Any]:
    """Train a side, unless that is done; return what it reached on the test part."""
    data = work / f"data_{seed}"
    if not data.exists():
        data.mkdir(parents=True)
        write_distant(data, seed)
    folder = work / f"{side.replace(' ', '_')}_{seed}"
    words = ["drawn_distant_arnor", "--data", str(data)]
    words += [word for change in (*SIDES[side], f"seed={seed}") for word in ("-o", change)]
    results = json.loads((trained("PaddleNLP", folder, words, threads) / "results.json").read_text(encoding="utf-8"))
    reached = {name: results["results"]["test"][name] for name in MEASURES}
    return {**reached, "processor_seconds": processor_seconds(folder)}


def main() -> None:
    """Print and write a line for each run, then the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3, help="how many (default 3)")
    add_options(parser, "runs/distant_relations")
    options = parser.parse_args()
    log, work = Log(options.log), options.work.resolve()
    log.complete(
        (
            (f"{side}, seed {seed}", lambda side=side, seed=seed: run(side, seed, work, options.threads))  # type: ignore[misc]
            for seed in range(options.seeds)
            for side in SIDES
        ),
        options.only,
    )
    for side in SIDES:
        rows = [row for row in log.rows if row["run"].startswith(f"{side}, ")]
        if rows:
            means = ", ".join(f"{name} {statistics.mean(row[name] for row in rows):.3f}" for name in MEASURES)
            print(f"{side}: {means} of {len(rows)} seeds")


if __name__ == "__main__":
    main()
