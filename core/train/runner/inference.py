"""The inference command where a toolkit has none of its own: what the network says of samples of a split."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import core
from core.io import default_collate_fn
from core.train.logs.run_folder import writing
from core.train.runner.experiment import open_run
from core.train.runner.toolkit import Toolkit
from core.weights.atomic import atomic_path


def infer(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Write what the task's prediction returns for the first samples of a split, as output_0.npy and so on.

    Args:
        toolkit: of the run.
        options: of the command line: run, checkpoint, overrides, split, count and output.

    Returns:
        The exit code.
    """
    task, folder = open_run(toolkit, options.run, options.checkpoint, options.overrides, options.split)
    samples = task.fields(options.split)
    taken = [samples[number] for number in range(min(options.count, len(samples)))]
    batch = (task.collate(options.split) or default_collate_fn)(taken)
    with core.no_grad():
        outputs = [output.numpy() for output in task.predict(*map(core.to_tensor, batch))]
    target = Path(options.output) if options.output else folder.path / "predictions"
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        for number, array in enumerate(outputs):
            with atomic_path(target / f"output_{number}.npy") as temporary, open(temporary, "wb") as stream:
                np.save(stream, array)
    text = ", ".join(f"output_{number}.npy {list(array.shape)}" for number, array in enumerate(outputs))
    print(f"wrote to {target}: {text}")
    return 0
