"""What the commands of a toolkit make of a stored run: plain numbers and arrays, to be stored or compared."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np
from safetensors.numpy import load_file

import core
from core.vision import read_image
from tests.frozen.cases import Case
from tests.walks.killing import run_here

CLOCK = ("seconds", "samples_per_second", "training_seconds")
"""Numbers that the clock gives."""

Numbers = dict[str, Any]
"""Nested dicts of numbers."""


class Asked:
    """A stored run that lies unpacked in a folder, with its data.

    Args:
        case: which run.
        folder: holds ``run``, and perhaps ``exported`` and ``teacher.pdparams``.
        data: the folder of its data; None: it needs none.
        photos: a folder of pictures to classify.
    """

    def __init__(self, case: Case, folder: Path, data: Optional[Path], photos: Optional[Path]) -> None:
        self.case, self.folder, self.run, self.photos = case, folder, folder / "run", photos
        self.output = ""
        self.data = [] if data is None else ["--data", str(data)]

    def command(self, name: str, *words: Any, expected: int = 0) -> str:
        """Run a command of the toolkit, which must leave with the expected exit code; return what it prints."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = run_here([f"{self.case.toolkit}/{name}.py", *map(str, words)])
        assert code == expected, f"{name} {words}: exit code {code}\n{output.getvalue()}"
        return output.getvalue()

    def evaluated(self) -> Numbers:
        """Return what ``eval.py`` gives for the best checkpoint, by split."""
        found: Numbers = {}
        for split in self.case.splits:
            target = self.folder / f"evaluated_{split}"
            self.command("eval", self.run, *self.data, "--split", split, "--output", target)
            found.update(json.loads((target / "results.json").read_text(encoding="utf-8")))
        return _numbers(found)

    def resumed(self) -> Numbers:
        """Train to the end; return the rows of metrics.jsonl, the results, and what identifies the final weights.

        What was printed is then in ``output``.
        """
        teacher = ["-o", f"teacher.pretrained={self.folder / 'teacher.pdparams'}"] if self.case.teacher else []
        self.output = self.command("train", "--resume", self.run, *self.data, *teacher)
        assert "continuing after step" in self.output
        lines = (self.run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        rows = {f"{row.pop('split')} {row.pop('step')}": row for row in map(json.loads, lines)}
        results = json.loads((self.run / "results.json").read_text(encoding="utf-8"))
        newest = self.run / "checkpoints" / "newest"
        weights = {file.name: fingerprints(load_file(file)) for file in sorted(newest.glob("*.safetensors"))}
        return {"metrics": _numbers(rows), "results": _numbers(results), "weights": weights}

    def inferred(self) -> dict[str, np.ndarray]:
        """Return what ``infer.py`` writes: probabilities, embeddings, or the mean colours of pictures."""
        return self._inferred(self.run, "inferred")

    def inferred_by_export(self) -> dict[str, np.ndarray]:
        """Return what ``infer.py`` writes for the stored exported folder, which image classifiers have."""
        return self._inferred(self.folder / "exported", "inferred_by_export")

    def _inferred(self, source: Path, name: str) -> dict[str, np.ndarray]:
        before, after = self.case.infer
        target = self.folder / name
        words = [str(self.photos) if word == "PHOTOS" else word for word in after]
        data = self.data if self.case.toolkit == "PGL" else []
        self.command("infer", *before, source, *words, *data, "--output", target)
        if self.case.toolkit == "PaddleClas":
            records = json.loads((target / "predictions.json").read_text(encoding="utf-8"))
            return {key: np.array([record[key] for record in records]) for key in ("classes", "probabilities")}
        if self.case.toolkit == "PGL":
            return {"embeddings": np.load(target / "embeddings.npy")}
        means = [read_image(str(file)).reshape(-1, 3).mean(axis=0) for file in sorted(target.glob("*.png"))]
        return {"mean_colours": np.array(means)}

    def export(self) -> Path:
        """Export the best checkpoint; return the folder."""
        data = self.data if self.case.toolkit == "PGL" else []
        target = self.folder / "exported_now"
        assert "compared with the live network: equal" in self.command("export", self.run, *data, "--output", target)
        return target


def predicted(exported: Path, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return what an exported program gives for inputs."""
    answers = core.jit.Predictor(exported).run(list(inputs))
    return list(answers) if isinstance(answers, (list, tuple)) else [answers]


def fingerprints(tensors: dict[str, np.ndarray]) -> dict[str, list[float]]:
    """Return of each tensor the sum of its absolute values, and a weighted sum that knows their order."""
    found = {}
    for name, tensor in sorted(tensors.items()):
        values = tensor.astype(np.float64).reshape(-1)
        found[name] = [float(np.abs(values).sum()), float(values @ np.cos(np.arange(values.size)))]
    return found


def _numbers(found: Any) -> Any:
    """Return nested dicts without what the clock gives, and without texts."""
    if isinstance(found, dict):
        kept = {key: _numbers(value) for key, value in found.items() if key not in CLOCK}
        return {key: value for key, value in kept.items() if not isinstance(value, (str, list))}
    return found
