"""Does fine-tuning go as in PyTorch? Ours beside transformers' classes with the same initial weights and batches.

    python3.11 -m venv PEERS; PEERS/bin/pip install torch transformers
    python -m benchmarks.PaddleNLP.fine_tuning FOLDER --peers PEERS/bin/python --log FILE [--steps 50] [--only TEXT]
    python -m benchmarks.PaddleNLP.fine_tuning FOLDER --peers PEERS/bin/python --log FILE --dropout
    [--work runs/fine_tuning] [--threads 1]

FOLDER holds the sets as benchmarks.PaddleNLP.small_ernie has them. Both sides begin with the same random weights, see
the same batches, and have the same optimizer, learning rates and clipping. Without ``--dropout`` nothing is dropped,
and the losses of the first steps are compared. With it each side drops its own, a smaller network is trained to the
end with five seeds, the dev part chooses the epoch, and the test part is compared: means that differ by no more than
two standard errors count as equal. What is in the log is not done again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.runs import ROOT, Log, Part, add_options, trained
from benchmarks.side import require


class Set(NamedTuple):
    """A set that is fine-tuned on.

    Attributes:
        config: the name of its config.
        folder: where its files are, below FOLDER.
        changes: of the config, where it is trained to the end.
    """

    config: str
    folder: str
    changes: tuple[str, ...]


_SMALL = (
    "network.hidden_size=128",
    "network.num_hidden_layers=2",
    "network.intermediate_size=256",
    "schedule.learning_rate=1.0e-3",
)
SETS = {
    "ChnSentiCorp": Set("small_chnsenticorp_ernie", "chnsenticorp-sample", _SMALL),
    "Weibo-NER": Set("small_weibo_ner_ernie", "weibo-ner", _SMALL),
}
WITHOUT_DROPOUT = ("network.hidden_dropout_prob=0.0", "network.attention_probs_dropout_prob=0.0")
SEEDS = range(5)
SPLITS = ("valid", "test")


class Prepared:
    """A training that both sides make: its task with fresh weights, its batches, and the phase with the learning rates.

    Args:
        name: of the set.
        data: the folder of all sets.
        changes: of the config.
    """

    def __init__(self, name: str, data: Path, changes: Sequence[str]) -> None:
        from core.train import load_config
        from core.train.seeds import seed_everything
        from PaddleNLP.config import TASKS, LanguageConfig

        one = SETS[name]
        options = [f"data.root={json.dumps(str(data / one.folder))}", *changes]
        self.config = load_config(LanguageConfig, ROOT / "PaddleNLP" / "configs" / f"{one.config}.yaml", options)
        seed_everything(self.config.seed)
        self.task: Any = TASKS.build(self.config.task, config=self.config)
        self.loader = self.task.loader("train")
        (self.phase,) = self.task.phases(len(self.loader), self.config.train.epochs)

    def write_weights(self, folder: Path) -> None:
        """Write the weights for the other side."""
        arrays = {name: one.numpy() for name, one in self.task.network.state_dict().items()}
        np.savez(folder / "weights.npz", **arrays)

    def write_settings(self, folder: Path, rates: Sequence[float], ends: Sequence[int] = ()) -> None:
        """Write for the other side how it trains.

        Args:
            folder: to write into.
            rates: the learning rate of each step.
            ends: the numbers of steps behind which the dev and test parts are judged.
        """
        config = self.config
        network = {key: value for key, value in config.network.arguments.items() if key != "pretrained"}
        written = {
            "tokens": config.task.name == "TokenClassification",
            "network": {**network, "vocab_size": len(self.task.tokenizer), "num_labels": len(self.task.class_names)},
            "weight_decay": config.optimizer.arguments["weight_decay"],
            "clip": config.optimizer.clip.norm,
            "rates": list(rates),
            "ends": list(ends),
            "seed": config.seed,
        }
        (folder / "settings.json").write_text(json.dumps(written), encoding="utf-8")


def write_batch(file: Path, batch: Any) -> None:
    """Write a batch with the names that transformers' classes take."""
    labels = "label" if "label" in batch.keys() else "labels"
    names = {"input_ids": "input_ids", "attention_mask": "input_ids_mask", "token_type_ids": "token_type_ids"}
    np.savez(file, **{name: batch[key].numpy() for name, key in {**names, "labels": labels}.items()})


def run_pytorch(folder: Path, peers: str, threads: int) -> None:
    """Train the other side on what a folder holds, which writes its losses and logits there."""
    words = [peers, "-m", "benchmarks.PaddleNLP.sides.fine_tuning_torch", str(folder)]
    subprocess.run(words, check=True, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": str(threads)})


def losses(name: str, data: Path, steps: int, peers: str, threads: int) -> dict[str, Any]:
    """Return the losses of both sides without dropout, and how far they are apart at most, relative to PyTorch's."""
    from core.train.step import PhaseStep

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepared = Prepared(name, data, WITHOUT_DROPOUT)
        prepared.write_weights(folder)
        step = PhaseStep(prepared.phase, compiled=True)
        prepared.task.train_mode()
        own, rates = [], []
        for number, batch in enumerate(itertools.islice(prepared.loader.batches(), steps)):
            write_batch(folder / f"batch_{number}.npz", batch)
            result = step(number, [batch])
            own.append(result.read()["loss"])
            rates.append(result.learning_rate)
            prepared.phase.optimizer.clear_grad()
            step.advance_schedule()
        prepared.write_settings(folder, rates)
        run_pytorch(folder, peers, threads)
        others = json.loads((folder / "losses.json").read_text(encoding="utf-8"))
    apart = max(abs(one - other) / abs(other) for one, other in zip(own, others))
    return {"steps": len(own), "largest_difference": apart, "ours": own, "pytorch": others}


def changes_of(name: str, seed: int) -> list[str]:
    """Return the changes of a set's config for a training with dropout."""
    return [*SETS[name].changes, f"seed={seed}"]


def our_scores(name: str, seed: int, data: Path, work: Path, threads: int) -> dict[str, float]:
    """Train with train.py; return the measure that chooses the epoch, on the dev and the test part."""
    one = SETS[name]
    changes = [word for change in changes_of(name, seed) for word in ("-o", change)]
    words = [one.config, "--data", str(data / one.folder), *changes]
    folder = trained("PaddleNLP", work / f"{one.config}_{seed}", words, threads)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))["results"]
    return {split: results[split][_measure(name)] for split in SPLITS}


