"""What the small LSTM reaches on a part of the Penn Treebank, beside PyTorch's same LSTM and counts of five words.

    python -m benchmarks.PaddleNLP.language_models FOLDER --log benchmarks/PaddleNLP/language_models.jsonl [--only TEXT]
    [--work runs/language_models] [--threads 1] [--peers PEERS/bin/python]

FOLDER holds ptb.valid.txt, of which PaddleNLP/configs/language_model/small_ptb_lstm.yaml learns eight tenths. PEERS is
an environment with torch, whose LSTM begins with the same weights, and gets the same windows, rates and clipping.
Counts are of the same words, smoothed by the method of Kneser and Ney; they know nothing of sentences before.
What is finished in the folder of ``--work`` or in the log is not done again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

from benchmarks.PaddleNLP.sides.kneser_ney import KneserNey
from benchmarks.runs import ROOT, Log, Part, add_options, processor_seconds, trained
from core.train import load_config
from core.train.seeds import seed_everything
from PaddleNLP.config import TOOLKIT, LanguageConfig
from PaddleNLP.data.encoded import texts_of

CONFIG = "language_model/small_ptb_lstm"
ORDERS = (2, 3, 5)
SCRIPT = Path(__file__).with_name("sides") / "language_models_torch.py"
SPLITS = ("train", "valid", "test")


def task_of(data: Path) -> Any:
    """Return the task of the config, with the weights that a run begins with."""
    config = load_config(
        LanguageConfig, ROOT / "PaddleNLP" / "configs" / f"{CONFIG}.yaml", [f"data.root={str(data)!r}"]
    )
    seed_everything(config.seed)
    task = TOOLKIT.build_task(config)
    task.facts()
    return task


def ours(data: Path, work: Path, threads: int) -> dict[str, Any]:
    """Train the LSTM, unless that is done; return the perplexities of the best epoch."""
    folder = trained("PaddleNLP", work / "lstm", [CONFIG, "--data", str(data)], threads)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    measured = {f"{split} perplexity": results["results"][split]["perplexity"] for split in ("valid", "test")}
    return {**measured, "seconds": results["training_seconds"], "processor_seconds": processor_seconds(folder)}


def peers(data: Path, work: Path, threads: int, python: str) -> dict[str, Any]:
    """Train the same LSTM in PyTorch; return the same of it."""
    task = task_of(data)
    config = task.config
    arrays = {f"w {name}": tensor.numpy() for name, tensor in task.network.named_parameters()}
    for split in SPLITS:
        fields = task.fields(split)
        arrays.update({f"{split} ids": fields.ids, f"{split} labels": fields.labels})
    work.mkdir(parents=True, exist_ok=True)
    file = work / "language_model.npz"
    np.savez(file, **arrays)
    schedule = config.schedule.arguments
    settings = {
        "dropout": config.network.arguments["dropout"],
        "steps": config.tokenizer.max_length,
        "epochs": config.train.epochs,
        "clip": config.optimizer.clip.norm,
        "rate": schedule["learning_rate"],
        "factor": schedule["factor"],
        "flat_epochs": schedule["flat_epochs"],
        "seed": config.seed,
        "threads": threads,
    }
    done = subprocess.run(
        [python, str(SCRIPT), str(file), json.dumps(settings)], capture_output=True, text=True, check=False
    )
    file.unlink()
    if done.returncode:
        raise RuntimeError(f"{SCRIPT.name}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def counted(data: Path, order: int) -> dict[str, Any]:
    """Count n-grams of the training part; return the perplexities."""
    task = task_of(data)
    parts = {
        split: [[*task.tokenizer.encode_text(text), task.end] for text in texts_of(task.dataset(split))]
        for split in SPLITS
    }
    model = KneserNey(parts["train"], order, len(task.tokenizer))
    return {f"{split} perplexity": model.perplexity(parts[split]) for split in ("valid", "test")}


def parts(data: Path, work: Path, threads: int, python: Optional[str]) -> Iterator[Part]:
    """Iterate over the parts of the comparison."""
    yield "LSTM", lambda: ours(data, work, threads)
    if python:
        yield "LSTM, PyTorch", lambda: peers(data, work, threads, python)
    for order in ORDERS:
        yield f"Kneser-Ney, {order} words", lambda order=order: counted(data, order)  # type: ignore[misc]


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of the table."""
    lines = ["| model | validation | test | processor time |", "|---|---:|---:|---:|"]
    for row in rows:
        spent = f"{row['processor_seconds']:.0f} s" if "processor_seconds" in row else ""
        lines.append(f"| {row['run']} | {row['valid perplexity']:.1f} | {row['test perplexity']:.1f} | {spent} |")
    return lines


def main() -> None:
    """Print and write a line for each part, then the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where ptb.valid.txt is")
    parser.add_argument("--peers", metavar="PYTHON", help="of an environment with torch")
    add_options(parser, "runs/language_models")
    options = parser.parse_args()
    log = Log(options.log)
    log.complete(parts(options.folder.resolve(), options.work.resolve(), options.threads, options.peers), options.only)
    print("\n".join(table(log.rows)))


if __name__ == "__main__":
    main()
