"""What a user does with an experiment, by the command line only: preview, train, kill, resume, evaluate, ..."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import re
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np

import core
from core.vision import read_image
from core.weights.formats.safetensors_file import read_safetensors
from tests.walks.killing import KillingServer, run_here

EPOCHS = 3


class Walk:
    """One experiment, in a folder of its own.

    Args:
        server: kills its training.
        folder: where its run and outputs are written.
        toolkit: "PaddleClas", "PaddleDetection", "PaddleNLP", "PGL", "PaddleGAN" or "PaddleVideo".
        config: the experiment's file.
        data: the folder of its data; None: it needs none.
        changes: of the config.
    """

    def __init__(
        self, server: KillingServer, folder: Path, toolkit: str, config: Path, data: Any, changes: Sequence[str]
    ) -> None:
        self.server = server
        self.toolkit = toolkit
        self.folder = folder
        self.run = folder / "run"
        common = (f"output={self.run}", f"train.epochs={EPOCHS}", "train.checkpoint_every=1", "train.tensorboard=false")
        words = ["-c", str(config), *(["--data", str(data)] if data is not None else [])]
        self.after_killing: Callable[[], object] = lambda: None
        self.after_training: Callable[[], object] = lambda: None
        self.training = [*words, *(word for change in (*common, "expect=null", *changes) for word in ("-o", change))]

    def command(self, name: str, *words: Any) -> str:
        """Run a command of the toolkit, which must succeed; return what it prints."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = run_here([f"{self.toolkit}/{name}.py", *map(str, words)])
        assert code == 0, f"{name} {words}: exit code {code}\n{output.getvalue()}"
        return output.getvalue()

    def preview(self, *words: Any) -> str:
        """Draw what training sees; return what is printed about it."""
        target = self.folder / "preview.png"
        output = self.command("preview", *self.training, "--output", target, *words)
        assert f"wrote {target}: " in output
        height, width, channels = read_image(target).shape
        assert height > 32 and width > 32 and channels == 3 and not self.run.exists()
        return output

    def train(self) -> str:
        """Train until the second save, die there, and go on to the end."""
        log = self.folder / "killed.log"
        ended = self.server.run([f"{self.toolkit}/train.py", *self.training], log)
        assert ended == -signal.SIGKILL, f"not killed, but ended with {ended}\n{log.read_text()}"
        self.after_killing()
        output = self.command("train", "--resume", self.run)
        self.after_training()
        steps = int(found.group(1)) if (found := re.search(r"continuing after step (\d+) \(epoch 2\)", output)) else 0
        newest = max(path.name for path in (self.run / "checkpoints").glob("step_*"))
        assert steps > 0 and newest == f"step_{steps // 2 * EPOCHS:08d}"
        links = {path.name for path in (self.run / "checkpoints").iterdir() if path.is_symlink()}
        assert links == {"best", "newest"} and not list(self.run.glob(".*"))
        return output

    def evaluate(self, split: str = "test") -> None:
        """Evaluate, to the numbers that training ended with."""
        output = self.command("eval", self.run, "--split", split)
        expected = json.loads((self.run / "results.json").read_text())["results"][split]
        found = json.loads((self.run / f"evaluation_{split}" / "results.json").read_text())[split]
        assert f"{split}: " in output
        assert set(expected) <= set(found)
        toolkit = importlib.import_module(f"{self.toolkit}.config").TOOLKIT
        config = toolkit.load(self.run / "config.yaml").continued()  # the weights that it began with may be gone
        named = toolkit.build_task(config.evaluated(split)).numbers
        assert not named or {name for name, value in found.items() if isinstance(value, float)} <= set(named)
        for name, value in expected.items():
            np.testing.assert_allclose(found[name], value, rtol=1e-4, atol=1e-5, err_msg=name)

    def export(self) -> core.jit.Predictor:
        """Export; return the folder, loaded."""
        output = self.command("export", self.run)
        assert "compared with the live network: equal" in output, output
        return core.jit.Predictor(self.run / "exported")

    def infer(self, photos: Path, as_run: bool = True) -> list[dict[str, Any]]:
        """Look at pictures with the run, or with its exported folder; return the records."""
        target = self.folder / ("by_run" if as_run else "by_export")
        self.command("infer", self.run if as_run else self.run / "exported", photos, "--output", target)
        records: list[dict[str, Any]] = json.loads((target / "predictions.json").read_text())
        return records


def walk_classifier(walk: Walk, photos: Path, split: str = "test") -> None:
    """Walk an image classifier from training to predictions of its exported folder."""
    assert "2 samples, 1 version of each" in walk.preview("--images", "2", "--versions", "1")
    walk.train()
    walk.evaluate(split)
    live = walk.infer(photos)
    walk.export()
    exported = walk.infer(photos, as_run=False)
    assert len(live) == len(list(photos.iterdir())) > 0
    for one, other in zip(live, exported):
        assert one["classes"] == other["classes"] and one["names"] == other["names"]
        np.testing.assert_allclose(one["probabilities"], other["probabilities"], atol=1e-4)


def walk_recogniser(walk: Walk, video: Path) -> None:
    """Walk a network of clips from training to what its exported folder recognises in a video file."""
    walk.train()
    walk.evaluate()
    live = walk.infer(video)
    walk.export()
    (one,), (other,) = (records[0]["actions"] for records in (live, walk.infer(video, as_run=False)))
    assert one["names"] == other["names"] and one["end"] == other["end"] > 0
    np.testing.assert_allclose(one["probabilities"], other["probabilities"], atol=1e-4)