def pytorch_scores(name: str, seed: int, data: Path, peers: str, threads: int) -> dict[str, float]:
    """Train in PyTorch on the batches that train.py sees; return the same, as our evaluator measures it."""
    from core.train.seeds import seed_everything, step_seed

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepared = Prepared(name, data, changes_of(name, seed))
        prepared.write_weights(folder)
        rates: list[float] = []
        ends = []
        for epoch in range(int(prepared.config.train.epochs)):
            seed_everything(step_seed(seed, len(rates)))
            prepared.loader.set_epoch(epoch)
            for batch in prepared.loader.batches():
                write_batch(folder / f"batch_{len(rates)}.npz", batch)
                rates.append(float(prepared.phase.optimizer.get_lr()))
                prepared.phase.schedule.step()
            ends.append(len(rates))
        for split in SPLITS:
            for number, batch in enumerate(prepared.task.loader(split).batches()):
                write_batch(folder / f"{split}_{number}.npz", batch)
        prepared.write_settings(folder, rates, ends)
        run_pytorch(folder, peers, threads)
        measure = _measure(name)
        found = [judged(prepared.task, "valid", folder / f"logits_{end}.npz")[measure] for end in ends]
        best = max(range(len(ends)), key=lambda epoch: (found[epoch], epoch))  # of equals the later, as train.py
        test = judged(prepared.task, "test", folder / f"logits_{ends[best]}.npz")[measure]
    return {"valid": found[best], "test": test}


def judged(task: Any, split: str, file: Path) -> dict[str, float]:
    """Return what our evaluator says of the other side's logits.

    Args:
        task: one of core's; what its network computes is replaced.
        split: "valid" or "test".
        file: of logits by split and number of the batch.
    """
    import core
    from core.train.evaluation_pass import EvaluationPass

    numbers = itertools.count()
    with np.load(file) as opened:
        arrays = dict(opened)
    task.forward = lambda fields: core.to_tensor(arrays[f"{split}_{next(numbers)}"])
    result: dict[str, float] = EvaluationPass(task, compiled=False)(split).result()
    return result


def _measure(name: str) -> str:
    return "f1" if "ner" in SETS[name].config else "accuracy"


def parts(options: argparse.Namespace) -> Iterator[Part]:
    """Iterate over what is compared."""
    data, work, peers, threads = options.folder.resolve(), options.work.resolve(), options.peers, options.threads
    for name in SETS:
        if not options.dropout:
            yield name, lambda name=name: losses(name, data, options.steps, peers, threads)
            continue
        for seed in SEEDS:
            yield (
                f"{name} with dropout, ours, seed {seed}",
                lambda name=name, seed=seed: our_scores(name, seed, data, work, threads),
            )
            yield (
                f"{name} with dropout, PyTorch, seed {seed}",
                lambda name=name, seed=seed: pytorch_scores(name, seed, data, peers, threads),
            )


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each set: means and standard deviations of the test part, and how far the means are apart."""
    lines = []
    for name in SETS:
        found = [
            [row["test"] for row in rows if row["run"].startswith(f"{name} with dropout, {side}, ")]
            for side in ("ours", "PyTorch")
        ]
        if min(map(len, found)) < 2:
            continue
        means = [statistics.mean(one) for one in found]
        spreads = [statistics.stdev(one) for one in found]
        error = math.sqrt(sum(spread**2 / len(one) for spread, one in zip(spreads, found)))
        cells = [f"{mean:.4f} ± {spread:.4f} of {len(one)}" for mean, spread, one in zip(means, spreads, found)]
        apart = abs(means[0] - means[1])
        text = f"{apart:.4f} apart, standard error {error:.4f}: {'equal' if apart <= 2 * error else 'NOT equal'}"
        lines.append(f"{name}: ours {cells[0]}, PyTorch {cells[1]}; {text}")
    return lines


def main() -> None:
    """Print and write a line for each part, then the table of what has dropout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sets are")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch and transformers")
    parser.add_argument("--steps", type=int, default=50, help="steps of each side, at most an epoch (default 50)")
    parser.add_argument("--dropout", action="store_true", help="train to the end with dropout, five seeds each")
    add_options(parser, "runs/fine_tuning")
    options = parser.parse_args()
    require("torch", "transformers", python=options.peers)
    log = Log(options.log)
    log.complete(parts(options), options.only)
    print("\n".join(table(log.rows)))


if __name__ == "__main__":
    main()
