"""Does fine-tuning go as in PyTorch? Losses of the first steps, ours beside those of transformers' classes.

    python3.11 -m venv PEERS; PEERS/bin/pip install torch transformers
    python -m benchmarks.PaddleNLP.fine_tuning FOLDER --peers PEERS/bin/python --log FILE [--steps 50] [--only TEXT]

FOLDER holds the sets as benchmarks.PaddleNLP.small_ernie has them. Both sides begin with the same random weights, see
the same batches, and have the same optimizer, learning rates and clipping; nothing is dropped. What is in the log is
not done again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.runs import ROOT, Log
from benchmarks.side import require

SETS = {
    "ChnSentiCorp": ("small_chnsenticorp_ernie", "chnsenticorp-sample"),
    "Weibo-NER": ("small_weibo_ner_ernie", "weibo-ner"),
}
"""Of each set its config and its folder."""

WITHOUT_DROPOUT = ("network.hidden_dropout_prob=0.0", "network.attention_probs_dropout_prob=0.0")


def ours(config_name: str, data: Path, folder: Path, steps: int) -> list[float]:
    """Train for some steps and return the losses; writes weights, batches and settings for the other side.

    Args:
        config_name: of the config.
        data: the folder of its files.
        folder: to write into.
        steps: how many, at most an epoch.
    """
    from core.train import load_config
    from core.train.seeds import seed_everything
    from core.train.step import PhaseStep
    from PaddleNLP.config import TASKS, LanguageConfig

    options = [f"data.root={json.dumps(str(data))}", *WITHOUT_DROPOUT]
    config = load_config(LanguageConfig, ROOT / "PaddleNLP" / "configs" / f"{config_name}.yaml", options)
    seed_everything(config.seed)
    task: Any = TASKS.build(config.task, config=config)
    loader = task.loader("train")
    (phase,) = task.phases(len(loader), config.train.epochs)
    np.savez(folder / "weights.npz", **{name: one.numpy() for name, one in task.network.state_dict().items()})
    step = PhaseStep(phase, compiled=True)
    task.train_mode()
    losses, rates = [], []
    for number, batch in enumerate(itertools.islice(loader.batches(), steps)):
        labels = "label" if "label" in batch.keys() else "labels"
        names = {"input_ids": "input_ids", "attention_mask": "input_ids_mask", "token_type_ids": "token_type_ids"}
        arrays = {name: batch[key].numpy() for name, key in {**names, "labels": labels}.items()}
        np.savez(folder / f"batch_{number}.npz", **arrays)
        result = step(number, [batch])
        losses.append(result.read()["loss"])
        rates.append(result.learning_rate)
        phase.optimizer.clear_grad()
        step.advance_schedule()
    settings = {key: value for key, value in config.network.arguments.items() if key not in ("pretrained",)}
    written = {
        "tokens": task.config.task.name == "TokenClassification",
        "network": {**settings, "vocab_size": len(task.tokenizer), "num_labels": len(task.class_names)},
        "weight_decay": config.optimizer.arguments["weight_decay"],
        "clip": config.optimizer.clip.norm,
        "rates": rates,
    }
    (folder / "settings.json").write_text(json.dumps(written), encoding="utf-8")
    return losses


def compared(name: str, data: Path, steps: int, peers: str) -> dict[str, Any]:
    """Return the losses of both sides, and how far they are apart at most, relative to PyTorch's."""
    config, below = SETS[name]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        own = ours(config, data / below, folder, steps)
        words = [peers, "-m", "benchmarks.PaddleNLP.fine_tuning_torch", str(folder)]
        subprocess.run(words, check=True, cwd=ROOT, env={**os.environ})
        others = json.loads((folder / "losses.json").read_text(encoding="utf-8"))
    apart = max(abs(one - other) / abs(other) for one, other in zip(own, others))
    return {"steps": len(own), "largest_difference": apart, "ours": own, "pytorch": others}


def main() -> None:
    """Print and write a line for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sets are")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch and transformers")
    parser.add_argument("--log", type=Path, help="a file for one JSON object per set; sets in it are not done again")
    parser.add_argument("--steps", type=int, default=50, help="steps of each side, at most an epoch (default 50)")
    parser.add_argument("--only", default="", help="sets with this in their name")
    options = parser.parse_args()
    require("torch", "transformers", python=options.peers)
    log = Log(options.log)
    for name in [name for name in SETS if options.only in name and name not in log]:
        log.add({"run": name, **compared(name, options.folder.resolve(), options.steps, options.peers)})


if __name__ == "__main__":
    main()
