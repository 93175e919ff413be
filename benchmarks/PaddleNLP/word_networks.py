"""What networks on words reach on small real sets, beside PyTorch's same nets and TF-IDF: Senta, EmoTect, SimNet, LAC.

    python -m benchmarks.PaddleNLP.word_networks FOLDER --log benchmarks/PaddleNLP/word_networks.jsonl [--only TEXT]
    [--work runs/word_networks] [--threads 1] [--peers PEERS/bin/python]

FOLDER holds senta-reviews, emotion-dialogue-zh, sst, lcqmc-dev, lac-sample and msra-ner. Published recipes are trained
with three seeds, LAC with five; PEERS is an environment with torch, whose nets get the same numbers of words, batch
sizes and learning rates. A tenth of each training file chooses the epoch. What is finished in the folder of ``--work``
or in the log is not done again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from benchmarks.PaddleNLP.sides.word_baselines import fitted
from benchmarks.runs import ROOT, Log, add_options, processor_seconds, trained
from core.train import load_config
from PaddleNLP.config import TOOLKIT, LanguageConfig

LEARNT = "keep: [0, 1, 2, 3, 4, 5, 6, 7, 8]"
NETS = ("bow", "cnn", "textcnn", "lstm", "gru", "bilstm")
TAGGER, CLASSIFIER = (Path(__file__).with_name("sides") / f"word_{name}_torch.py" for name in ("tagger", "networks"))


class Set(NamedTuple):
    """A set and the recipes that are trained on it.

    Attributes:
        folder: where its files are, below FOLDER.
        configs: the config of each network.
        changes: of these configs.
        measures: what it is judged by.
        seeds: how many seeds it is trained with.
    """

    folder: str
    configs: dict[str, str]
    changes: tuple[str, ...]
    measures: tuple[str, ...]
    seeds: int = 3


def _split(dataset: str, train: str, test: str) -> tuple[str, ...]:
    """Return the changes that learn from nine tenths of a file, choose by the last, and judge on another file."""
    return (
        f"data.train.dataset={{name: {dataset}, path: {train}}}",
        f"data.train.part={{every: 10, {LEARNT}, apart_from: [{{name: {dataset}, path: {test}}}]}}",
        f"data.valid.dataset={{name: {dataset}, path: {train}}}",
        f"data.valid.part={{every: 10, keep: [9], apart_from: [{{name: {dataset}, path: {test}}}]}}",
        f"data.test.dataset={{name: {dataset}, path: {test}}}",
    )


def _tenths(dataset: str, path: str) -> tuple[str, ...]:
    """Return the changes that learn from eight tenths of a file, choose by the ninth, and judge on the last."""
    parts = {"train": "[0, 1, 2, 3, 4, 5, 6, 7]", "valid": "[8]", "test": "[9]"}
    changes = [f"data.{split}.part={{every: 10, keep: {keep}}}" for split, keep in parts.items()]
    return (*changes, *(f"data.{split}.dataset={{name: {dataset}, path: {path}}}" for split in parts))


_TRIPLES = (
    "data.train.part=null",
    "data.train.dataset={name: TriplesOfPairs, pairs: {name: LCQMC, path: dev.txt, part: {every: 10, "
    "keep: [0, 1, 2, 3, 4, 5, 6, 7]}}}",
)
_SENTA = {net: f"senta/chnsenticorp_{net}" for net in NETS if net != "textcnn"}
_SIMNET = ("bow", "cnn", "lstm", "gru", "mm_dnn")

SETS = {
    "Senta reviews": Set("senta-reviews", {**_SENTA, "textcnn": "senta/emotect_textcnn"},
        _split("Senta", "corpus.train", "corpus.dev"), ("accuracy",)),
    "Emotions": Set("emotion-dialogue-zh", {net: f"senta/emotect_{net}" for net in NETS if net != "gru"},
        _split("EmoTect", "train.txt", "dev.txt"), ("accuracy",)),
    "SST-2": Set("sst", {**_SENTA, "textcnn": "senta/emotect_textcnn"},
        _split("SST-2", "SST2/train.tsv", "SST2/dev.tsv"), ("accuracy",)),
    "LCQMC": Set("lcqmc-dev", {net: f"simnet/lcqmc_{net}_pointwise" for net in _SIMNET},
        _tenths("LCQMC", "dev.txt"), ("accuracy", "auc")),
    "LCQMC, pairwise": Set("lcqmc-dev", {"bow": "simnet/lcqmc_bow_pairwise"},
        (*_tenths("LCQMC", "dev.txt"), *_TRIPLES), ("best_accuracy", "auc")),
    "LAC": Set("lac-sample", {"lac": "lac/small_lac"}, (), ("f1", "words_f1"), 5),
    "MSRA-NER": Set("msra-ner", {"lac": "lac/small_msra_ner_lac"}, (), ("f1",)),
}  # fmt: skip


def words_of(one: Set, net: str, seed: int, data: Path) -> list[str]:
    """Return the words of the command line that trains a network on a set."""
    changes = [*one.changes, f"seed={seed}"]
    return ["--data", str(data / one.folder), *(word for change in changes for word in ("-o", change))]


def ours(name: str, net: str, seed: int, data: Path, work: Path, threads: int) -> dict[str, Any]:
    """Train a network, unless that is done; return what was reached on the dev and the test part."""
    one = SETS[name]
    folder = work / f"{name.replace(', ', '_').replace(' ', '_')}_{net}_{seed}"
    words = [one.configs[net], *words_of(one, net, seed, data)]
    results = json.loads((trained("PaddleNLP", folder, words, threads) / "results.json").read_text(encoding="utf-8"))
    measured = {f"{split} {measure}": results["results"][split][measure] for split in ("valid", "test")
                for measure in one.measures}  # fmt: skip
    return {**measured, "seconds": results["training_seconds"], "processor_seconds": processor_seconds(folder)}


def peers(name: str, net: str, seed: int, data: Path, work: Path, threads: int, python: str) -> dict[str, Any]:
    """Train the same network in PyTorch; return the same of it."""
    one = SETS[name]
    options = [*one.changes, f"data.root={str(data / one.folder)!r}", f"seed={seed}"]
    config = load_config(LanguageConfig, ROOT / "PaddleNLP" / "configs" / f"{one.configs[net]}.yaml", options)
    task = TOOLKIT.build_task(config)
    arrays: dict[str, np.ndarray] = {}
    for split in ("train", "valid", "test"):
        fields = task.fields(split)
        for key, column in getattr(fields, "encoded", fields).columns.items():
            arrays[f"{split} {key}"] = column.values if hasattr(column, "values") else column
            if hasattr(column, "ends"):
                arrays[f"{split} {key} ends"] = column.ends
    work.mkdir(parents=True, exist_ok=True)
    file = work / f"encoded_{name.replace(', ', '_').replace(' ', '_')}_{net}_{seed}.npz"
    np.savez(file, **arrays)
    settings = {
        "net": config.network.name,
        "emb_lr": config.network.arguments.get("emb_lr", 1.0),
        "vocabulary": len(task.tokenizer),
        "classes": len(task.class_names),
        "class_names": list(task.class_names),
        "batch": config.data.train.batch_size,
        "rate": config.schedule.arguments["learning_rate"],
        "epochs": config.train.epochs,
        "seed": seed,
        "threads": threads,
    }
    script = TAGGER if net == "lac" else CLASSIFIER
    command = [python, str(script), str(file), json.dumps(settings, ensure_ascii=False)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    file.unlink()
    if done.returncode:
        raise RuntimeError(f"{script.name}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def parts(data: Path, work: Path, threads: int, python: Optional[str]) -> Iterator[tuple[str, Any]]:
    """Iterate over the names of all parts of the comparison, and what makes the figures of each, in order."""
    for seed in range(max(one.seeds for one in SETS.values())):
        for name, one in SETS.items():
            for net in one.configs if seed < one.seeds else ():
                label = f"{name}, {net}, seed {seed}"
                yield label, lambda name=name, net=net, seed=seed: ours(name, net, seed, data, work, threads)
                if python and name != "LCQMC, pairwise" and net != "mm_dnn":
                    yield (
                        f"{label}, PyTorch",
                        lambda name=name, net=net, seed=seed: peers(name, net, seed, data, work, threads, python),
                    )
    for name, one in SETS.items():
        if name in ("Senta reviews", "Emotions", "SST-2", "LCQMC"):
            config = next(iter(one.configs.values()))
            yield f"{name}, TF-IDF", lambda one=one, config=config: fitted(config, data / one.folder, one.changes)


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of the table: mean and standard deviation over seeds, of the test part."""
    lines = ["| set | network | measure | here | PyTorch |", "|---|---|---|---:|---:|"]
    for name, one in SETS.items():
        for net in one.configs:
            for measure in one.measures:
                cells = []
                for suffix in ("", ", PyTorch"):
                    wanted = {f"{name}, {net}, seed {seed}{suffix}" for seed in range(one.seeds)}
                    reached = [row[f"test {measure}"] for row in rows if row["run"] in wanted]
                    spread = f" ± {statistics.stdev(reached):.3f}" if len(reached) > 1 else ""
                    cells.append(f"{statistics.mean(reached):.3f}{spread}" if reached else "")
                lines.append(f"| {name} | {net} | {measure} | {' | '.join(cells)} |")
    lines += [f"{row['run']}: {row['test']:.3f}" for row in rows if row["run"].endswith("TF-IDF")]
    return lines


def main() -> None:
    """Print and write a line for each part, then the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sets are")
    parser.add_argument("--peers", metavar="PYTHON", help="of an environment with torch")
    add_options(parser, "runs/word_networks")
    options = parser.parse_args()
    log = Log(options.log)
    every = parts(options.folder.resolve(), options.work.resolve(), options.threads, options.peers)
    log.complete(every, options.only)
    print("\n".join(table(log.rows)))


if __name__ == "__main__":
    main()
