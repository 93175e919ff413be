"""What tasks give: relations beside a recurrent net, students with and without a teacher, drawn data with true answers.

    python -m benchmarks.PaddleNLP.tasks relations FOLDER --log benchmarks/PaddleNLP/tasks.jsonl
    python -m benchmarks.PaddleNLP.tasks distillation FOLDER --log benchmarks/PaddleNLP/tasks.jsonl
    python -m benchmarks.PaddleNLP.tasks drawn --log benchmarks/PaddleNLP/tasks.jsonl
    [--only TEXT] [--work runs/tasks] [--threads 1]

FOLDER holds train.json and dev.json of relations; of distillation it is the folder of TNEWS' headlines. Each network is
trained with three seeds; drawn data with one, and once more with the labels of train and dev dealt at random. What is
finished in the folder of ``--work`` or in the log is not done again, and a training that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.runs import Log, Part, add_options, processor_seconds, trained
from core.train import load_config
from PaddleNLP.config import LanguageConfig
from PaddleNLP.tools.draw_data import KINDS

SEEDS = (0, 1, 2)
SMALL = ("network.hidden_size=128", "network.intermediate_size=256")
"""Of teacher and students."""

STUDENT = "network.num_hidden_layers=2"
TEACHER = (
    "teacher.temperature=2.0",
    "teacher.hidden={1: 2, 2: 4}",
)
"""What a student learns of its teacher: answers, and the hidden states of every second layer."""


class Drawn(NamedTuple):
    """A config of drawn data.

    Attributes:
        config: its name.
        chances: of each measure what guessing gives.
    """

    config: str
    chances: dict[str, float]


DRAWN = {
    "dialogues": Drawn(
        "drawn_dialogues_ernie",
        {
            "udc_recall_at_1": 1 / 10,
            "atis_intent_accuracy": 1 / 12,
            "atis_slot_f1": 1 / 3,
            "dstc2_exact": 0.0,
            "swda_accuracy": 1 / 6,
        },
    ),
    "dbqa": Drawn("drawn_dbqa_ernie", {"mrr": sum(1 / rank for rank in range(1, 7)) / 6}),
    "mrqa": Drawn("drawn_mrqa_ernie", {"in_domain_f1": 100 / 4, "out_of_domain_f1": 100 / 4}),
}
"""Slots are found where they are, with labels dealt at random, too, and are of one of three kinds."""


def reached(folder: Path, split: str, measures: Sequence[str]) -> dict[str, Any]:
    """Return measures of a finished run, and how long it took."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    found = {name: results["results"][split][name] for name in measures}
    return {**found, "seconds": results["training_seconds"], "processor_seconds": processor_seconds(folder)}


def words(config: str, data: Path, *changes: str) -> list[str]:
    """Return the command line of a training."""
    return [config, "--data", str(data), *(word for change in changes for word in ("-o", change))]


def relations(data: Path, work: Path, threads: int) -> Iterator[Part]:
    """Iterate over the trainings that find relations."""
    for network in ("ernie", "bigru"):
        for seed in SEEDS:
            config = f"small_relations_{network}"

            def one(config: str = config, seed: int = seed) -> dict[str, Any]:
                run = trained("PaddleNLP", work / f"{config}_{seed}", words(config, data, f"seed={seed}"), threads)
                return reached(run, "valid", ("f1", "precision", "recall"))

            yield f"relations, {network}, seed {seed}", one


def distillation(data: Path, work: Path, threads: int) -> Iterator[Part]:
    """Iterate over the trainings of the teacher, and of students without it and with it."""
    config, teacher = "small_tnews_ernie", work / "teacher"
    own = f"tokenizer.vocab_file={teacher / 'tokenizer/vocab.txt'}"

    def taught() -> Path:
        return trained("PaddleNLP", teacher, words(config, data, *SMALL), threads)

    yield "distillation, teacher", lambda: reached(taught(), "test", ("accuracy",))
    for kind in ("alone", "with teacher"):
        for seed in SEEDS:

            def one(kind: str = kind, seed: int = seed) -> dict[str, Any]:
                settings = _network(taught())
                settings["pretrained"] = str(taught() / "checkpoints/best/model.safetensors")
                network = json.dumps(settings)
                changes = [f"seed={seed}", *SMALL, STUDENT, "tokenizer.learn=null", own]
                changes += [f"teacher.network={network}", *TEACHER] if kind == "with teacher" else []
                run = work / f"student_{kind.replace(' ', '_')}_{seed}"
                return reached(trained("PaddleNLP", run, words(config, data, *changes), threads), "test", ("accuracy",))

            yield f"distillation, student {kind}, seed {seed}", one


def _network(run: Path) -> dict[str, Any]:
    """Return the settings of a run's network."""
    found: dict[str, Any] = load_config(LanguageConfig, run / "config.yaml").network.model_dump()
    return found


def drawn(data: Path, work: Path, threads: int) -> Iterator[Part]:
    """Iterate over the trainings on drawn data, with true labels and with such as are dealt at random."""
    for kind, one in DRAWN.items():
        for shuffled in (False, True):

            def run(kind: str = kind, one: Drawn = one, shuffled: bool = shuffled) -> dict[str, Any]:
                name = f"{kind}_shuffled" if shuffled else kind
                folder = work / "drawn" / name
                if not folder.exists():
                    folder.mkdir(parents=True)
                    KINDS[kind](folder, shuffled=shuffled)
                finished = trained("PaddleNLP", work / f"drawn_{name}", words(one.config, folder), threads)
                return reached(finished, "test", list(one.chances))

            yield f"drawn, {kind}, {'shuffled' if shuffled else 'true'} labels", run


COMPARISONS = {"relations": relations, "distillation": distillation, "drawn": drawn}


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of the tables: means and standard deviations over seeds; drawn data beside guessing."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["run"].split(", seed ")[0], []).append(row)
    lines = []
    for name, found in groups.items():
        chances = DRAWN[name.split(", ")[1]].chances if name.startswith("drawn") else {}
        for measure in (key for key in found[0] if key != "run" and not key.endswith("seconds")):
            values = [row[measure] for row in found]
            spread = f" ± {statistics.stdev(values):.4f}" if len(values) > 1 else ""
            guess = f"; guessing {chances[measure]:.3f}" if measure in chances else ""
            lines.append(f"{name}: {measure} {statistics.mean(values):.4f}{spread} of {len(values)}{guess}")
    return lines


def main() -> None:
    """Print and write a line for each part, then the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("comparison", choices=sorted(COMPARISONS))
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), help="where the set is; drawn data needs none")
    add_options(parser, "runs/tasks")
    options = parser.parse_args()
    log = Log(options.log)
    parts = COMPARISONS[options.comparison](options.folder.resolve(), options.work.resolve(), options.threads)
    log.complete(parts, options.only)
    print("\n".join(table(log.rows)))


if __name__ == "__main__":
    main()