def walk_intervals(walk: Walk, features: Path) -> None:
    """Walk a network of intervals from training to what its exported folder finds in a file of features."""
    walk.train()
    walk.evaluate()
    assert json.loads((walk.run / "evaluation_test" / "submission.json").read_text())["version"] == "VERSION 1.3"
    live = walk.infer(features)
    walk.export()
    one, other = (records[0]["intervals"] for records in (live, walk.infer(features, as_run=False)))
    assert len(one) == len(other) > 0
    for key in ("start", "end", "number", "score"):
        np.testing.assert_allclose([row[key] for row in one], [row[key] for row in other], atol=1e-4)


def walk_detector(walk: Walk, photos: Path, split: str = "test") -> None:
    """Walk a detector from training to the boxes that its exported folder finds."""
    assert "2 images, 1 version of each" in walk.preview("--images", "2", "--versions", "1")
    walk.train()
    walk.evaluate(split)
    stored = walk.run / f"evaluation_{split}"
    numbers = json.loads((stored / "results.json").read_text())[split]
    output = walk.command("eval", walk.run, "--split", split, "--json-eval", stored, "--output", walk.folder / "again")
    again = json.loads((walk.folder / "again" / "results.json").read_text())[split]
    for name in set(numbers) & set(again) - {"AP_of_classes", "mask_AP_of_classes"}:
        np.testing.assert_allclose(again[name], numbers[name], atol=1e-5, err_msg=output)
    live = walk.infer(photos)
    walk.export()
    assert len(live) == len(list(photos.iterdir())) > 0
    for one, other in zip(live, walk.infer(photos, as_run=False)):
        assert [found["class"] for found in one["objects"]] == [found["class"] for found in other["objects"]]
        for found, same in zip(one["objects"], other["objects"]):
            np.testing.assert_allclose(found["score"], same["score"], atol=1e-4)
            np.testing.assert_allclose(found["box"], same["box"], atol=0.1)


def walk_language(walk: Walk, texts: Sequence[str]) -> None:
    """Walk a language model from training to what its exported folder reads."""
    walk.train()
    walk.evaluate()
    folders = {"run": walk.run, "export": walk.run / "exported"}
    walk.export()
    read = {}
    for name, folder in folders.items() if texts else ():
        walk.command("infer", folder, *texts, "--output", walk.folder / name)
        read[name] = (walk.folder / name / "predictions.jsonl").read_text().splitlines()
        assert len(read[name]) == len(texts)
    for one, other in zip(*(map(json.loads, lines) for lines in read.values())) if texts else ():
        assert list(one) == list(other)
        assert [value for value in one.values() if isinstance(value, str)] == [
            value for value in other.values() if isinstance(value, str)
        ]


def walk_graph(walk: Walk, near: str, given: Sequence[np.ndarray], expected: Callable[..., Any]) -> None:
    """Walk a graph network from training to predictions of its exported folder.

    Args:
        walk: the experiment.
        near: a node to find the nearest ones of.
        given: what the exported program takes.
        expected: what the program must give for it, from the rows that infer.py writes and the checkpoint's weights.
    """
    assert "edges end at a node" in walk.preview()
    walk.train()
    walk.evaluate()
    walk.command("infer", walk.run, "--near", near, "--top", "2")
    rows = np.load(walk.run / "embeddings" / "embeddings.npy")
    (record,) = json.loads((walk.run / "embeddings" / "nearest.json").read_text())
    assert len(record["near"]) == 2 and (walk.run / "embeddings" / "embeddings.png").is_file()
    weights = read_safetensors(walk.run / "checkpoints" / "best" / "model.safetensors")
    np.testing.assert_allclose(walk.export().run(list(given)), expected(rows, weights), rtol=1e-4, atol=1e-5)


def walk_restorer(walk: Walk, split: str = "test") -> None:
    """Walk a network that restores pictures from training to those that its exported folder restores, of any size."""
    assert "2 samples, 1 version of each" in walk.preview("--images", "2", "--versions", "1")
    walk.train()
    walk.evaluate(split)
    assert "wrote to" in walk.command("infer", "restore", walk.run)
    assert list((walk.run / "restore").glob("*.png"))
    predictor = walk.export()
    (entry,) = predictor.inputs
    for side in (16, 32):
        shape = [2, *(side if size is None else size for size in entry.shape[1:])]
        pictures = np.random.default_rng(0).uniform(0, 1, shape).astype(np.float32)
        answers = predictor.run(pictures)
        restored = answers[0] if isinstance(answers, (list, tuple)) else answers
        assert restored.shape[:2] == (2, 3) and restored.shape[2] % side == 0 and np.isfinite(restored).all()


def walk_adversarial(
    walk: Walk, modes: Mapping[str, Sequence[str]], bounded: bool = True, split: str = "test"
) -> None:
    """Walk a generator from training to pictures by its exported folder; some end in no function that bounds them."""
    if modes:  # samples of Wav2Lip are no pictures that a preview shows
        assert "2 samples, 1 version of each" in walk.preview("--images", "2", "--versions", "1")
    walk.train()
    walk.evaluate(split)
    for mode, words in modes.items():
        assert "wrote to" in walk.command("infer", mode, walk.run, *words)
        assert list((walk.run / mode).glob("*.png"))
    predictor = walk.export()
    source = np.random.default_rng(0)
    given = []
    for entry in predictor.inputs:
        numbers = source.standard_normal([2 if size is None else size for size in entry.shape])
        given.append(numbers.astype(np.float32) if entry.dtype == core.float32 else np.zeros_like(numbers, np.int64))
    answers = predictor.run(given)
    pictures = answers[0] if isinstance(answers, (list, tuple)) else answers
    assert pictures.shape[0] == 2 and pictures.ndim == 4 and np.isfinite(pictures).all()
    assert np.abs(pictures).max() <= 1 or not bounded
