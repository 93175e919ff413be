"""Folds of a set of graphs, one run each, and the epoch that is best on average.

Xu et al., "How Powerful are Graph Neural Networks?", ICLR 2019, section 7: all graphs but a fold's train, the fold
validates after every epoch; the one epoch counts whose accuracy, averaged over the folds, is best, with mean and
standard deviation over the folds. No graphs are left for a test: the number is a validation's, as published ones are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.train import read_metrics
from core.train.logs.run_folder import writing
from core.train.runner.toolkit import Toolkit
from core.train.runner.training import train_run
from core.weights.atomic import atomic_write


def cross_validate(toolkit: Toolkit, config_file: str, folds: int, overrides: Sequence[str] = ()) -> int:
    """Train a run for each fold; print and write the best epoch's accuracy.

    Folds whose runs are complete are read, one that was stopped continues.

    Args:
        toolkit: what trains.
        config_file: the experiment.
        folds: how many folds there are.
        overrides: changes of keys.

    Returns:
        The exit code.

    Raises:
        ValueError: the data set has no folds, or there are fewer than three.
    """
    config = toolkit.load(config_file, overrides)
    if config.data.dataset.name != "TUDataset":
        raise ValueError(f"data.dataset: {config.data.dataset.name} has no folds; TUDataset has")
    if folds < 3:
        raise ValueError(f"--folds must be at least 3, not {folds}")
    output, curves = Path(config.output), []
    for fold in range(folds):
        run = output / f"fold_{fold}"
        changes = [
            *overrides, f"output={json.dumps(str(run))}", f"data.dataset.folds={folds}", f"data.dataset.fold={fold}",
            "data.dataset.paper_protocol=true", "train.evaluate_every=1", "expect=null",
        ]  # fmt: skip
        print(f"\nfold {fold + 1} of {folds}")
        if not (run / "results.json").is_file():
            resume = str(run) if (run / "config.yaml").is_file() else None
            train_run(toolkit, config_file, changes, resume).folder.release()
        curves.append([row["accuracy"] for row in read_metrics(run / "metrics.jsonl") if row["split"] == "valid"])
    table = np.array([curve[: min(map(len, curves))] for curve in curves])
    best = int(table.mean(axis=0).argmax())
    found = {
        "epoch": best + 1,
        "accuracy": float(table[:, best].mean()),
        "standard_deviation": float(table[:, best].std()),
        "folds": table[:, best].tolist(),
    }
    with writing(output / "folds.json"), atomic_write(output / "folds.json") as stream:
        stream.write((json.dumps(found, indent=1) + "\n").encode("utf-8"))
    spread = found["standard_deviation"]
    print(
        f"\nepoch {best + 1} is best on average: validation accuracy {found['accuracy']:.4f} ± {spread:.4f} over"
        f" {folds} folds"
    )
    print(f"wrote {output / 'folds.json'}")
    return 0
