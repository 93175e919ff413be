"""What pretraining on a few megabytes gives: a small ERNIE pretrained and fine-tuned, beside the same net from scratch.

    python -m benchmarks.PaddleNLP.small_ernie FOLDER --log benchmarks/PaddleNLP/small_ernie.jsonl [--only TEXT]
    [--work runs/small_ernie] [--threads 1]

FOLDER holds the sets that PaddleNLP/configs/pretraining/small_ernie.yaml names. The command pretrains, judges masked
tokens of the held-out parts beside counts of n-grams, and fine-tunes four configs small_*_ernie.yaml with three seeds,
from the pretrained weights and from random ones, both with the pretraining's vocabulary. TF-IDF of characters and
logistic regression see the same parts; their strength is chosen on the dev part. What is finished in the folder of
``--work`` or in the log is not done again, and a training that was stopped goes on where it was.

Last, students of two layers learn two of the sets from random weights, by labels alone and with a teacher beside them:
the pretrained network of four layers that was fine-tuned with the first seed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchmarks.PaddleNLP.sides import small_ernie_baselines as baselines
from benchmarks.runs import Log, add_options, processor_seconds, trained

CONFIG = "pretraining/small_ernie"


class Set(NamedTuple):
    """A set that is fine-tuned on.

    Attributes:
        config: the name of its config.
        folder: where its files are, below FOLDER.
        measure: what it is judged by.
    """

    config: str
    folder: str
    measure: str


SETS = {
    "TNEWS": Set("small_tnews_ernie", "tnews-sample", "accuracy"),
    "ChnSentiCorp": Set("small_chnsenticorp_ernie", "chnsenticorp-sample", "accuracy"),
    "LCQMC": Set("small_lcqmc_ernie", "lcqmc-dev", "accuracy"),
    "Weibo-NER": Set("small_weibo_ner_ernie", "weibo-ner", "f1"),
}
SEEDS = (0, 1, 2)
STARTS = ("from scratch", "pretrained")
TAUGHT = ("ChnSentiCorp", "Weibo-NER")
"""The sets that students learn."""
STUDENTS = ("2 layers", "2 layers with teacher")


def pretrained(data: Path, work: Path, threads: int) -> Path:
    """Pretrain, unless that is done; return the run's folder."""
    return trained("PaddleNLP", work / "pretraining", [CONFIG, "--data", str(data)], threads)


def fine_tuned(name: str, seed: int, start: str, data: Path, work: Path, threads: int) -> dict[str, Any]:
    """Fine-tune on a set, unless that is done; return what was reached, on the dev and the test part."""
    one, before = SETS[name], work / "pretraining"
    changes = [f"seed={seed}", "tokenizer.learn=null", f"tokenizer.vocab_file={before / 'tokenizer/vocab.txt'}"]
    if start == "pretrained":
        changes.append(f"network.pretrained={before / 'checkpoints/best/model.safetensors'}")
    if start in STUDENTS:
        changes.append("network.num_hidden_layers=2")
    if start == STUDENTS[1]:
        changes.append(f"teacher={yaml.safe_dump(teacher(name, work), default_flow_style=True, width=10**6).strip()}")
    folder = work / f"{one.config}_{start.replace(' ', '_')}_{seed}"
    words = [one.config, "--data", str(data / one.folder), *(word for change in changes for word in ("-o", change))]
    results = _results(trained("PaddleNLP", folder, words, threads))
    measured = {split: results["results"][split][one.measure] for split in ("valid", "test")}
    return {**measured, "seconds": results["training_seconds"], "processor_seconds": processor_seconds(folder)}


def teacher(name: str, work: Path) -> dict[str, Any]:
    """Return the section of a config that teaches the first layer of two what the second of four gives, and so on."""
    folder = work / f"{SETS[name].config}_pretrained_{SEEDS[0]}"
    network = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))["network"]
    network["pretrained"] = str(folder / "checkpoints/best/model.safetensors")
    return {"network": network, "temperature": 2.0, "hidden": {1: 2, 2: 4}, "hidden_weight": 0.1}


def _results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return found


def parts(data: Path, work: Path, threads: int) -> Iterator[tuple[str, Any]]:
    """Iterate over the names of all parts of the comparison, and what makes the figures of each, in order."""

    def pretraining() -> dict[str, Any]:
        folder = pretrained(data, work, threads)
        results = _results(folder)
        times = {"seconds": results["training_seconds"], "processor_seconds": processor_seconds(folder)}
        return {**results["results"]["valid"], **times}

    yield "pretraining", pretraining
    yield "counts of n-grams", lambda: baselines.masked_by_counts(work / "pretraining")
    for name, one in SETS.items():
        yield f"{name}, TF-IDF", lambda one=one: baselines.fitted(one.config, data / one.folder)
        for start in STARTS + (STUDENTS if name in TAUGHT else ()):
            for seed in SEEDS:
                yield (
                    f"{name}, {start}, seed {seed}",
                    lambda name=name, start=start, seed=seed: fine_tuned(name, seed, start, data, work, threads),
                )


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of the table: mean and standard deviation over seeds, of the test part."""
    found = {row["run"]: row for row in rows}
    lines = [f"| {'test part':24} | TF-IDF | from scratch | pretrained |", "|---|---:|---:|---:|"]
    for name, one in SETS.items():
        cells = [f"{found[f'{name}, TF-IDF']['test']:.3f}" if f"{name}, TF-IDF" in found else ""]
        for start in STARTS:
            reached = [row["test"] for run, row in found.items() if run.startswith(f"{name}, {start}, ")]
            spread = f" ± {statistics.stdev(reached):.3f}" if len(reached) > 1 else ""
            cells.append(f"{statistics.mean(reached):.3f}{spread}" if reached else "")
        lines.append(f"| {f'{name}, {one.measure}':24} | {' | '.join(cells)} |")
    for name, start in itertools.product(TAUGHT, STUDENTS):
        reached = [row["test"] for run, row in found.items() if run.startswith(f"{name}, {start}, ")]
        if len(reached) > 1:
            lines.append(f"{name}, {start}: {statistics.mean(reached):.3f} ± {statistics.stdev(reached):.3f}")
    for run in ("pretraining", "counts of n-grams"):
        if run in found:
            figures = {key: value for key, value in found[run].items() if key != "run" and value is not None}
            lines.append(f"{run}: " + ", ".join(f"{key} {value:.4g}" for key, value in figures.items()))
    return lines


def main() -> None:
    """Print and write a line for each part, then the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sets are")
    add_options(parser, "runs/small_ernie")
    options = parser.parse_args()
    log = Log(options.log)
    log.complete(parts(options.folder.resolve(), options.work.resolve(), options.threads), options.only)
    print("\n".join(table(log.rows)))


if __name__ == "__main__":
    main()
