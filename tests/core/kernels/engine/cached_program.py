"""Runs one of the programs below or of tools/compile_kernels.py; prints, as JSON, what was compiled, and one result."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path[0] = str(Path(__file__).resolve().parents[4])


def kernels(types: str = "float32 float64") -> float:
    """A kernel on the calling thread, and one on all threads that calls another."""
    from core.kernels.layers import cross_entropy
    from core.kernels.numeric import matrix_rows

    loss = np.zeros((), np.float32)
    cross_entropy.mean_cross_entropy(np.zeros((3, 4), np.float32), np.arange(3), ignore_index=-100, out=loss)
    total = 0.0
    for name in types.split():
        sums = np.zeros(2)
        matrix_rows.sum_of_rows(np.ones((5000, 2), name), sums)
        total += float(sums.sum())
    return float(loss) + total


def gcn() -> float:
    """Training of a graph network on a drawn citation graph."""
    from PGL import train
    from tests.PGL.small_sets import write_cora

    with tempfile.TemporaryDirectory() as folder:
        data = write_cora(Path(folder, "cora"))
        config = f"PGL/configs/cora_gcn.yaml --data {data} -o task.passes_per_epoch=2 -o expect=null"
        return _trained(train, config, Path(folder, "run"))


def dcgan() -> float:
    """Training of a generator and a discriminator on drawn faces."""
    from PaddleGAN import train

    with tempfile.TemporaryDirectory() as folder:
        changes = "-o data.train.dataset.count=64 -o data.test.dataset.count=64 -o data.test.batch_size=64"
        return _trained(train, f"PaddleGAN/configs/faces_dcgan.yaml {changes}", Path(folder, "run"))


def _trained(command: Any, config: str, output: Path) -> float:
    os.chdir(sys.path[0])
    code = command.main(["-c", *config.split(), "-o", "train.epochs=1", "-o", f"output={output}"])
    assert code == 0
    return float(code)


def main(program: str, *arguments: str) -> None:
    """Run a program of this file."""
    from numba.core import event

    class Compiled(event.Listener):
        names: list[str] = []

        def on_start(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            self.names.append(f"{function.__module__}.{function.__qualname__} {event.data['args']}")

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Compiled())
    from tools.compile_kernels import PROGRAMS

    answer = {**globals(), **PROGRAMS}[program](*arguments)
    print(json.dumps({"compiled": Compiled.names, "answer": answer}))


if __name__ == "__main__":
    main(*sys.argv[1:])
