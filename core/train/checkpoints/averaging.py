"""The mean of the weights of a run's newest checkpoints, which often predicts better than any of them.

Vaswani et al. 2017 (arXiv:1706.03762) average the last 5 or 20 checkpoints of a Transformer.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from core.train.logs.run_folder import AVERAGED, RunFolder, writing
from core.weights.formats.safetensors_file import read_safetensors, write_safetensors

_OTHER = (".optimizer.safetensors", ".trained.safetensors", "callbacks.safetensors")


def average_checkpoints(run: str, last: int) -> tuple[Path, list[str]]:
    """Write the mean of the weights of a run's newest checkpoints as its checkpoint "averaged".

    Args:
        run: the run's folder.
        last: how many of them.

    Returns:
        The folder that was written, and the names of the checkpoints.

    Raises:
        FileNotFoundError: it is no run's folder.
        ValueError: there are not so many.
    """
    checkpoints = RunFolder.open(run).checkpoints
    found = sorted(path for path in checkpoints.glob("step_*") if path.is_dir())[-last:]
    if len(found) < last:
        message = f"{run!r} holds {len(found)} checkpoints, not {last}"
        raise ValueError(f"{message}: average fewer, or train with train.keep_checkpoints={last}")
    target, fresh = checkpoints / AVERAGED, checkpoints / f".{AVERAGED}.tmp"
    with writing(target):
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        for file in sorted(found[-1].glob("*.safetensors")):
            if not file.name.endswith(_OTHER):
                write_safetensors(_mean([path / file.name for path in found]), fresh / file.name)
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)
    return target, [path.name for path in found]


def _mean(files: list[Path]) -> dict[str, np.ndarray]:
    """Return the mean of the floating-point arrays of files; of other ones the last."""
    total: dict[str, np.ndarray] = {}
    for file in files:
        for name, array in read_safetensors(file).items():
            floating = array.dtype.kind == "f"
            total[name] = total.get(name, np.zeros(array.shape)) + array if floating else array
    last = read_safetensors(files[-1])
    return {
        name: (total[name] / len(files)).astype(array.dtype) if array.dtype.kind == "f" else array
        for name, array in last.items()
    }
