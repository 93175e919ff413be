"""Make the stored runs and configs, by the code of the commit whose files they are.

The runs and configs here are those of commit 6842442, the last one before the toolkits got one runner. They are never
made anew by later code, which they check. With that commit checked out in a folder of its own:

    cd FOLDER && OMP_NUM_THREADS=1 python HERE/tests/frozen/make.py [NAME ...]

Commands, networks and data come from the working folder, the names below ``tests/frozen`` from this one. The archives
are the same bytes each time with the same libraries, processor and number of threads; what the clock gave is set to 0.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path[:0] = [os.getcwd(), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402

import core  # noqa: E402
import PaddleClas  # noqa: E402
from core.train.trainer import Trainer  # noqa: E402
from tests.frozen.asking import CLOCK, Asked, predicted  # noqa: E402
from tests.frozen.cases import CASES, Case  # noqa: E402
from tests.frozen.store import CONFIGS, RUNS, pack, unpack  # noqa: E402
from tests.walks.cases import arrays_of, write_photos  # noqa: E402
from tests.walks.killing import run_here  # noqa: E402

LEFT = 8
"""Hidden units that the pruned LeNet has left of each layer; the others get no gradient, and an archive no bytes."""
LEFT_OUT = ("*.png", "run.lock", "tensorboard", "samples")
DATA = "/data"
"""What stands for the folder of the data in a stored config."""


def write_pruned(file: Path, seed: int) -> None:
    """Write the weights of a LeNet most of whose hidden units are 0, and stay 0 in training."""
    core.seed(seed)
    network = PaddleClas.create_model("LeNet", class_num=10)
    weights = {name: tensor.numpy().copy() for name, tensor in network.state_dict().items()}
    for layer in (0, 1):
        weights[f"fc.{layer}.weight"][:, LEFT:] = 0
        weights[f"fc.{layer}.bias"][LEFT:] = 0
        weights[f"fc.{layer + 1}.weight"][LEFT:] = 0
    core.save({name: core.to_tensor(array) for name, array in weights.items()}, str(file))


@contextlib.contextmanager
def stopping(kind: str, count: int) -> Iterator[None]:
    """Send this process SIGTERM when its training has made so many steps, or saved so often."""
    name = {"step": "_make_step", "save": "_save"}[kind]
    method, left = getattr(Trainer, name), [count]

    def counted(trainer: Trainer, *arguments: Any) -> Any:
        result = method(trainer, *arguments)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGTERM)
        return result

    setattr(Trainer, name, counted)
    try:
        yield
    finally:
        setattr(Trainer, name, method)


def train(case: Case, code: Path, folder: Path, data: Any) -> None:
    """Train a case in the working folder until it is stopped; the run becomes ``folder / "run"``."""
    words = ["-c", str(code / case.toolkit / "configs" / case.config), *([] if data is None else ["--data", str(data)])]
    for change in (f"output={folder.name}/run", "train.tensorboard=false", *case.changes):
        words += ["-o", change]
    with stopping(*case.stop):
        assert run_here([f"{case.toolkit}/train.py", *words]) == 128 + signal.SIGTERM


def clean(run: Path, data: Any) -> None:
    """Delete pictures and locks, and set to 0 what the clock gave."""
    for pattern in LEFT_OUT:
        for path in sorted(run.rglob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for file in (*run.rglob("progress.json"), run / "metrics.jsonl"):
        if file.exists():
            text = file.read_text(encoding="utf-8")
            file.write_text(re.sub(rf'"({"|".join(CLOCK)})": [-+.e0-9]+', r'"\1": 0.0', text), encoding="utf-8")
    config = run / "config.yaml"
    if data is not None:
        config.write_text(config.read_text(encoding="utf-8").replace(str(data), DATA), encoding="utf-8")


def inputs_of(exported: Path, case: Case, data: Any) -> list[np.ndarray]:
    """Return what to give to an exported program."""
    if case.config.startswith("cora"):
        return arrays_of(data)
    source, given = np.random.default_rng(0), []
    for entry in core.jit.Predictor(exported).inputs:
        shape = [1 if size is None else size for size in entry.shape]
        whole = entry.dtype != core.float32
        given.append(source.integers(0, 3, shape) if whole else source.standard_normal(shape).astype(np.float32))
    return given


def make_run(name: str, case: Case, code: Path) -> None:
    """Make one archive, and beside it the numbers and arrays that the code gives for it."""
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        work = Path(temporary)
        data = None if case.write is None else case.write(work / "data")
        photos = write_photos(work / "photos", classes=1, count=3) / "class_0"
        write_pruned(work / "pruned.pdparams", 1)
        write_pruned(work / "teacher.pdparams", 2)
        folder = work / "made"
        train(case, code, folder, data)
        if case.teacher:
            shutil.copy(work / "teacher.pdparams", folder / "teacher.pdparams")
        clean(folder / "run", data)
        shutil.move(str(Asked(case, folder, data, photos).export()), folder / "exported")
        clean(folder / "run", data)
        pack(folder, RUNS / f"{name}.tar.gz")

        asked = Asked(case, unpack(RUNS / f"{name}.tar.gz", work / "asked"), data, photos)
        inputs = inputs_of(asked.folder / "exported", case, data)
        outputs = predicted(asked.folder / "exported", inputs)
        arrays = {f"input_{number}": array for number, array in enumerate(inputs)}
        arrays.update({f"output_{number}": array for number, array in enumerate(outputs)})
        arrays.update({f"inferred_{key}": array for key, array in asked.inferred().items()})
        np.savez_compressed(RUNS / f"{name}.npz", **arrays)
        numbers = {"evaluated": asked.evaluated(), "resumed": asked.resumed()}
        text = re.sub(r"\[\s+([^],]+),\s+([^],]+?)\s+\]", r"[\1, \2]", json.dumps(numbers, indent=1))
        (RUNS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        os.chdir(code)


def make_configs(code: Path) -> None:
    """Make one archive of each toolkit's configs."""
    for toolkit in ("PaddleClas", "PGL", "PaddleGAN"):
        pack(code / toolkit / "configs", CONFIGS / f"{toolkit}.tar.gz")


if __name__ == "__main__":
    here = Path.cwd()
    wanted = sys.argv[1:] or ["configs", *CASES]
    if "configs" in wanted:
        make_configs(here)
    for wish in wanted:
        if wish in CASES:
            print(f"== {wish}")
            make_run(wish, CASES[wish], here)
